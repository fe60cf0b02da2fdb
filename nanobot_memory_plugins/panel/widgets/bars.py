"""The one-line bars of the panel, in which keyboard and mouse meet."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widgets import Static


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
    """The names of the views, each with its number; the one that is shown stands out."""

    def show(self, names: Sequence[tuple[str, str]], current: str, width: int) -> None:
        """Show views by id and name. When there is no room for all names, the others shrink to their numbers."""
        needed = 1 + sum(cell_len(name) + 3 for _, name in names)
        line = Text(" ", no_wrap=True, overflow="crop")
        for number, (view, name) in enumerate(names, 1):
            is_current = view == current
            style = Style(meta={"@click": f"app.show('{view}')"})
            shown = f"{number} {name}" if needed <= width or is_current else f"{number}"
            line.append(shown, style + Style(bold=True, reverse=True) if is_current else style)
            line.append(" ")
        self.update(line)
