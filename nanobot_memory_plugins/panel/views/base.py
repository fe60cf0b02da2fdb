"""What the views have in common: a list, what is known of the row under the cursor, and reading anew."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Protocol, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widgets import Static

from nanobot_memory_plugins.core.values import EntryRun
from nanobot_memory_plugins.panel.language import PanelWords
from nanobot_memory_plugins.panel.memory import PanelMemory, reason_of
from nanobot_memory_plugins.panel.widgets.bars import BarKey
from nanobot_memory_plugins.panel.widgets.row_list import RowList
from nanobot_memory_plugins.redaction.script.printable import printable

# A key answers first; what is known of the row follows when the cursor rests this long, in seconds.
_DETAIL_DELAY = 0.06


class Panel(Protocol):
    """What a view asks of the application around it."""

    def change(self, work: Callable[[], object], done: str, then: Callable[[], None] = lambda: None) -> None:
        """Do in a thread what changes something, say that it is done, and show it."""
        ...

    async def changed(self, work: Callable[[], object], done: str, then: Callable[[], None] = lambda: None) -> bool:
        """Do the same, and return whether it went well once it is shown."""
        ...

    def ask_undo(self, run: EntryRun) -> None:
        """Take a run back, when that is meant."""
        ...

    def say(self, text: str, *, severity: Literal["information", "warning", "error"] = "information") -> None:
        """Say something for a few seconds."""
        ...

    def complain(self, error: BaseException) -> None:
        """Say what went wrong, and what helps."""
        ...


class Detail(VerticalScroll):
    """What is known of one row."""

    def compose(self) -> ComposeResult:
        """Compose the widgets."""
        yield Static("", markup=False)

    def show(self, text: Text, *, at_end: bool = False) -> None:
        """Show a text from its beginning, or its end."""
        plain = printable(text.plain)
        if plain != text.plain:
            text.plain = plain
        for line in self.query(Static):  # none, when the panel is closing
            line.update(text)
        self.scroll_end(animate=False) if at_end else self.scroll_home(animate=False)

    @property
    def text_width(self) -> int:
        """The cells that a line may take."""
        return max(20, self.scrollable_content_region.width - 1)


class View(Container):
    """One view of the panel. Subclasses make the list in `rows`, fill it in `load` and describe a row in `detail`."""

    name_of_view: ClassVar[str] = ""

    def __init__(self, memory: PanelMemory, words: PanelWords, *, id: str) -> None:  # noqa: A002  # as Textual has it
        super().__init__(id=id, classes="view")
        self.memory = memory
        self.words = words
        self.seen: str | None = None
        self._timer: Timer | None = None
        self.list = self.rows()
        self.line = Static("", classes="line", markup=False)
        self.pane = Detail(classes="detail")

    @property
    def panel(self) -> Panel:
        """The application."""
        return cast(Panel, self.app)

    def compose(self) -> ComposeResult:
        """Compose the widgets: a line, the list, and the pane beside or below it."""
        yield from self.above()
        with Container(classes="halves"):
            with Vertical(classes="half"):
                yield self.line
                yield self.list
            yield self.pane

    # --- what each view says ----------------------------------------------------------------------------------

    def rows(self) -> RowList[Any]:
        """Return the list."""
        raise NotImplementedError

    def above(self) -> ComposeResult:
        """Yield what stands above the list."""
        yield from ()

    def key_list(self) -> list[BarKey]:
        """Return the keys of the view, the most important first."""
        return []

    def version(self) -> str:
        """Return a text that changes when the view must be read anew. Called in a thread, each second."""
        return ""

    async def load(self) -> None:
        """Read what the view shows, and fill the list."""
        raise NotImplementedError

    async def detail(self, row: Any) -> Text:
        """Return what is known of a row."""
        raise NotImplementedError

    def nothing(self) -> Text:
        """Return what to show beside an empty list."""
        return Text("")

    @property
    def shows_end(self) -> bool:
        """Whether the end of what is known matters most."""
        return False

    # --- reading ----------------------------------------------------------------------------------------------

    async def refresh_view(self, *, force: bool = False) -> None:
        """Read anew when something has changed. What fails is said, and the view stays as it was."""
        try:
            version = await self.memory.run(self.version)
            if force or version != self.seen:
                await self.load()
                self.seen = version
        except Exception as error:
            self.panel.complain(error)

    def focus_list(self) -> None:
        """Put the keyboard where it belongs."""
        self.list.focus()

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_DETAIL_DELAY, self.begin_detail)

    def begin_detail(self) -> None:
        """Show what is known of the row under the cursor."""
        self.run_worker(self._show_detail(), group=f"detail of {self.id}", exclusive=True)

    async def _show_detail(self) -> None:
        row = self.list.current
        try:
            text = await self.detail(row) if row is not None else self.nothing()
        except Exception as error:
            text = Text(reason_of(error, self.words), "red")
        self.pane.show(text, at_end=self.shows_end and row is not None)


def field(text: Text, name: str, value: str, style: str = "") -> None:
    """Add a line with a name and a value to a text; an empty value adds nothing."""
    if value:
        text.append(f"{name}  ", "dim").append(f"{value}\n", style)
