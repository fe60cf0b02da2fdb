"""Token estimates without a tokenizer: exact enough for budgets, and the same on every machine."""

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.lazy import lazy_re

# Han with its extensions, kana, bopomofo, Hangul, and their punctuation.
_CJK = lazy_re(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u31ff\u3200-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
_CHARACTERS_PER_TOKEN = 4
# The best places to cut a text, in order of preference.
_BORDERS = ("\n", "。", "！", "？", "；", ". ", "! ", "? ", "; ", "，", ", ", " ")


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of ``text``.

    Each CJK character counts as one token, and four other characters, rounded up, as one. Formulas like
    ``len(text) // 3`` are wrong by a factor of three for Chinese, where a character is about a token. Models differ in
    the exact count, so that a tokenizer would not be worth its weight. A megabyte takes milliseconds.
    """
    if text.isascii():
        return -(-len(text) // _CHARACTERS_PER_TOKEN)
    others = len(_CJK.sub("", text))
    return len(text) - others + -(-others // _CHARACTERS_PER_TOKEN)


def truncate_to_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of ``text`` whose estimate is at most ``limit`` tokens."""
    if limit <= 0:
        return ""
    text = text[: limit * _CHARACTERS_PER_TOKEN]
    if len(text) <= limit or estimate_tokens(text) <= limit:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if estimate_tokens(text[:middle]) <= limit:
            fits = middle
        else:
            too_long = middle
    return text[:fits]


def cut(text: str, limit: int) -> str:
    """Return the beginning of ``text`` within ``limit`` tokens, cut at a line, sentence or word if one ends nearby."""
    kept = truncate_to_tokens(text, limit)
    if len(kept) == len(text):
        return text
    return kept[: _best_border(kept)].rstrip() or kept


def split_text(text: str, limit: int) -> Iterator[str]:
    """Yield ``text`` in pieces of at most ``limit`` tokens, cut at lines, sentences or words if possible."""
    start = 0
    while start < len(text):
        piece = truncate_to_tokens(text[start : start + limit * _CHARACTERS_PER_TOKEN], limit)
        if start + len(piece) < len(text):
            piece = piece[: _best_border(piece)]
        yield piece
        start += len(piece)


def _best_border(piece: str) -> int:
    """Return the position after the best border in the second half of a piece, or its length."""
    for border in _BORDERS:
        at = piece.rfind(border, len(piece) // 2)
        if at >= 0:
            return at + len(border)
    return len(piece)
