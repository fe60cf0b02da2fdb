"""Searching as one types: what is found, where it stands, and why."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Input

from nanobot_memory_plugins.core import Hit, Level, SearchResult
from nanobot_memory_plugins.panel.views.base import field
from nanobot_memory_plugins.panel.views.entry_detail import day_and_time
from nanobot_memory_plugins.panel.views.forgetting import Forgettable, ForgettingView, parts_of
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.highlight import highlighted, pattern_of
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList

_LIMIT = 50
# Seconds without a key after which a search begins.
_TYPING_DELAY = 0.12
# Of a text so many characters are surely seen in the list; a match behind them is shown with some before it.
_SEEN, _BEFORE = 28, 12
# What the heading of a scored entry says, in its file.
_KINDS = ("preference", "fact", "experience", "workflow", "decision", "skill_usage", "todo")


class SearchView(ForgettingView):
    """The search."""

    name_of_view = "Search"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "ask", show=False),
        Binding("escape", "focus_rows", show=False),
        Binding("x", "helpful", show=False),
    ]

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._typing: Timer | None = None
        self._pattern: re.Pattern[str] | None = None
        self.found = ""

    def rows(self) -> RowList[Any]:
        """Return the list."""
        t = self.words
        return RowList[Hit](
            (
                Column(t("Score"), 5, right=True),
                Column(t("Where"), 28, from_width=60),
                Column(t("Day"), 10, from_width=90),
                Column(t("Text"), 0),
            ),
            self._cells,
            key=lambda hit: hit.id,
            empty="",
        )

    def above(self) -> ComposeResult:
        """Yield the field for the words."""
        yield Input(placeholder=self.words("Search: words, or a question"), id="query", compact=True)

    def key_list(self) -> list[BarKey]:
        """Return the keys."""
        t = self.words
        return [
            BarKey("/", "ask", t("New search")),
            BarKey("↑↓", "focus_rows", t("Through the hits")),
            BarKey("f", "forget", t("Forget")),
            BarKey("x", "helpful", t("Helped or not")),
        ]

    def focus_list(self) -> None:
        """Begin in the field."""
        self.query_one("#query", Input).focus()

    def action_ask(self) -> None:
        """Go back to the words."""
        self.focus_list()

    def action_focus_rows(self) -> None:
        """Go to the hits."""
        self.list.focus()

    def action_helpful(self) -> None:
        """Say that the hit under the cursor does not help, or that it does after all: recall puts it one step later."""
        hit, t = self.list.current, self.words
        if hit is None:
            return
        marks = self.memory.unhelpful
        helped = hit.id in marks.ids()
        done = t("Recalled as before.") if helped else t("Recalled one step later from now on. x takes it back.")
        self.panel.change(lambda: marks.say(hit.id, helped=helped) or None, done)

    def action_forget(self) -> None:
        """Forget the message or note under the cursor for good, after a look at the lines that go."""
        hit = self.list.current
        if hit is not None and hit.source == "long_term":
            self.panel.say(self.words("Memories are forgotten in their own view (1)."), severity="warning")
        else:
            super().action_forget()

    async def forgettable(self, row: Hit) -> Sequence[Forgettable]:
        """Return the hit."""
        return [Forgettable("", parts_of(row))]

    def on_key(self, event: Any) -> None:
        """Lead the arrow keys from the field into the list."""
        if event.key in ("down", "pagedown") and self.query_one("#query", Input).has_focus:
            event.stop()
            self.list.focus()

    async def load(self) -> None:
        """Search again."""
        await self._search()

    @on(Input.Changed, "#query")
    def _typed(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(_TYPING_DELAY, self._begin)

    @on(Input.Submitted, "#query")
    def _submitted(self) -> None:
        self.list.focus()

    def _begin(self) -> None:
        self.run_worker(self._search(), group="search", exclusive=True)

    async def _search(self) -> None:
        query = self.query_one("#query", Input).value.strip()
        if not query or not self.memory.is_open:
            self._pattern = None
            self.list.set_rows(())
            self.line.update(self._line(None))
            return
        try:
            result = await self.memory.search(query, _LIMIT)
        except Exception as error:
            self.panel.complain(error)
            return
        self._pattern = pattern_of(query)
        self.list.action_move_to(0)
        self.list.set_rows(result.hits)
        self.list.action_move_to(0)
        self.found = query
        self.line.update(self._line(result))

    def _line(self, result: SearchResult | None) -> Text:
        t = self.words
        if self.memory.is_open and self.memory.store is None:
            return Text(t(" There is no index: install nanobot-memory-storage, or switch it on."), "yellow")
        if result is None:
            return Text("")
        count = len(result.hits)
        said = t("1 hit") if count == 1 else t("{n} hits", n=count) if count else t("Nothing was found.")
        line = Text(f" {said}", "bold")
        if result.level >= Level.FULL_TEXT:
            line.append(" · " + t("by words only"), "yellow")
        return line

    def _cells(self, hit: Hit) -> list[Text | str]:
        where = Text(_shortened(f"{hit.path.removeprefix('memory/')}:{hit.line}", 28), "cyan")
        day = f"{hit.time.astimezone():%Y-%m-%d}" if hit.time else ""
        text = self._from_the_match(" ".join((hit.snippet or hit.text).split()))
        return [f"{hit.score:.2f}", where, day, highlighted(text, self._pattern)]

    def _from_the_match(self, text: str) -> str:
        """Return a text from shortly before its first match on, so that it is seen."""
        match = self._pattern.search(text) if self._pattern is not None else None
        if match is None or match.end() <= _SEEN:
            return text
        return "…" + text[match.start() - _BEFORE :]

    async def detail(self, row: Hit) -> Text:
        """Return a hit whole, with its place."""
        t, text = self.words, Text()
        text.append(f"{row.path}:{row.line}\n", "bold cyan")
        about = " · ".join(filter(None, (day_and_time(row.time), t(row.origin.value), row.speaker, t(row.source))))
        text.append(f"{about}\n", "dim")
        field(text, t("Heading"), t(row.heading) if row.heading in _KINDS else row.heading)
        field(text, t("Session"), row.scope.session)
        field(text, t("Project"), row.scope.project)
        if row.id in await self.memory.run(self.memory.unhelpful.ids):
            text.append(t("It is said not to help, and recalled one step later.") + "\n", "yellow")
        found = t("Score") + f" {row.score:.3f} · " + t("words {share}", share=f"{row.coverage:.0%}")
        if row.similarity is not None:
            found += " · " + t("meaning {share}", share=f"{row.similarity:.2f}")
        text.append(f"{found}\n\n", "dim")
        return text.append_text(highlighted(row.text, self._pattern))

    def nothing(self) -> Text:
        """Return what the search is for."""
        if self.query_one("#query", Input).value.strip():
            return Text("")
        return Text(
            self.words("Everything that was said, noted or remembered is searched, by words and by meaning."), "dim"
        )


def _shortened(where: str, width: int) -> str:
    """Return a place with its middle left out when it is too long: the line number counts most."""
    return where if len(where) <= width else where[: width // 2 - 1] + "…" + where[-(width - width // 2) :]
