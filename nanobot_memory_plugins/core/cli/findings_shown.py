"""How findings are shown: what is wrong first, with what helps, and how much is good.

In a pipe a finding is one line. Nothing breaks a word or a path: a line that is too long is the terminal's to wrap.
"""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console

from nanobot_memory_plugins.core.cli.console import shown
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import together, tr

# As words of tables and lines; in JSON they stay as they are.
_HEALTH_WORDS = {Health.GOOD: "good", Health.INFO: "info", Health.DEGRADED: "degraded", Health.BAD: "bad"}
COLOURS = {Health.GOOD: "green", Health.INFO: "cyan", Health.DEGRADED: "yellow", Health.BAD: "red"}
_ORDER = {Health.BAD: 0, Health.DEGRADED: 1, Health.INFO: 2, Health.GOOD: 3}
_RIGHT = (Health.GOOD, Health.INFO)
_INDENT = "    "


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with what is wrong first, else as they came."""
    return sorted(findings, key=lambda one: _ORDER[one.health])


def finding_line(finding: Finding) -> str:
    """Return a finding as one line of a pipe: health, subject, state and what helps."""
    hint = f"  -> {tr(finding.hint)}" if finding.hint else ""
    return f"{_padded(said_health(finding.health), 8)}  {_told(finding)}{hint}"


def _told(finding: Finding) -> str:
    return tr(finding.subject) + tr(": ") + tr(finding.state)


def said_health(health: Health) -> str:
    """Return how good a finding is, in the reader's language."""
    return tr(_HEALTH_WORDS[health])


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))


def show_findings(findings: Sequence[Finding], out: Console, *, everything: bool) -> None:
    """Show findings to whoever reads ``out``: in a terminal what is not good, with ``everything`` all of them."""
    listed = in_order(findings)
    if not out.is_terminal:
        for finding in listed:
            out.print(shown(finding_line(finding)))
        return
    show_problems(listed, out)
    right = [finding for finding in listed if finding.health in _RIGHT]
    for finding in right if everything else ():
        head = f"[{COLOURS[finding.health]}]{_padded(said_health(finding.health), 4)}[/{COLOURS[finding.health]}]"
        for number, line in enumerate(wrapped(f"{_told(finding)}", out.width - 6)):
            out.print(f"{'      ' if number else f'{head}  '}{shown(line)}")
    out.print(together(summary(findings), "" if everything else "`nanobot-memory doctor --all` shows each."))


def show_problems(findings: Sequence[Finding], out: Console) -> None:
    """Show what is neither good nor mere information, each with what helps."""
    for finding in in_order(findings):
        if finding.health in _RIGHT:
            continue
        colour = COLOURS[finding.health]
        out.print(f"[{colour}]{said_health(finding.health)}[/{colour}]  [bold]{shown(tr(finding.subject))}[/bold]")
        for line in (*wrapped(tr(finding.state), out.width - 4), *wrapped(tr(finding.hint), out.width - 4)):
            out.print(f"{_INDENT}{shown(line)}")
        out.print()


def summary(findings: Sequence[Finding]) -> str:
    """Return how many are good and how many are not, in one line."""
    counts = {health: sum(one.health is health for one in findings) for health in Health}
    bad, degraded, good, info = (counts[health] for health in (Health.BAD, Health.DEGRADED, Health.GOOD, Health.INFO))
    named = [tr("{count} bad", count=bad)] if bad else []
    named += [tr("{count} degraded", count=degraded)] if degraded else []
    named.append(tr("{count} good", count=good) if named else tr("All {count} are good", count=good))
    named += [tr("{count} for information", count=info)] if info else []
    return tr(", ").join(named) + tr(".")


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yield a text in lines of at most so many columns; a longer word has a line of its own, whole."""
    line = ""
    for word in text.split():
        if line and cell_len(line) + 1 + cell_len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".lstrip()
    if line:
        yield line
