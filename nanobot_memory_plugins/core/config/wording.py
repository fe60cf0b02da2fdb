"""How problems are put into words: keys and kinds, never values."""

from collections.abc import Iterable
from difflib import get_close_matches

from pydantic.alias_generators import to_camel, to_snake

_LONGEST_KEY = 80
_MOST_NAMED = 8


def shown(key: object) -> str:
    """Return a key fit for one line of a log: control characters escaped, cut to a sensible length."""
    text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(key))
    return text if len(text) <= _LONGEST_KEY else text[: _LONGEST_KEY - 1] + "…"


def kind_of(value: object) -> str:
    """Return what a value is, in JSON's words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "an array"
    return f"a {type(value).__name__}"


def nearest(key: str, known: Iterable[str]) -> str:
    """Return the known key that is most like ``key``, spelled the way the user spells, or nothing."""
    matches = get_close_matches(to_snake(key[:_LONGEST_KEY]), sorted(known), n=1)
    if not matches:
        return ""
    return matches[0] if key == to_snake(key) else to_camel(matches[0])


def sentence(key: str, text: str) -> str:
    """Return a problem's message: the key, then the text, ended as a sentence is."""
    return f"{key}: {text}" + ("" if text.endswith((".", "?")) else ".")


def hint(key: str, known: Iterable[str]) -> str:
    """Return a sentence that helps with an unknown key: the nearest known one, else all of them."""
    names = sorted(known)
    near = nearest(key, names)
    if near:
        return f'Did you mean "{near}"?'
    if len(names) > _MOST_NAMED:
        return "`nanobot-memory config show --all` lists them."
    return f"Known are: {', '.join(names)}." if names else "There are none."
