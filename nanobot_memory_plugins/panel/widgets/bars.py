"""The one-line bars of the panel, in which keyboard and mouse meet."""

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


class Key(NamedTuple):
    """A key, the action of the app or view that it stands for, and what it does, in a word."""

    key: str
    action: str
    label: str


class KeyBar(Static):
    """Says which keys there are; a click does what the key does. What finds no room is left out."""

    def show(self, keys: Sequence[Key], width: int) -> None:
        """Show keys, the most important first; the last one always has its place."""
        line = Text(no_wrap=True, overflow="crop")
        last = keys[-1:] if len(keys) > 1 else []
        room = width - sum(_width(key) for key in last)
        for key in [*keys[: len(keys) - len(last)], *last]:
            need = _width(key)
            if key not in last:
                if need > room:
                    continue
                room -= need
            action = Style(meta={"@click": key.action})
            line.append(f" {key.key} ", Style(bold=True, reverse=True) + action)
            line.append(f" {key.label}  ", action)
        self.update(line)


def _width(key: Key) -> int:
    return cell_len(key.key) + cell_len(key.label) + 5


class ViewBar(Static):
    """The names of the views, each with its key; the one that is shown stands out."""

    def show(self, names: Sequence[tuple[str, str]], current: str, width: int) -> None:
        """Show views by id and name, on two lines where one is too short; where both are, by their keys alone."""
        lines, room = [Text(" ", no_wrap=True, overflow="crop")], width - 1
        is_short = 2 + sum(cell_len(name) + 3 for _, name in names) > 2 * width - _LONGEST_NAME
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
