"""A plain view of a text, in which disguised secrets are visible, with a map back to the original.

Removed: zero-width characters, terminal control sequences, control characters. Narrowed: full-width and mathematical
letters, unusual spaces, curly quotes. Decoded: backslash escapes, and the entities and percent codes of separators.

An escaped quote becomes a quote of its own depth (private-use characters), so that the JSON inside a JSON string
still has quotes that pair up, and a quote inside a value does not end it.
"""

import re
from bisect import bisect_right

from nanobot_memory_plugins.redaction.lazy import lazy_re

DEPTH_QUOTES = {
    ('"', 1): "\ue0f1",
    ('"', 2): "\ue0f2",
    ('"', 3): "\ue0f3",
    ("'", 1): "\ue0f4",
    ("'", 2): "\ue0f5",
    ("'", 3): "\ue0f6",
    ("`", 1): "\ue0f7",
    ("`", 2): "\ue0f8",
    ("`", 3): "\ue0f9",
}
QUOTES = "\"'`" + "".join(DEPTH_QUOTES.values())
"""Every character that opens and closes a quoted value in the folded view."""

ESCAPED_BREAK = "\x0b"
"""Replaces an escaped line break: it is white space, but does not end a quoted value."""

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_ZERO_WIDTH = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"

# Full-width commas and semicolons are kept: no secret contains them, so they end a value.
_NARROW: dict[int, str] = {0xFF01 + i: chr(0x21 + i) for i in range(94) if 0xFF01 + i not in (0xFF0C, 0xFF1B)}
_NARROW |= dict.fromkeys(map(ord, _SPACES), " ")
_NARROW |= dict.fromkeys(map(ord, "“”„‟「」『』〝〞"), '"') | dict.fromkeys(map(ord, "‘’‚‛"), "'")
_NARROW |= dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212\ufe63"), "-") | {0x2236: ":", 0xFE55: ":", 0xFE6B: "@"}
# Mathematical letters and digits: thirteen alphabets of 52 letters, five rows of ten digits.
_NARROW |= {
    0x1D400 + 52 * row + i: (chr(0x41 + i) if i < 26 else chr(0x61 + i - 26)) for row in range(13) for i in range(52)
}
_NARROW |= {0x1D7CE + i: chr(0x30 + i % 10) for i in range(50)}

_HAS_NARROW = lazy_re(
    "[\u00a0\u1680\u2000-\u2012\u2018-\u201f\u202f\u205f\u2212\u2236\u3000\u300c-\u300f\u301d\u301e\ufe55\ufe63\ufe6b\uff01-\uff5e\U0001d400-\U0001d7ff]"
)

_SPECIAL = re.compile(
    rf"""
    \\++ (?: u[0-9a-fA-F]{{4}} | x[0-9a-fA-F]{{2}} | ["'`nrt/] | \n )?
  | \x1b (?: \[ [0-?]{{0,64}} [ -/]{{0,8}} [@-~] | \] [^\x07\x1b]{{0,2048}} (?: \x07 | \x1b\\ ) | [@-Z\\^_] )?
  | [{_ZERO_WIDTH}\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]++
  | % (?: 3[aAdDfF] | 40 | 2[26bBfF] )
  | & (?: quot | apos | amp | lt | gt | commat | equals | colon | \#(?: 34 | 38 | 39 | 58 | 61 | 64 | [xX](?:22|26
    |27|3[aAdD]|40) ) ) ;
    """,
    re.VERBOSE,
)
_ESCAPES = {**dict.fromkeys("nrt", ESCAPED_BREAK), "\n": "", "/": "/"}
_PERCENT = {"3a": ":", "3d": "=", "3f": "?", "40": "@", "22": DEPTH_QUOTES['"', 1], "26": "&", "2b": "+", "2f": "/"}
_ENTITY = {
    "quot": DEPTH_QUOTES['"', 1],
    "#34": DEPTH_QUOTES['"', 1],
    "#x22": DEPTH_QUOTES['"', 1],
    "apos": DEPTH_QUOTES["'", 1],
    "#39": DEPTH_QUOTES["'", 1],
    "#x27": DEPTH_QUOTES["'", 1],
    "amp": "&",
    "#38": "&",
    "#x26": "&",
    "lt": "<",
    "gt": ">",
    "commat": "@",
    "#64": "@",
    "#x40": "@",
    "equals": "=",
    "#61": "=",
    "#x3d": "=",
    "colon": ":",
    "#58": ":",
    "#x3a": ":",
}


class FoldedView:
    """The folded ``text`` of an original, and where each of its characters came from."""

    __slots__ = ("_folded", "_lengths", "_origins", "text")

    def __init__(self, original: str) -> None:
        self._folded: list[int] = []  # where a piece begins in the folded text
        self._origins: list[int] = []  # where it begins in the original
        self._lengths: list[int] = []  # the original length of a one-character piece, 0 for a piece kept as it is
        narrowed = original
        if not original.isascii() and _HAS_NARROW.search(original):
            narrowed = original.translate(_NARROW)
        self.text = self._fold(narrowed)

    def _fold(self, text: str) -> str:
        first = _SPECIAL.search(text)
        if first is None:
            return text
        keep_quote_codes = "%22%3a" not in text.lower()
        pieces: list[str] = []
        size = at = 0
        for match in _SPECIAL.finditer(text, first.start()):
            decoded = _decode(match.group(), keep_quote_codes)
            if decoded is None:
                continue
            start, end = match.span()
            if start > at:
                self._mark(size, at, 0)
                pieces.append(text[at:start])
                size += start - at
            if decoded:
                self._mark(size, start, end - start)
                pieces.append(decoded)
                size += 1
            at = end
        if at < len(text):
            self._mark(size, at, 0)
            pieces.append(text[at:])
        return "".join(pieces)

    def _mark(self, folded: int, origin: int, length: int) -> None:
        self._folded.append(folded)
        self._origins.append(origin)
        self._lengths.append(length)

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original positions of the folded characters ``start`` (included) to ``end`` (excluded)."""
        if not self._folded or end <= start:
            return start, end
        first = bisect_right(self._folded, start) - 1
        last = bisect_right(self._folded, end - 1) - 1
        left = self._origins[first] + (0 if self._lengths[first] else start - self._folded[first])
        right = self._origins[last] + (self._lengths[last] or end - self._folded[last])
        return left, right


def _decode(found: str, keep_quote_codes: bool) -> str | None:
    """Return the character that ``found`` encodes, "" to remove it, or None to keep it."""
    first = found[0]
    if first == "\\":
        return _decode_escape(found)
    if first == "%":
        code = found[1:].lower()
        return None if code == "22" and keep_quote_codes else _PERCENT[code]
    if first == "&":
        return _ENTITY[found[1:-1].lower()]
    return ""


def _decode_escape(found: str) -> str | None:
    slashes = len(found) - len(found.lstrip("\\"))
    code = found[slashes:]
    if not code:
        return None
    kind = code[0]
    if kind in _ESCAPES:
        return _ESCAPES[kind]
    char = chr(int(code[1:], 16)) if kind in "ux" else kind
    if char in "\"'`":
        return _quote_of_depth(char, slashes)
    if char in "\r\n\t":
        return ESCAPED_BREAK
    return _NARROW.get(ord(char), char) if char.isprintable() or char > "\x7f" else ""


def _quote_of_depth(quote: str, slashes: int) -> str | None:
    # A quote of depth d carries 2**d - 1 backslashes. An even number is escaped backslashes before a plain quote.
    depth = {1: 1, 3: 2, 7: 3}.get(slashes, 1 if slashes % 2 else 0)
    return DEPTH_QUOTES[quote, depth] if depth else None


# Letters of other scripts that look like Latin ones: ``pаssword`` with a Cyrillic ``а`` is a word for a secret.
_LOOK_ALIKES = {
    "аеорсухіѕһӏгтнмвкԁԝјԛ": "aeopcyxishlrthmbkdwjq",
    "АВЕКМНОРСТУХІЅЈ": "ABEKMHOPCTYXISJ",
    "αεορτινμβηκυωχ": "aeoptinmbnkuwx",
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ": "ABEZHIKMNOPTYX",
    "ɡıɑɩ": "giai",
}
_TABLE = {ord(one): ord(other) for left, right in _LOOK_ALIKES.items() for one, other in zip(left, right, strict=True)}
_OTHER_SCRIPTS = "\\u0370-\\u03ff\\u0400-\\u04ff\\u0500-\\u052f\\u0250-\\u02af\\u0131"
_OTHER_LETTER = lazy_re(f"[{_OTHER_SCRIPTS}]")
# A word with both Latin letters and letters of another script.
_MIXED_WORD = lazy_re(
    rf"(?<![^\W\d_])(?=[^\W\d_]{{0,39}}[A-Za-z])(?=[^\W\d_]{{0,39}}[{_OTHER_SCRIPTS}])[^\W\d_]{{2,40}}"
)


def unmix_scripts(text: str) -> str:
    """Return ``text`` with words that mix scripts converted to Latin letters; every character keeps its position.

    Such mixtures are deliberate. Words of one script ("пароль", "ключ") are unchanged.
    """
    is_plain = text.isascii() or not _OTHER_LETTER.search(text)
    return text if is_plain else _MIXED_WORD.sub(lambda word: word.group().translate(_TABLE), text)
