"""Token counts without a tokenizer: close enough for budgets, the same on every machine."""

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.lazy import lazy_re

# Han with its extensions, kana, bopomofo, Hangul, and the punctuation that is written with them.
_WIDE = lazy_re(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u31ff\u3200-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
_CHARACTERS_A_TOKEN = 4
# Where a text is cut best.
_BORDERS = ("\n", "。", "！", "？", "；", ". ", "! ", "? ", "; ", "，", ", ", " ")


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a language model makes of ``text``.

    A CJK character counts as 1, four other characters count as 1, rounded up. ``len(text) // 3`` and
    the like are wrong by a factor of three for Chinese, where a character is about a token. The exact
    count differs from model to model, so no tokenizer is worth its weight here. Counting is done by one pass of
    the regular-expression engine: a megabyte takes milliseconds.
    """
    if text.isascii():
        return -(-len(text) // _CHARACTERS_A_TOKEN)
    others = len(_WIDE.sub("", text))
    return len(text) - others + -(-others // _CHARACTERS_A_TOKEN)


def truncate_to_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of ``text`` whose estimate is at most ``limit`` tokens."""
    if limit <= 0:
        return ""
    text = text[: limit * _CHARACTERS_A_TOKEN]
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
    """Return the beginning of ``text`` within ``limit`` tokens, ended at a line or sentence where that costs little."""
    kept = truncate_to_tokens(text, limit)
    if len(kept) == len(text):
        return text
    return kept[: _border(kept)].rstrip() or kept


def split_text(text: str, limit: int) -> Iterator[str]:
    """Yield ``text`` in pieces of at most ``limit`` tokens, cut at lines, sentences or words where there are any."""
    start = 0
    while start < len(text):
        piece = truncate_to_tokens(text[start : start + limit * _CHARACTERS_A_TOKEN], limit)
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
