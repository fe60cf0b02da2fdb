"""Letters that look like Latin ones, and what is left of a text when everything that looks alike is one.

What Unicode's table does not hold stays: words from right to left, letters drawn with other characters.
"""

import re
from html import unescape
from typing import Final
from urllib.parse import unquote

from nanobot_memory_plugins.core.characters.look_alike_table import ALIKE, LATIN

LATIN_OF: Final = {ord(one): ord(other) for one, other in zip(ALIKE, LATIN, strict=True)}
"""For ``str.translate``: each letter that looks like a Latin one, and that."""

# Digits that are written for letters, letters that look alike in many typefaces, and pairs that look like one letter.
_ONE_FOR_ALL = str.maketrans(
    {
        **dict(zip("0134578i", "oleastbl", strict=True)),
        "m": "rn",
        "w": "vv",
        "d": "cl",
    }
)
ENCODED = re.compile(
    r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|nbsp|amp);|%[0-7][0-9a-fA-F]|\\u00[0-9a-fA-F]{2}|\\x[0-7][0-9a-fA-F]"
)
"""A character as HTML, addresses and source code write it."""


def skeleton(lower: str) -> str:
    """Return a text of lower-case letters and digits with one spelling for all that looks alike."""
    return lower.translate(_ONE_FOR_ALL)


def decoded(encoded: str) -> str:
    """Return the character that stands behind a match of `ENCODED`."""
    if encoded[0] == "&":
        return unescape(encoded)
    return unquote(encoded) if encoded[0] == "%" else chr(int(encoded[2:], 16))
