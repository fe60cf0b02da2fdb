"""What counts as an answer, and how much one may hold.

What is over a bound is refused before anything costly (redaction, joining, writing) looks at it. The bounds lie far
above what honest plugins answer.
"""

import dataclasses
import functools
from collections.abc import Mapping
from itertools import islice
from typing import Any

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from nanobot_memory_plugins.redaction.script.messages import Sentence


class WrongAnswerError(Exception):
    """An answer is not of an accepted type, or over its bound; the text says what it is instead, without its value."""


# How many values one answer of one plugin may hold, and how many characters all of them together. In a turn somebody
# waits; behind it, and before history is cut, everything that was said may have to be kept.
_IN_A_TURN, _BEHIND_IT = (100, 200_000), (10_000, 4_000_000)
_TURN_HOOKS = ("on_message_received", "on_draft_written", "on_tool_executed", "contribute_tools", "prompt_entries")

TOOL_CHARS = 200_000
"""What a plugin's tool may say at a time, in characters."""


def accepted_values(answer: object, hook: str, accepts: tuple[type, ...]) -> tuple[object, ...]:
    """Flatten an answer to a hook: None, a value of a type that it ``accepts``, or a list or tuple of such values.

    Values that are dataclasses are checked field by field and copied, so that a half-built value goes no further.
    Raises `WrongAnswerError` for all else, and for what is over the bound.
    """
    if answer is None:
        return ()
    most_values, most_characters = _IN_A_TURN if hook in _TURN_HOOKS else _BEHIND_IT
    several = isinstance(answer, (list, tuple)) and not isinstance(answer, accepts)
    given = list(islice(answer, most_values + 1)) if several else [answer]  # type: ignore[call-overload]
    if len(given) > most_values:
        raise WrongAnswerError(f"more than {most_values:,} values")
    values = tuple(_checked(value, accepts, among=several) for value in given)
    if sum(map(characters, values)) > most_characters:
        raise WrongAnswerError(f"more than {most_characters:,} characters")
    return values


def characters(value: object) -> int:
    """Return the length of all texts in a value; each item of a list counts as one character more."""
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    if isinstance(value, Mapping):
        return sum([characters(key) + characters(item) + 1 for key, item in value.items()])
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum([characters(item) + 1 for item in value])
    if dataclasses.is_dataclass(value):
        return sum([characters(getattr(value, field.name, None)) for field in dataclasses.fields(value)])
    return 0


def _checked(value: object, accepts: tuple[type, ...], *, among: bool) -> object:
    for kind in accepts:
        if isinstance(value, kind):
            return _copy(value, kind) if dataclasses.is_dataclass(kind) else value
    name = type(value).__qualname__
    protocols = [kind for kind in accepts if getattr(kind, "_is_protocol", False)]
    missing = {member for kind in protocols for member in vars(kind) if member[0] != "_" and not hasattr(value, member)}
    if missing and hasattr(value, "__dict__"):
        name = f"{name}, which has no {', '.join(sorted(missing))}"
    raise WrongAnswerError(f"a list with {name}" if among else name)


def _copy(value: object, kind: type) -> object:
    validator = _validator(kind)
    if validator is None:
        return value
    names = [field.name for field in dataclasses.fields(kind)]
    try:
        plain = {name: getattr(value, name) for name in names}
        copied = validator.validate_python(plain)
    except ValidationError as error:
        # Only the names: pydantic's own message quotes the values.
        wrong = {str(detail["loc"][0]) for detail in error.errors(include_input=False) if detail["loc"]}
    except AttributeError:
        wrong = {name for name in names if not hasattr(value, name)}
    else:
        sentences = {name: text for name, text in plain.items() if type(text) is Sentence}  # these can be translated
        return dataclasses.replace(copied, **sentences) if sentences else copied
    raise WrongAnswerError(f"{kind.__name__} with a wrong {', '.join(sorted(wrong & set(names)))}")


@functools.cache
def _validator(kind: type) -> TypeAdapter[Any] | None:
    try:
        return TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # a field of a type that pydantic does not know
        return None
