"""Text without invisible and control characters, for everything that is displayed.

Files keep their exact text. Everything that a person or a model is shown goes through `printable`: command output,
error messages, the panel, the log, blocks, prompts and the answers of tools. JSON for programs is lossless: there the
same characters are escaped.
"""

import re
from typing import Final

REPLACEMENT: Final = "\ufffd"
"""Replaces a control character."""

# Line breaks other than the line feed.
_LINE_BREAKS = "\r\x0b\x0c\x85\u2028\u2029"
# C0 and C1 without tab and line breaks, lone surrogates, and noncharacters.
_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
# Unicode's Default_Ignorable_Code_Point, the marks of interlinear annotation and the filler of Khitan. In two parts,
# since a class without characters beyond U+FFFF is looked up in a table: three times as fast.
_INVISIBLE_16_BIT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
_INVISIBLE_BEYOND = "\U00016fe4\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
# Zero-width characters, direction marks, variation selectors, tags and fillers.
_INVISIBLE = _INVISIBLE_16_BIT + _INVISIBLE_BEYOND
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Arabic to Tibetan, Myanmar, Khmer to Mongolian and to Vedic, the Brahmic and Arabic blocks beyond.
_JOINING = (
    "\u0600-\u0fff\u1000-\u109f\u1700-\u1cff\ua800-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_MONGOLIAN = "\u1820-\u18aa"
# The only flags of tags that Unicode recommends: England, Scotland, Wales.
_FLAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in ("gbeng", "gbsct", "gbwls"))

# Invisible characters at places where genuine text needs them, one at a time.
_NEEDED = "|".join(
    (
        f"\U0001f3f4(?:{_FLAGS})\U000e007f",
        f"(?<=[{_JOINING}])[\u200c\u200d](?![{_INVISIBLE}])",
        f"(?<=[{_MONGOLIAN}])[\u180b-\u180f](?![{_INVISIBLE}])",
        f"(?<=[{_EMOJI}])[\ufe0e\ufe0f](?=\u200d[{_EMOJI}]|[^{_INVISIBLE}]|\\Z)",
        f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])",
        "(?<=[0-9#*])\ufe0f(?=\u20e3)",
    )
)

_SUSPECT = re.compile(f"[{_CONTROLS}{_LINE_BREAKS}{_INVISIBLE_16_BIT}]")
_SUSPECT_BEYOND = re.compile(f"[{_INVISIBLE_BEYOND}]")
_FOUND = re.compile(
    f"(?P<needed>{_NEEDED}|\r(?=\n))|(?P<control>[{_CONTROLS}])|(?P<line>[{_LINE_BREAKS}])|[{_INVISIBLE}]+"
)
_ONE_LINE = str.maketrans("\n\t", "  ")


def printable(text: str, *, control: str = REPLACEMENT) -> str:
    """Return a text that is safe to display: no control characters, no direction changes, nothing invisible.

    Each control character becomes ``control``, so that the characters after it are recognisable as text. A line break
    other than a line feed becomes a space, so that no line is added. Invisible characters are removed, except where
    emoji and joining scripts need them.
    """
    if not _is_suspect(text):
        return text
    return _FOUND.sub(lambda match: _replacement(match, control), text)


def one_line(text: str) -> str:
    """Return a text that is safe to display on one line: `printable`, without line breaks and tabs."""
    return printable(text).replace("\r\n", " ").translate(_ONE_LINE)


def escape_json(encoded: str) -> str:
    """Return JSON with the characters that `printable` removes escaped; its value is the same."""
    return _FOUND.sub(_escape, encoded) if _is_suspect(encoded) else encoded


def _is_suspect(text: str) -> bool:
    if _SUSPECT.search(text) is not None:
        return True
    return not text.isascii() and _SUSPECT_BEYOND.search(text) is not None


def _replacement(match: re.Match[str], control: str) -> str:
    if match["needed"]:
        return match[0]
    if match["control"]:
        return control
    return " " if match["line"] else ""


def _escape(match: re.Match[str]) -> str:
    if match["needed"]:
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
