"""How hits and the state of a search are shown: the words of the query marked, nothing said twice."""

import re
from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
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
# Of a longer word this much must be the same: it is found with its endings.
_STEM_FROM = 5
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


def snippet_of(hit: Hit) -> str:
    """Return what of a hit is shown."""
    return hit.snippet or hit.text[:_SNIPPET]


def show_hits(hits: Iterable[Hit], query: str) -> None:
    """Show what was found for people, in its order; what several hits say alike is shown once."""
    out = console()
    words = _pattern(query)
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
        for match in words.finditer(line.plain) if words is not None else ():
            line.stylize("bold yellow", match.start(), match.end())
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


def progress_bars(*, disable: bool = False) -> Progress:
    """Return bars on standard error that show how far something is, and how long it takes."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console(stderr=True, wraps=True), disable=disable)


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


def _pattern(query: str) -> re.Pattern[str] | None:
    """Return what finds the words of a query in a text, or None where it has none."""
    found = []
    for term in candidate_terms(query):
        stem = re.escape(term[: max(_STEM_FROM - 1, len(term) - 2)])
        found.append(re.escape(term) if _CJK.search(term) else rf"(?<!\w){stem}\w*" if len(term) > 1 else "")
    found = sorted(filter(None, found), key=len, reverse=True)
    return re.compile("|".join(found), re.IGNORECASE) if found else None
