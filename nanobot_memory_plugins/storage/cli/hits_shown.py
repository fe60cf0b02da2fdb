"""How the hits of a search are shown: best first, the words of the query marked, nothing said twice."""

import re
from collections.abc import Sequence

from rich.text import Text

from nanobot_memory_plugins.core import Hit, Level, SearchResult, StoreStatus
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.plain import PROGRAM
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


def in_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return hits by falling score."""
    return sorted(hits, key=lambda hit: -hit.score)


def snippet_of(hit: Hit) -> str:
    """Return what of a hit is shown."""
    return hit.snippet or hit.text[:_SNIPPET]


def show_hits(result: SearchResult, status: StoreStatus, query: str, *, by_words: bool = False) -> None:
    """Show what was found for people; what is missing of the index goes to standard error.

    ``by_words``: nobody wanted vectors.
    """
    out = console()
    if not result.hits:
        found = status.documents or result.level is Level.MARKDOWN
        out.print(tr("Nothing was found.") if found else tr("The memory is empty."))
    words = _pattern(query)
    alike: dict[str, list[Hit]] = {}
    for hit in in_order(result.hits):
        alike.setdefault(_plain(snippet_of(hit)), []).append(hit)
    for snippet, (hit, *others) in alike.items():
        date = f"  {hit.time.astimezone():%Y-%m-%d %H:%M}" if hit.time else ""
        place = f"[cyan]{shown(hit.path)}:{hit.line}[/cyan]{date}"
        out.print(f"[bold]{hit.score:.3f}[/bold]  {place}  {tr(hit.origin.value)}")
        if about := _about(hit, snippet):
            out.print(f"{_INDENT}{shown(about)}", style="dim")
        out.print(_marked(snippet, words))
        if others:
            places = ", ".join(f"{one.path}:{one.line}" for one in others)
            out.print(tr("{indent}also at {places}", indent=_INDENT, places=shown(places)), style="dim")
    if status.reason and not (by_words and result.level is Level.FULL_TEXT):
        notes = console(stderr=True)
        notes.print(
            f"{PROGRAM}: "
            + tr(
                "[yellow]level {level}: {reason}[/yellow] {hint}",
                level=int(status.level),
                reason=shown(tr(status.reason)),
                hint=shown(tr(status.hint)),
            )
        )


def _about(hit: Hit, snippet: str) -> str:
    """Return what a hit says of itself beside its origin and its snippet: heading, speaker, project, tags."""
    said = {hit.origin.value, _plain(snippet)}
    heading = tr(hit.heading) if hit.heading in _KINDS else hit.heading  # an entry's kind stands there
    parts = [part for part in (heading, hit.speaker) if part and _plain(part) not in said]
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


def _marked(text: str, words: re.Pattern[str] | None) -> Text:
    """Return a text with what was asked for marked."""
    line = Text(_INDENT + _plain(text))
    for match in words.finditer(line.plain) if words is not None else ():
        line.stylize("bold yellow", match.start(), match.end())
    return line
