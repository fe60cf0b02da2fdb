"""Everything that a command shows to people goes through here, and reaches the terminal without what steers one."""

import os
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from rich import box, markup
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from nanobot_memory_plugins.redaction.script.printable import one_line, printable

# Columns of a table that goes into a pipe or a file.
_WIDE = 160


class PrintableConsole(Console):
    """A console that prints no control but its own, whatever it is handed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments, each fit to be shown."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else printable_segment(segment)


def console(*, stderr: bool = False, wraps: bool = False) -> Console:
    """Return a console for lines, or with ``wraps`` for tables and bars, which know the terminal's width."""
    made = PrintableConsole(stderr=stderr, soft_wrap=not wraps, highlight=wraps)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = _WIDE  # a pipe and a file have no edge
    return made


def printable_segment(segment: Segment) -> Segment:
    """Return a segment of the same width, fit to be shown."""
    text = printable(segment.text, control="").replace("\r", "")
    if text == segment.text:
        return segment
    missing = cell_len(segment.text) - cell_len(text)
    return Segment(text + " " * missing, segment.style, segment.control)


def escape(text: object) -> str:
    """Return a text for part of a line of `console`: line breaks and markup have no effect."""
    return markup.escape(one_line(str(text)))


def show_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    out: Console,
    *,
    styles: Iterable[str] = (),
    whole: Collection[int] = (),
    right: Collection[int] = (),
) -> None:
    """Show a table without the columns that would be empty.

    The columns that are ``whole`` are not broken, and those on the ``right`` hold numbers.
    """
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    filled = [number for number in range(len(headings)) if any(cells[number] for cells in rows)]
    for number in filled:
        justify: Literal["right", "left"] = "right" if number in right else "left"
        made.add_column(headings[number], overflow="fold", no_wrap=number in whole, justify=justify)
    for cells, style in zip(rows, [*styles] or [""] * len(rows), strict=True):
        made.add_row(*(cells[number] for number in filled), style=style)
    out.print(made)
