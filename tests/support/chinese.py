"""Chinese texts in both scripts, converted by OpenCC."""

from functools import lru_cache
from typing import Any

from opencc import OpenCC

_CONVERTERS = {"simplified": OpenCC("t2s"), "taiwan": OpenCC("s2tw"), "hongkong": OpenCC("s2hk")}


@lru_cache(maxsize=4_096)
def in_script(text: str, script: str) -> str:
    """Return a text in a script. A text that is not Chinese stays as it is."""
    return _CONVERTERS[script].convert(text)


def in_both_scripts(cases: list[Any]) -> list[Any]:
    """Return test cases, with each Chinese one followed by its form in traditional characters.

    A case is a text, or a tuple or dict of texts. A case that is the same in both scripts appears once.
    """
    found: list[Any] = []
    for case in cases:
        found += [one for one in ([case] if turned(case) == case else [case, turned(case)]) if one not in found]
    return found


def turned(case: Any) -> Any:
    """Return a text, or a container of texts, in traditional characters."""
    if isinstance(case, str) and not case.isascii():
        return in_script(case, "taiwan")
    if isinstance(case, tuple):
        return tuple(map(turned, case))
    if isinstance(case, dict):
        return {name: turned(item) for name, item in case.items()}
    return case
