"""Drawing on a terminal that knows nothing but ASCII."""

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

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
