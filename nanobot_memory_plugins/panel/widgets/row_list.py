"""A list of rows of which only those on the screen are drawn, however many there are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from nanobot_memory_plugins.redaction.script.printable import one_line

RowType = TypeVar("RowType")

_WHEEL_ROWS = 3
_GAP = 1


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``width`` in cells, 0 for what the others leave. ``from_width`` is the list's width that shows it."""

    title: str
    width: int
    right: bool = False
    from_width: int = 0


class RowList(ScrollView, Generic[RowType], can_focus=True):
    """Rows with a cursor and marks.

    ``cells`` returns what a row shows, one text a column; it is called for the rows on the screen alone. ``key`` names
    a row, so that cursor and marks stay with it when the rows are read anew.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--header", "rows--cursor", "rows--marked", "rows--dim"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "move_to(0)", show=False),
        Binding("end", "move_to(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    cursor: reactive[int] = reactive(0, repaint=True)

    class Moved(Message):
        """The cursor stands on another row, or the rows are new."""

        def __init__(self, rows: "RowList[object]") -> None:
            self.rows = rows
            super().__init__()

        @property
        def control(self) -> "RowList[object]":
            """The list."""
            return self.rows

    class Chosen(Moved):
        """Enter, or a click on the row under the cursor."""

    def __init__(
        self,
        columns: Sequence[Column],
        cells: Callable[[RowType], Sequence[Text | str]],
        *,
        key: Callable[[RowType], str],
        dim: Callable[[RowType], bool] = lambda _row: False,
        empty: str = "",
        id: str | None = None,  # noqa: A002  # as Textual has it
    ) -> None:
        super().__init__(id=id)
        self._columns = columns
        self._cells = cells
        self._key = key
        self._dim = dim
        self.empty = empty
        self.rows: Sequence[RowType] = ()
        self.marked: set[str] = set()

    # --- what stands in it ------------------------------------------------------------------------------------

    @property
    def current(self) -> RowType | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def set_rows(self, rows: Sequence[RowType]) -> None:
        """Show other rows. The cursor stays on its row, or where that was."""
        kept = self._key(self.current) if self.current is not None else None
        self.rows = rows
        index = min(self.cursor, max(0, len(rows) - 1))
        if kept is not None and not (index < len(rows) and self._key(rows[index]) == kept):
            index = next((number for number, row in enumerate(rows) if self._key(row) == kept), index)
        self._measure()
        self.cursor = index
        self._show_cursor()
        self.refresh()
        self.post_message(self.Moved(self))  # type: ignore[arg-type]  # whose rows, the receiver knows

    def toggle_mark(self) -> None:
        """Mark the row under the cursor, or take its mark away, and go on to the next."""
        if self.current is not None:
            self.marked ^= {self._key(self.current)}
            self.refresh()
            self.action_move(1)

    def clear_marks(self) -> None:
        """Take all marks away."""
        self.marked = set()
        self.refresh()

    # --- moving -----------------------------------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        """Move the cursor by some rows."""
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + rows))

    def action_page(self, pages: int) -> None:
        """Move the cursor by as much as is on the screen."""
        self.action_move(pages * max(1, self.size.height - 2))

    def action_move_to(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last one."""
        self.cursor = max(0, len(self.rows) - 1) if index < 0 else min(index, max(0, len(self.rows) - 1))

    def action_choose(self) -> None:
        """Say that the row under the cursor was chosen."""
        if self.current is not None:
            self.post_message(self.Chosen(self))  # type: ignore[arg-type]

    def watch_cursor(self, before: int, after: int) -> None:
        """Keep the cursor in view, and say that it moved."""
        if before != after:
            self._show_cursor()
            self.post_message(self.Moved(self))  # type: ignore[arg-type]

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a click on the cursor chooses."""
        index = self.scroll_offset.y + event.y - 1
        if event.y >= 1 and index < len(self.rows):
            if index == self.cursor:
                self.action_choose()
            self.cursor = index

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll, and leave the cursor."""
        event.stop()
        self.scroll_to(y=self.scroll_offset.y + _WHEEL_ROWS, animate=False)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll, and leave the cursor."""
        event.stop()
        self.scroll_to(y=self.scroll_offset.y - _WHEEL_ROWS, animate=False)

    def on_resize(self) -> None:
        """Measure again."""
        self._measure()
        self._show_cursor()

    def _measure(self) -> None:
        # One line more than rows: the header stays on top of the first.
        self.virtual_size = Size(self.size.width, len(self.rows) + 1)

    def _show_cursor(self) -> None:
        visible, top = self.size.height - 1, self.scroll_offset.y
        if visible <= 0:
            return
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + visible:
            self.scroll_to(y=self.cursor - visible + 1, animate=False, force=True)

    # --- drawing ----------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.scrollable_content_region.width
        if y == 0:
            style = self.get_component_rich_style("rows--header")
            return self._line([column.title for column in self._columns], width, style, " ")
        index = self.scroll_offset.y + y - 1
        if index >= len(self.rows):
            if not self.rows and y == 1 + (self.size.height - 1) // 3 and self.empty:
                style = self.get_component_rich_style("rows--dim")
                return Strip([Segment(_fitted(Text(f"  {self.empty}"), width).plain, style)], width)
            return Strip.blank(width, self.rich_style)
        row = self.rows[index]
        is_marked = self._key(row) in self.marked
        name = "rows--cursor" if index == self.cursor else "rows--marked" if is_marked else ""
        name = name or ("rows--dim" if self._dim(row) else "")
        style = self.get_component_rich_style(name) if name else self.rich_style
        return self._line(self._cells(row), width, style, "●" if is_marked else " ")

    def _line(self, cells: Sequence[Text | str], width: int, style: Style, mark: str) -> Strip:
        line = Text(f"{mark} ", no_wrap=True, end="")
        for cell, column, size in zip(cells, self._columns, self._sizes(width), strict=True):
            if size > 0:
                text = cell.copy() if isinstance(cell, Text) else Text(cell)
                line.append_text(_fitted(text, size, right=column.right))
                line.append(" " * _GAP)
        segments = list(_fitted(line, width).render(self.app.console))
        return Strip(Segment.apply_style(segments, style), width)

    def _sizes(self, width: int) -> list[int]:
        """Return the width of each column, 0 for one that there is no room for."""
        sizes = [0 if self.size.width < column.from_width else column.width or -1 for column in self._columns]
        taken = 2 + sum(size + _GAP for size in sizes if size > 0) + _GAP * sizes.count(-1)
        left = max(1, (width - taken) // max(1, sizes.count(-1)))
        return [left if size == -1 else size for size in sizes]


def _fitted(text: Text, width: int, *, right: bool = False) -> Text:
    """Return a text on one line of exactly ``width`` cells; wide characters are never cut in half."""
    plain = one_line(text.plain)
    if plain != text.plain:
        text.plain = plain
    text.truncate(width, overflow="ellipsis")
    missing = width - cell_len(text.plain)
    if missing > 0:
        text.pad_left(missing) if right else text.pad_right(missing)
    text.end = ""
    return text
