"""How problems are put into words: keys and kinds, never values."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import NoneType

from pydantic.alias_generators import to_camel, to_snake

from nanobot_memory_plugins.redaction.script.messages import Sentence

_LONGEST_KEY = 80
_MOST_NAMED = 8
# From this likeness on a name is offered.
_NEAR = 0.705

VALUE_WORDS = (
    "it should be greater than or equal to {ge}",
    "it should be less than or equal to {le}",
    "it should be greater than {gt}",
    "it should be less than {lt}",
    "it should be {expected}",
    "it should be a valid integer",
    "it should be a valid integer, unable to parse string as an integer",
    "it should be a valid number",
    "it should be a valid number, unable to parse string as a number",
    "it should be a valid boolean",
    "it should be a valid boolean, unable to interpret input",
    "it should be a valid string",
    "it should be a valid list",
    "it should be a valid tuple",
    "it should be a valid dictionary",
    "String should have at most {max_length} characters",
    "this value is not accepted",
)
"""What pydantic says of a value, as far as it is translated."""


def shown(key: object) -> str:
    """Return a key fit for one line of a log: control characters escaped, cut to a sensible length."""
    text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in str(key))
    return text if len(text) <= _LONGEST_KEY else text[: _LONGEST_KEY - 1] + "…"


def kind_of(value: object) -> Sentence:
    """Return what a value is, in JSON's words."""
    kinds: list[tuple[type | tuple[type, ...], Sentence]] = [
        (NoneType, Sentence("null")),
        (bool, Sentence("a boolean")),
        ((int, float), Sentence("a number")),
        (str, Sentence("a string")),
        (dict, Sentence("an object")),
        ((list, tuple), Sentence("an array")),
    ]
    found = (said for kind, said in kinds if isinstance(value, kind))
    return next(found, Sentence("a {kind}", kind=type(value).__name__))


def wrong_value(message: str, context: Mapping[str, object]) -> Sentence:
    """Return what pydantic says of a value as a sentence; ``context`` are the values in it."""
    for name, value in context.items():
        number = f"{value:g}" if isinstance(value, (int, float)) else str(value)
        template = message.replace(number, f"{{{name}}}")
        if template in VALUE_WORDS:
            first, either, last = number.rpartition(" or ")
            return Sentence(
                template, **{name: Sentence("{one} or {other}", one=first, other=last) if either else number}
            )
    return Sentence(message)


def nearest(wanted: str, known: Iterable[str]) -> str:
    """Return the known name that is most like ``wanted``, or nothing where all are far-fetched.

    A name may have dots between its parts: then one that ends alike is near, too.
    """
    names = {_folded(name): name for name in known}
    names |= {_folded(name.rpartition(".")[2]): name for name in names.values() if "." not in wanted}
    matches = get_close_matches(_folded(wanted[:_LONGEST_KEY]), names, n=1, cutoff=_NEAR)
    return names[matches[0]] if matches else ""


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def sentence(key: str, text: str) -> Sentence:
    """Return a problem's message: the key, then the text, ended as a sentence is."""
    ended = text.endswith((".", "?"))
    return Sentence("{key}: {text}" if ended else "{key}: {text}.", key=key, text=Sentence.of(text))


def hint(key: str, known: Iterable[str]) -> Sentence:
    """Return a sentence that helps with an unknown key: the nearest known one, else all of them."""
    names = sorted(known)
    if near := nearest(key, names):
        near = near if key == to_snake(key) else to_camel(near)
        return Sentence('Did you mean "{near}"?', near=near)
    if len(names) > _MOST_NAMED:
        return Sentence("`nanobot-memory config show --all` lists them.")
    return Sentence("Known are: {names}.", names=", ".join(names)) if names else Sentence("There are none.")
