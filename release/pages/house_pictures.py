"""Draws the architecture from the imports: ``uv run python -m release.pages.house_pictures``.

It writes docs/pictures/house-*.svg. A box is a distribution, or a room of core, and is above those that it imports.
Implied arrows are left out. The files are reproducible, and load nothing.
"""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from release.house import ROOT, Arrows, House, layers

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
_BOX, _GAP, _ROW, _TOP = 30, 16, 84, 24
_LETTER = 7.6
_FONT = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def distributions(house: House) -> Arrows:
    """Return each distribution with those that it imports."""
    arrows: dict[str, set[str]] = {name: set() for name in house.distributions}
    for module, targets in house.imports.items():
        arrows[module.partition(".")[0]] |= {one.partition(".")[0] for one in targets}
    return {name: frozenset(others - {name}) for name, others in arrows.items()}


def reduced(arrows: Arrows) -> Arrows:
    """Return the arrows that are not implied by others."""
    beyond = {room: _beyond(others, arrows) for room, others in arrows.items()}
    return {room: others - beyond[room] for room, others in arrows.items()}


def _beyond(rooms: frozenset[str], arrows: Arrows) -> frozenset[str]:
    """Return the rooms that are reachable from ``rooms``."""
    found: set[str] = set()
    waiting = [one for room in rooms for one in arrows.get(room, ())]
    while waiting:
        room = waiting.pop()
        if room not in found:
            found.add(room)
            waiting += arrows.get(room, ())
    return frozenset(found)


def picture(title: str, arrows: Arrows) -> str:
    """Return the drawing of rooms, with the highest layer at the top."""
    rows = layers(arrows)[::-1]
    widths = {room: _LETTER * len(room) + 2 * _GAP for row in rows for room in row}
    width = max(sum(widths[room] + _GAP for room in row) for row in rows) + _GAP
    places: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        x = (width - sum(widths[room] + _GAP for room in row) + _GAP) / 2
        for room in row:
            places[room] = (x, _TOP + _GAP + number * _ROW)
            x += widths[room] + _GAP
    height = _TOP + _GAP + (len(rows) - 1) * _ROW + _BOX + _GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>',
        f'<g font-family="{_FONT}" font-size="12.5" text-anchor="middle">',
        f'<text x="{width / 2:.0f}" y="{_TOP - 4}" fill="#555555">{escape(title)}</text>',
        *_lines(places, widths, reduced(arrows)),
        *_boxes(places, widths),
        "</g></svg>",
    ]
    return "\n".join(lines) + "\n"


def _lines(places: Mapping[str, tuple[float, float]], widths: Mapping[str, float], arrows: Arrows) -> list[str]:
    found = []
    for room in sorted(arrows):
        for other in sorted(arrows[room]):
            (x, y), (to_x, to_y) = places[room], places[other]
            start, end = x + widths[room] / 2, to_x + widths[other] / 2
            middle = (y + _BOX + to_y) / 2
            found.append(
                f'<path d="M{start:.0f} {y + _BOX:.0f}C{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} {end:.0f} '
                f'{to_y:.0f}" fill="none" stroke="#9fb3c8"/>'
            )
    return found


def _boxes(places: Mapping[str, tuple[float, float]], widths: Mapping[str, float]) -> list[str]:
    return [
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{widths[room]:.0f}" height="{_BOX}" rx="5" fill="#eef4fa" '
        f'stroke="#486581"/><text x="{x + widths[room] / 2:.0f}" y="{y + 19.5:.1f}" fill="#102a43">'
        f"{escape(room)}</text>"
        for room, (x, y) in places.items()
    ]


def pictures() -> dict[str, str]:
    """Return the drawings by file name."""
    house = House(ROOT)
    return {
        "house-distributions.svg": picture("What stands on what: distributions", distributions(house)),
        "house-core.svg": picture("What stands on what: the rooms of core", house.rooms("core")),
    }


if __name__ == "__main__":
    for name, text in pictures().items():
        (PICTURES / name).write_text(text, encoding="utf-8", newline="\n")
