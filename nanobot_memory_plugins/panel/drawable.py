"""What may reach a terminal: no control characters ever, and nothing but ASCII where it knows nothing else."""

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from nanobot_memory_plugins.core.cli.console import printable_segment

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


class ControlFilter(LineFilter):
    """Takes out control characters that have come so far, whatever drew them."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without them, of the same width."""
        return [printable_segment(segment) for segment in segments]


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
