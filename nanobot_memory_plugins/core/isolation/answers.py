"""Validation of answers: their types and their size.

An answer that is too large is refused before anything costly (redaction, joining, writing) handles it. The bounds are
far above what well-behaved plugins answer.
"""

import dataclasses
import functools
from collections.abc import Mapping
from itertools import islice
from typing import Any

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from nanobot_memory_plugins.redaction.script.messages import Sentence


class WrongAnswerError(Exception):
    """An answer is not of an accepted type, or too large; the message describes it without its value."""


# Bounds of one answer: its values, and the characters in all of them. A user waits for the hooks of a turn; the others
# may have to keep everything that was said.
_TURN_BOUNDS, _BACKGROUND_BOUNDS = (100, 200_000), (10_000, 4_000_000)
_TURN_HOOKS = ("on_message_received", "on_draft_written", "on_tool_executed", "contribute_tools", "prompt_entries")

MAX_TOOL_CHARS = 200_000
"""The length of a tool's answer, in characters, at most."""


def accepted_values(answer: object, hook: str, types: tuple[type, ...]) -> tuple[object, ...]:
    """Flatten an answer to a hook: None, a value of one of the ``types``, or a list or tuple of such values.

    Dataclasses are validated field by field and copied, so that an incomplete value goes no further. Raises
    `WrongAnswerError` for any other answer, and for one that is too large.
    """
    if answer is None:
        return ()
    most_values, most_characters = _TURN_BOUNDS if hook in _TURN_HOOKS else _BACKGROUND_BOUNDS
    is_list = isinstance(answer, (list, tuple)) and not isinstance(answer, types)
    items = list(islice(answer, most_values + 1)) if is_list else [answer]  # type: ignore[call-overload]
    if len(items) > most_values:
        raise WrongAnswerError(f"more than {most_values:,} values")
    values = tuple(_check_value(item, types, in_list=is_list) for item in items)
    if sum(map(count_characters, values)) > most_characters:
        raise WrongAnswerError(f"more than {most_characters:,} characters")
    return values


def count_characters(value: object) -> int:
    """Return the length of all texts in a value, plus one for each item of a collection."""
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    if isinstance(value, Mapping):
        return sum([count_characters(key) + count_characters(item) + 1 for key, item in value.items()])
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum([count_characters(item) + 1 for item in value])
    if dataclasses.is_dataclass(value):
        return sum([count_characters(getattr(value, field.name, None)) for field in dataclasses.fields(value)])
    return 0


def _check_value(value: object, types: tuple[type, ...], *, in_list: bool) -> object:
    for kind in types:
        if isinstance(value, kind):
            return _validated_copy(value, kind) if dataclasses.is_dataclass(kind) else value
    name = type(value).__qualname__
    protocols = [kind for kind in types if getattr(kind, "_is_protocol", False)]
    missing = {member for kind in protocols for member in vars(kind) if member[0] != "_" and not hasattr(value, member)}
    if missing and hasattr(value, "__dict__"):
        name = f"{name}, which has no {', '.join(sorted(missing))}"
    raise WrongAnswerError(f"a list with {name}" if in_list else name)


def _validated_copy(value: object, kind: type) -> object:
    validator = _validator(kind)
    if validator is None:
        return value
    names = [field.name for field in dataclasses.fields(kind)]
    try:
        plain = {name: getattr(value, name) for name in names}
        copied = validator.validate_python(plain)
    except ValidationError as error:
        # Only the names, since pydantic's own message quotes the values.
        wrong = {str(detail["loc"][0]) for detail in error.errors(include_input=False) if detail["loc"]}
    except AttributeError:
        wrong = {name for name in names if not hasattr(value, name)}
    else:
        sentences = {name: text for name, text in plain.items() if type(text) is Sentence}  # can be translated
        return dataclasses.replace(copied, **sentences) if sentences else copied
    raise WrongAnswerError(f"{kind.__name__} with a wrong {', '.join(sorted(wrong & set(names)))}")


@functools.cache
def _validator(kind: type) -> TypeAdapter[Any] | None:
    try:
        return TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # a field has a type that pydantic does not support
        return None
