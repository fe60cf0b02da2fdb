"""A line of numbers as a small chart of block characters."""

from collections.abc import Sequence

BLOCKS = " ▁▂▃▄▅▆▇█"
_STEPS = len(BLOCKS) - 1
_PARTS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def column_chart(values: Sequence[float], height: int, *, highest: float = 1.0) -> list[str]:
    """Return ``height`` lines, the uppermost first, with one column a value from 0 to ``highest``.

    A value above 0 is never drawn as nothing.
    """
    filled = [_eighths(value, height, highest) for value in values]
    return [
        "".join(BLOCKS[max(0, min(_STEPS, eighths - (height - 1 - line) * _STEPS))] for eighths in filled)
        for line in range(height)
    ]


def bar(value: float, width: int, *, highest: float = 1.0) -> str:
    """Return one bar of at most ``width`` cells, to an eighth of a cell. A value above 0 is never drawn as nothing."""
    eighths = _eighths(value, width, highest)
    return "█" * (eighths // _STEPS) + _PARTS[eighths % _STEPS]


def _eighths(value: float, size: int, highest: float) -> int:
    if value <= 0 or highest <= 0:
        return 0
    return max(1, round(min(value, highest) / highest * size * _STEPS))
