"""The base class of the views: a list, the detail of the row under the cursor, and the refresh."""

from abc import abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical, VerticalScroll
from textual.widgets import DataTable, Input, Static

from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.panel.memory import PanelMemory, error_text
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.redaction.script.printable import one_line, printable

# The most rows in a list. A filter narrows down longer ones.
MAX_ROWS = 1_000
# How many characters of a text a cell shows.
_CELL_CHARS = 300

Cells = Sequence[Text | str]


class View(Container):
    """One view of the panel. Subclasses fill the list in `load` and describe a row in `detail`.

    A method ``do_<name>`` is the view's action of that name. ``columns`` are the headings of the list with their
    widths, 0 for the width of the text. ``field_text`` is the placeholder of the field above the list, if there is one.
    ``needs`` names what the plugins must provide for the view to exist: ``entries``, or ``store``.
    """

    name_of_view: ClassVar[str] = ""
    needs: ClassVar[str] = ""
    columns: ClassVar[Sequence[tuple[str, int]]] = ()
    field_text: ClassVar[str] = ""
    hides_field: ClassVar[bool] = False
    shows_end: ClassVar[bool] = False

    def __init__(self, memory: PanelMemory, *, id: str) -> None:  # noqa: A002  # as in Textual
        super().__init__(id=id, classes="view")
        self.memory = memory
        self.loaded_version: str | None = None
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
        index = self.table.cursor_row
        return self.rows[index] if 0 <= index < len(self.rows) else None

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

    # --- for subclasses ---------------------------------------------------------------------------------------

    def version(self) -> str:
        """Return a text that changes when the view must be reloaded. It is called in a thread, every second."""
        return ""

    @abstractmethod
    async def load(self) -> None:
        """Read the data of the view, and fill the list."""

    @abstractmethod
    async def detail(self, row: Any) -> Text:
        """Return the detail of a row."""

    def empty_text(self) -> str:
        """Return the text next to an empty list."""
        return tr("There is nothing here.")

    # --- loading ----------------------------------------------------------------------------------------------

    async def refresh_view(self, *, force: bool = False) -> None:
        """Reload when the data has changed. A failure is shown as a notification, and the view stays as it was."""
        try:
            version = await run_in_daemon_thread(self.version)
            if force or version != self.loaded_version:
                await self.load()
                self.loaded_version = version
        except Exception as error:
            self.panel.notify_error(error)

    def focus_list(self) -> None:
        """Focus the list."""
        self.table.focus()

    def fill(self, rows: Sequence[Any], cells: Callable[[Any], Cells], key: Callable[[Any], str] = repr) -> None:
        """Show rows, and keep the cursor on the same row."""
        row_before, index = self.current, self.table.cursor_row
        key_before = key(row_before) if row_before is not None else None
        self.rows = rows[:MAX_ROWS]
        self.table.clear()
        for row in self.rows:
            self.table.add_row(*map(_cell, cells(row)))
        index = next((n for n, row in enumerate(self.rows) if key(row) == key_before), min(index, len(self.rows) - 1))
        if self.rows:
            self.table.move_cursor(row=max(0, index))
        self.show_detail()

    @on(DataTable.RowHighlighted)
    def show_detail(self) -> None:
        """Show the detail of the row under the cursor."""
        self.begin(self._show_detail, f"detail of {self.id}")

    async def _show_detail(self) -> None:
        row = self.current
        try:
            text = await self.detail(row) if row is not None else Text(self.empty_text(), "dim")
        except Exception as error:
            text = Text(error_text(error), "red")
        if (plain := printable(text.plain)) != text.plain:
            text.plain = plain
        self.pane.update(text)
        for scroll in self.query(VerticalScroll):
            scroll.scroll_end(animate=False) if self.shows_end else scroll.scroll_home(animate=False)

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]], group: str = "") -> None:
        """Start work in a worker, which replaces earlier work of its group. A failure is shown as a notification."""

        async def run() -> None:
            try:
                await work()
            except Exception as error:
                self.panel.notify_error(error)

        self.run_worker(cast(Any, run), group=group or f"work of {self.id}", exclusive=True)

    def warn(self, text: str) -> None:
        """Show why an action does nothing here."""
        self.panel.say(text, severity="warning")


def field(text: Text, name: str, value: str, style: str = "") -> None:
    """Append a line with a name and a value to a text, unless the value is empty."""
    if value:
        text.append(f"{name}  ", "dim").append(f"{value}\n", style)


def _cell(cell: Text | str) -> Text:
    """Return a cell on one line, without control characters and never parsed as markup."""
    text = cell if isinstance(cell, Text) else Text(cell)
    text.plain = one_line(text.plain)[:_CELL_CHARS]
    text.no_wrap = True
    return text
