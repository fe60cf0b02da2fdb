"""Search while typing: the hits, with their files and the reasons why they were found."""

from typing import Any

from rich.text import Text
from textual import on
from textual.timer import Timer
from textual.widgets import Input

from nanobot_memory_plugins.core import Hit, Level, Query, SearchResult
from nanobot_memory_plugins.core.erasure.matching import is_short
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.panel.views.base import Cells, View, field
from nanobot_memory_plugins.panel.views.history import day_and_time
from nanobot_memory_plugins.redaction.script.messages import tr

_LIMIT = 50
# How many seconds after the last key a search begins.
_TYPING_DELAY = 0.12
# The longest location that fits into the list, in characters.
_LOCATION_CHARS = 28


class SearchView(View):
    """The search."""

    name_of_view = "Search"
    needs = "store"
    columns = (("Score", 5), ("Where", 28), ("Text", 0))
    field_text = "Search: words, or a question"

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._typing: Timer | None = None

    def focus_list(self) -> None:
        """Focus the field."""
        self.field.focus()

    def do_ask(self) -> None:
        """Focus the field."""
        self.app.set_focus(self.field)

    def do_plain(self) -> None:
        """Focus the hits."""
        self.table.focus()

    def do_forget(self) -> None:
        """Show what purging the message or note under the cursor would remove."""
        hit = self.current
        if hit is None:
            return
        if hit.source == "long_term":
            self.warn(tr("Memories are forgotten in their own view (1)."))
            return
        rest = hit.text.removeprefix(hit.tldr).strip()
        texts = (hit.tldr, rest) if hit.tldr and hit.text.startswith(hit.tldr) else (hit.text,)
        if words := tuple(text for text in texts if not is_short(text)):
            self.begin(lambda: self.panel.show_forgetting(Erasure(words=words)), "ask")
        else:
            self.warn(tr("It is too short to be forgotten by its words."))

    def on_key(self, event: Any) -> None:
        """Move from the field into the list with the arrow keys."""
        if event.key in ("down", "pagedown") and self.field.has_focus:
            event.stop()
            self.table.focus()

    @on(Input.Changed)
    def _typed(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_DELAY, lambda: self.begin(self.load))

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.table.focus()

    async def load(self) -> None:
        """Search again."""
        query = self.field.value.strip()
        result = await self.memory.store.search(Query(query, limit=_LIMIT)) if query else None
        self.fill(result.hits if result is not None else (), self._cells, lambda hit: hit.id)
        self.line.update(self._summary_line(result))

    def _summary_line(self, result: SearchResult | None) -> Text:
        if result is None:
            return Text("")
        count = len(result.hits)
        summary = tr("1 hit") if count == 1 else tr("{n} hits", n=count) if count else tr("Nothing was found.")
        line = Text().append(f" {summary}", "bold")
        return line.append(" · " + tr("by words only"), "yellow") if result.level >= Level.FULL_TEXT else line

    def _cells(self, hit: Hit) -> Cells:
        location = f"{hit.path.removeprefix('memory/')}:{hit.line}"
        if len(location) > _LOCATION_CHARS:
            location = location[: _LOCATION_CHARS // 2 - 1] + "…" + location[-_LOCATION_CHARS // 2 :]
        return [f"{hit.score:.2f}", Text(location, "cyan"), hit.snippet or hit.text]

    async def detail(self, row: Hit) -> Text:
        """Return the whole hit, with its location and why it was found."""
        text = Text().append(f"{row.path}:{row.line}\n", "bold cyan")
        about = " · ".join(filter(None, (day_and_time(row.time), tr(row.origin.value), row.speaker, tr(row.source))))
        text.append(f"{about}\n", "dim")
        field(text, tr("Heading"), row.heading)
        field(text, tr("Session"), row.scope.session)
        field(text, tr("Project"), row.scope.project)
        found = tr("Score") + f" {row.score:.3f} · " + tr("words {share}", share=f"{row.coverage:.0%}")
        if row.similarity is not None:
            found += " · " + tr("meaning {share}", share=f"{row.similarity:.2f}")
        field(text, tr("Why"), found)
        return text.append("\n").append(row.text)

    def empty_text(self) -> str:
        """Return what the search is for."""
        if self.field.value.strip():
            return ""
        return tr("Everything that was said, noted or remembered is searched, by words and by meaning.")
