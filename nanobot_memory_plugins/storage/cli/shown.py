"""How hits and the state of a search are shown: the words of the query marked, nothing said twice."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from nanobot_memory_plugins.core import Hit, StoreStatus
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.text.markdown import one_line
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.storage.segmentation import candidate_terms

_SNIPPET = 240
# What the heading of a scored entry says, in its file.
_KINDS = ("preference", "fact", "experience", "workflow", "decision", "skill_usage", "todo")
_INDENT = "       "


def snippet_of(hit: Hit) -> str:
    """Return what of a hit is shown."""
    return hit.snippet or hit.text[:_SNIPPET]


def show_hits(hits: Iterable[Hit], query: str) -> None:
    """Show what was found for people, in its order; what several hits say alike is shown once."""
    out = console()
    words = [term for term in candidate_terms(query) if len(term) > 1 or not term.isascii()]
    alike: dict[str, list[Hit]] = {}
    for hit in hits:
        alike.setdefault(_plain(snippet_of(hit)), []).append(hit)
    for snippet, (hit, *others) in alike.items():
        date = f"  {hit.time.astimezone():%Y-%m-%d %H:%M}" if hit.time else ""
        place = f"[cyan]{shown(hit.path)}:{hit.line}[/cyan]{date}"
        out.print(f"[bold]{hit.score:.3f}[/bold]  {place}  {tr(hit.origin.value)}")
        if about := _about(hit, snippet):
            out.print(f"{_INDENT}{shown(about)}", style="dim")
        line = Text(_INDENT + snippet)
        line.highlight_words(words, "bold yellow", case_sensitive=False)
        out.print(line)
        if others:
            places = ", ".join(f"{other.path}:{other.line}" for other in others)
            out.print(tr("{indent}also at {places}", indent=_INDENT, places=shown(places)), style="dim")


def show_level(status: StoreStatus, out: Console) -> None:
    """Say at which level is searched, why, and what would help."""
    out.print(
        tr(
            "[yellow]level {level}: {reason}[/yellow] {hint}",
            level=int(status.level),
            reason=shown(tr(status.reason)),
            hint=shown(tr(status.hint)),
        )
    )


def _about(hit: Hit, snippet: str) -> str:
    """Return what a hit says of itself besides its origin and its snippet: heading, speaker, project, tags."""
    shown_already = {hit.origin.value, _plain(snippet)}
    heading = tr(hit.heading) if hit.heading in _KINDS else hit.heading  # of an entry it is the kind
    parts = [part for part in (heading, hit.speaker) if part and _plain(part) not in shown_already]
    parts += [tr("project {name}", name=hit.scope.project)] if hit.scope.project else []
    parts += [f"#{tag}" for tag in hit.tags]
    return "  ".join(dict.fromkeys(parts))


def _plain(text: str) -> str:
    return " ".join(one_line(text).split())
