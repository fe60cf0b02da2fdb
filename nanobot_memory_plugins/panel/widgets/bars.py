"""The bars of the panel, of one line or a few, in which keyboard and mouse meet."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widgets import Static

# Of a line so many cells may stay empty before a name that is too long for them.
_LONGEST_NAME = 16
VIEW_KEYS = "1234567890-"
"""The keys of the views, in their order."""


class BarKey(NamedTuple):
    """A key, the action of the app or view that it stands for, and what it does, in a word."""

    key: str
    action: str
    label: str


class KeyBar(Static):
    """Says which keys there are; a click does what the key does. What finds no room is left out."""

    def show(self, keys: Sequence[BarKey], width: int, lines: int = 1) -> None:
        """Show keys, the most important first, on a number of lines; the last one always has its place."""
        last = keys[-1:] if len(keys) > 1 else []
        room = [width] * (lines - 1) + [width - sum(_width(key) for key in last)]
        rows: list[list[BarKey]] = [[] for _ in room]
        for key in keys[: len(keys) - len(last)]:
            at = next((number for number, left in enumerate(room) if _width(key) <= left), None)
            if at is not None:
                rows[at].append(key)
                room[at] -= _width(key)
        room[-1] = width  # what was kept for the last one
        at = next((number for number, left in enumerate(room) if all(_width(key) <= left for key in last)), -1)
        rows[at] += last
        self.update(Text("\n", no_wrap=True, overflow="crop").join(_line(row) for row in rows if row))


def _line(keys: Sequence[BarKey]) -> Text:
    line = Text(no_wrap=True, overflow="crop")
    for key in keys:
        action = Style(meta={"@click": key.action})
        line.append(f" {key.key} ", Style(bold=True, reverse=True) + action)
        line.append(f" {key.label}  ", action)
    return line


def _width(key: BarKey) -> int:
    return cell_len(key.key) + cell_len(key.label) + 5


class ViewBar(Static):
    """The names of the views, each with its key; the one that is shown stands out."""

    def show(self, names: Sequence[tuple[str, str]], current: str, width: int, most: int = 2) -> None:
        """Show views by id and name, on more lines where one is too short; where ``most`` are, by their keys alone."""
        lines, room = [Text(" ", no_wrap=True, overflow="crop")], width - 1
        is_short = most + sum(cell_len(name) + 3 for _, name in names) > most * width - (most - 1) * _LONGEST_NAME
        for key, (view, name) in zip(VIEW_KEYS, names, strict=False):
            is_current = view == current
            shown = key if is_short and not is_current else f"{key} {name}"
            if (need := cell_len(shown) + 1) > room:
                lines.append(Text(" ", no_wrap=True, overflow="crop"))
                room = width - 1
            room -= need
            style = Style(meta={"@click": f"app.show('{view}')"})
            lines[-1].append(shown, style + Style(bold=True, reverse=True) if is_current else style).append(" ")
        self.update(Text("\n", no_wrap=True, overflow="crop").join(lines))
