"""Tells passwords that say by themselves what they are: no word, product, host or time looks like them."""

from __future__ import annotations

import re

from nanobot_memory_plugins.redaction.rules.effort import remembered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.values.sentence_values import is_told
from nanobot_memory_plugins.redaction.values.value_shapes import is_code, is_hash_like, is_ordinary

_PRODUCT = lazy_re(
    r"(?i)[a-z]+-?(?:\d{1,3}|(?:19|20)\d{2})[.,:;?)]*|\d+[a-z]+|[a-z]+[-_]?v?\d+(?:[._]\d+)+|(?:[a-z0-9]+-)+"
    r"(?:\d{1,2}|v\d+)"
    r"|[a-z]+-\d+(?:-[a-z0-9]+)*"
)
_HOST = lazy_re(r"(?:[A-Za-z0-9_-]+\.)+[A-Za-z]{2,24}(?::\d+)?[.,:;!?)]*|\d+(?:\.\d+){3}(?::\d+)?")
_TIME = lazy_re(r"[\d:.,/T+-]+Z?[.,:;!?)]*")
_SECTION = lazy_re(r"\d+#.*")
_KINDS = tuple(lazy_re(shape) for shape in ("[a-z]", "[A-Z]", "[0-9]"))
_SYMBOL = lazy_re(r"[!@#$%^&*?~+=](?!$)|[!@#$%^&*~+=]")
# What password managers suggest: "huwtyf-9xikge-bamQed".
_SUGGESTED = lazy_re(r"[A-Za-z0-9]{5,8}(?:-[A-Za-z0-9]{5,8}){2,5}")
_FEWEST_KINDS = 3
_SHORTEST_MARKED = 8


@remembered
def is_strong(found: str) -> bool:
    """Tell whether ``found`` has the marks of a password so plainly that a word near it is enough."""
    if any(shape.fullmatch(found) for shape in (_PRODUCT, _HOST, _TIME, _SECTION)) or not is_told(found):
        return False
    if _SUGGESTED.fullmatch(found) and not is_hash_like(found.replace("-", "")):
        return sum(any(char.isdigit() for char in part) for part in found.split("-")) >= 2
    symbol = bool(_SYMBOL.search(found))
    if not symbol and (is_code(found, "") or all(map(is_ordinary, re.split(r"[-_.:,;]", found)))):
        return False
    kinds = sum(bool(shape.search(found)) for shape in _KINDS)
    return kinds + symbol >= _FEWEST_KINDS and any(char.isdigit() for char in found)


@remembered
def is_marked(found: str) -> bool:
    """Tell whether ``found`` has letters and digits as passwords have them, and is no product, host or time."""
    if any(shape.fullmatch(found) for shape in (_PRODUCT, _HOST, _TIME, _SECTION)):
        return False
    return len(found) >= _SHORTEST_MARKED and any(char.isdigit() for char in found) and is_told(found)


def is_host(found: str) -> bool:
    """Tell whether ``found`` is the name or the address of a machine."""
    return bool(_HOST.fullmatch(found))


def is_time(found: str) -> bool:
    """Tell whether ``found`` is a date, a time or a number with marks."""
    return bool(_TIME.fullmatch(found))
