"""Console output of commands: text reaches the terminal without escape sequences or other control characters."""

import os
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from rich import box, markup
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from nanobot_memory_plugins.redaction.script.printable import one_line, printable

# The width of tables written to a pipe or a file, in columns.
_PIPE_WIDTH = 160


class PrintableConsole(Console):
    """A console that removes control characters from everything it prints, except its own control codes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments, each made printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else printable_segment(segment)


def console(*, stderr: bool = False, wraps: bool = False) -> Console:
    """Return a console for lines of text, or with ``wraps`` for tables and bars that fit the terminal's width."""
    out = PrintableConsole(stderr=stderr, soft_wrap=not wraps, highlight=wraps)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = _PIPE_WIDTH
    return out


def printable_segment(segment: Segment) -> Segment:
    """Return a segment without control characters, padded to its former width."""
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
    """Print a table without its empty columns.

    ``whole`` holds the indexes of the columns whose cells are not wrapped, ``right`` those that are right-aligned.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    filled = [number for number in range(len(headings)) if any(cells[number] for cells in rows)]
    for number in filled:
        justify: Literal["right", "left"] = "right" if number in right else "left"
        table.add_column(headings[number], overflow="fold", no_wrap=number in whole, justify=justify)
    for cells, style in zip(rows, [*styles] or [""] * len(rows), strict=True):
        table.add_row(*(cells[number] for number in filled), style=style)
    out.print(table)
