"""Shortening texts: tidied, split, and cut at a border."""

import re
from collections.abc import Iterator

from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

# Characters of a token at most, by the estimate.
_CHARS_A_TOKEN = 4
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BORDERS = ("\n", "。", "！", "？", "；", ". ", "! ", "? ", "; ", "，", ", ", " ")


def tidy(text: str) -> str:
    """Return ``text`` fit for a prompt: no lone surrogates, no control characters."""
    return _CONTROL.sub(" ", text.encode("utf-8", "replace").decode("utf-8"))


def split_text(text: str, limit: int) -> Iterator[str]:
    """Yield ``text`` in pieces of at most ``limit`` tokens, cut at lines, sentences or words where there are any."""
    limit = max(1, limit)
    start = 0
    while start < len(text):
        piece = truncate_to_tokens(text[start : start + limit * _CHARS_A_TOKEN], limit)
        if start + len(piece) < len(text):
            piece = piece[: _border(piece)]
        yield piece
        start += len(piece)


def _border(piece: str) -> int:
    """Return where a piece ends best: behind the best border in its second half."""
    for border in _BORDERS:
        at = piece.rfind(border, len(piece) // 2)
        if at >= 0:
            return at + len(border)
    return len(piece)


def cut(text: str, limit: int) -> str:
    """Return the beginning of ``text`` within ``limit`` tokens, ended at a line or sentence where that costs little."""
    kept = truncate_to_tokens(text, limit)
    if len(kept) == len(text):
        return text
    return kept[: _border(kept)].rstrip() or kept


def one_line(text: str, chars: int) -> str:
    """Return the beginning of ``text`` on one line, at most ``chars`` characters long."""
    line = " ".join(text[: 4 * chars].split())
    return line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
