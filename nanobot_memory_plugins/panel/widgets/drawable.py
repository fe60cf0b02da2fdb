"""What may reach a terminal: no control characters ever, and nothing but ASCII where it knows nothing else."""

import re

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

# What a stored text could do a terminal harm with: escapes, and marks that turn the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_INSTEAD = "\ufffd"

_ALIKE = str.maketrans(
    {
        **dict(zip("▁▂▃▄▅▆▇█", "__..==##", strict=True)),
        **dict.fromkeys("─━═▔╌", "-"),
        **dict.fromkeys("│┃║▏▎▍▌▋▊▉▐▕", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛", "+"),
        **dict.fromkeys("●•◉■", "*"),
        **dict.fromkeys("○□", "o"),
        "…": ".",
        "→": ">",
        "←": "<",
        "↑": "^",
        "↓": "v",
        "·": "-",
        "✓": "x",
        "–": "-",
        "—": "-",
        "’": "'",
        "“": '"',
        "”": '"',
    }
)


def harmless(text: str) -> str:
    """Return a text of the same length without control characters; line breaks and tabs stay."""
    return _CONTROL.sub(_INSTEAD, text)


class ControlFilter(LineFilter):
    """Takes out control characters that have come so far, whatever drew them."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without them. They have no width."""
        return [
            Segment(_CONTROL.sub("", segment.text), segment.style, segment.control)
            if _CONTROL.search(segment.text)
            else segment
            for segment in segments
        ]


class AsciiFilter(LineFilter):
    """Replaces every character beyond ASCII by one that looks alike, or by question marks of the same width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(in_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]


def in_ascii(text: str) -> str:
    """Return a text of the same width in ASCII."""
    alike = text.translate(_ALIKE)
    if alike.isascii():
        return alike
    return "".join(char if char.isascii() else "?" * cell_len(char) for char in alike)
