"""What the views have in common: a list, what is known of the row under the cursor, and reading anew."""

from abc import abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import DataTable, Input, Static

from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.panel.memory import PanelMemory, reason_of
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.redaction.script.printable import one_line, printable

# Rows that a list shows: nobody reads more, and words narrow them down.
MOST_ROWS = 1_000
# Of a text a row shows its beginning.
_CELL = 300

Cells = Sequence[Text | str]


class View(Container):
    """One view of the panel. Subclasses fill the list in `load` and describe a row in `detail`.

    A method ``do_<name>`` is what the key of that name does in the view. ``columns`` are the headings of the list, with
    a width each, 0 for what the text takes; ``field_text`` is the text in the field above it, if there is one.
    ``needs`` is what the host must have for the view to be there: ``entries``, or ``store``.
    """

    name_of_view: ClassVar[str] = ""
    needs: ClassVar[str] = ""
    columns: ClassVar[Sequence[tuple[str, int]]] = ()
    field_text: ClassVar[str] = ""
    hides_field: ClassVar[bool] = False
    shows_end: ClassVar[bool] = False

    def __init__(self, memory: PanelMemory, *, id: str) -> None:  # noqa: A002  # as Textual has it
        super().__init__(id=id, classes="view")
        self.memory = memory
        self.seen: str | None = None
        self.rows: Sequence[Any] = ()
        self.table: DataTable[Text | str] = DataTable(cursor_type="row", zebra_stripes=False)
        self.line = Static("", classes="line", markup=False)
        self.pane = Static("", markup=False)
        self.field = Input(placeholder=tr(self.field_text), classes="hidden" if self.hides_field else "", compact=True)

    @property
    def panel(self) -> Any:
        """The application, `PanelApp`, which imports its views."""
        return self.app

    @property
    def current(self) -> Any:
        """The row under the cursor, or None."""
        at = self.table.cursor_row
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def compose(self) -> ComposeResult:
        """Compose the widgets: a field, a line, the list, and the pane next to it or below it."""
        if self.field_text:
            yield self.field
        with Container(classes="halves"):
            with Vertical(classes="half"):
                yield self.line
                yield self.table
            with VerticalScroll(classes="detail"):
                yield self.pane

    def on_mount(self) -> None:
        """Name the columns."""
        for label, width in self.columns:
            self.table.add_column(tr(label), width=width or None)

    # --- what each view says ----------------------------------------------------------------------------------

    def version(self) -> str:
        """Return a text that changes when the view must be read anew. Called in a thread, each second."""
        return ""

    @abstractmethod
    async def load(self) -> None:
        """Read what the view shows, and fill the list."""

    @abstractmethod
    async def detail(self, row: Any) -> Text:
        """Return what is known of a row."""

    def nothing(self) -> str:
        """Return what to show next to an empty list."""
        return tr("There is nothing here.")

    # --- reading ----------------------------------------------------------------------------------------------

    async def refresh_view(self, *, force: bool = False) -> None:
        """Read anew when something has changed. What fails is said, and the view stays as it was."""
        try:
            version = await run_in_daemon_thread(self.version)
            if force or version != self.seen:
                await self.load()
                self.seen = version
        except Exception as error:
            self.panel.complain(error)

    def focus_list(self) -> None:
        """Put the keyboard where it belongs."""
        self.table.focus()

    def fill(self, rows: Sequence[Any], cells: Callable[[Any], Cells], key: Callable[[Any], str] = repr) -> None:
        """Show rows; the cursor stays on the one that it was on."""
        before, at = self.current, self.table.cursor_row
        was = key(before) if before is not None else None
        self.rows = rows[:MOST_ROWS]
        self.table.clear()
        for row in self.rows:
            self.table.add_row(*map(_cell, cells(row)))
        place = next((n for n, row in enumerate(self.rows) if key(row) == was), min(at, len(self.rows) - 1))
        if self.rows:
            self.table.move_cursor(row=max(0, place))
        self.show_detail()

    @on(DataTable.RowHighlighted)
    def show_detail(self) -> None:
        """Show what is known of the row under the cursor."""
        self.begin(self._show_detail, f"detail of {self.id}")

    async def _show_detail(self) -> None:
        row = self.current
        try:
            text = await self.detail(row) if row is not None else Text(self.nothing(), "dim")
        except Exception as error:
            text = Text(reason_of(error), "red")
        if (plain := printable(text.plain)) != text.plain:
            text.plain = plain
        self.pane.update(text)
        for scroll in self.query(VerticalScroll):
            scroll.scroll_end(animate=False) if self.shows_end else scroll.scroll_home(animate=False)

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]], group: str = "") -> None:
        """Begin some work in place of what was begun before it. What fails is said."""

        async def done() -> None:
            try:
                await work()
            except Exception as error:
                self.panel.complain(error)

        self.run_worker(cast(Any, done), group=group or f"work of {self.id}", exclusive=True)

    def warn(self, text: str) -> None:
        """Say why a key does nothing here."""
        self.panel.say(text, severity="warning")


def field(text: Text, name: str, value: str, style: str = "") -> None:
    """Add a line with a name and a value to a text; an empty value adds nothing."""
    if value:
        text.append(f"{name}  ", "dim").append(f"{value}\n", style)


def _cell(cell: Text | str) -> Text:
    """Return a cell on one line, without what steers a terminal, and never read as markup."""
    text = cell if isinstance(cell, Text) else Text(cell)
    text.plain = one_line(text.plain)[:_CELL]
    text.no_wrap = True
    return text
