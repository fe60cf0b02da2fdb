"""What counts as an answer, and how much one may hold.

What is over a bound is refused before anything costly (redaction, joining, writing) looks at it. The bounds lie far
above what honest plugins answer.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from nanobot_memory_plugins.redaction.script.messages import Sentence


class WrongAnswerError(Exception):
    """An answer is not of an accepted type; the text says what it is instead, without its value."""


class TooLargeError(Exception):
    """An answer is over its bound; the text says by how much, without its content."""


@dataclass(frozen=True, slots=True)
class AnswerLimit:
    """What one answer of one plugin may hold: how many values, and how many characters in all of them together.

    ``attributes`` are those whose text counts in values that are no dataclasses.
    """

    values: int = 1_000
    characters: int = 1_000_000
    attributes: tuple[str, ...] = ()


# In a turn somebody waits; behind it, and before history is cut, everything that was said may have to be kept.
_IN_A_TURN = AnswerLimit(values=100, characters=200_000)
_BEHIND_IT = AnswerLimit(values=500, characters=4_000_000)
BOUNDS: Mapping[str, AnswerLimit] = {
    "on_message_received": _IN_A_TURN,
    "on_draft_written": _IN_A_TURN,
    "on_tool_executed": _IN_A_TURN,
    "on_session_idle": _BEHIND_IT,
    "on_turn_finished": _BEHIND_IT,
    "before_compaction": _BEHIND_IT,
    # Beside what they were handed: it may come back as it was.
    "trim_bootstrap": AnswerLimit(values=1, characters=10_000),
    "prompt_entries": AnswerLimit(values=1, characters=200_000),
    "open_store": AnswerLimit(values=1),
    "share_store": AnswerLimit(values=1),
    "open_entries": AnswerLimit(values=1),
    "contribute_tools": AnswerLimit(values=100, characters=200_000, attributes=("name", "description", "parameters")),
    "on_purge": AnswerLimit(values=10_000, characters=4_000_000),
}

# What a plugin's tool may say at a time, in characters, and of a hit of a store: its text, its snippet, and all of its
# other texts together. Our own hits are of some thousand characters.
TOOL_ANSWER = 200_000
HIT_TEXT = 100_000
HIT_SNIPPET = 10_000
HIT_FIELDS = 20_000


def bound_of(hook: str, given: int = 0) -> AnswerLimit:
    """Return the bound of a hook's answers, ``given`` characters wider: those that may come back."""
    bound = BOUNDS.get(hook, AnswerLimit())
    return dataclasses.replace(bound, characters=bound.characters + given)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a caller takes as an answer.

    ``accept`` are the types of its values, ``bound`` says how much it may hold, and ``check`` what else is wrong with
    a value: a few words, or none.
    """

    accept: tuple[type, ...]
    bound: AnswerLimit = AnswerLimit()  # frozen
    check: Callable[[object], str] | None = None


def accepted_values(answer: object, expected: Expected) -> tuple[object, ...]:
    """Flatten an answer: None, a value of an accepted type, or a list or tuple of such values.

    Values that are dataclasses are checked field by field and copied, so that a half-built value goes no further.
    Raises `WrongAnswerError` for all else, and `TooLargeError` for what is over the bound.
    """
    if answer is None:
        return ()
    bound = expected.bound
    several = isinstance(answer, (list, tuple)) and not isinstance(answer, expected.accept)
    given = list(islice(answer, bound.values + 1)) if several else [answer]  # type: ignore[call-overload]
    if len(given) > bound.values:
        raise TooLargeError(f"an answer of more than {bound.values:,} values")
    values = tuple(_checked(value, expected, among=several) for value in given)
    if sum(_size_of_value(value, bound) for value in values) > bound.characters:
        raise TooLargeError(f"an answer of more than {bound.characters:,} characters")
    return values


def characters(value: object) -> int:
    """Return the length of all texts in a value; each item of a list counts as one character more."""
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    if isinstance(value, Mapping):
        return sum(characters(key) + characters(item) + 1 for key, item in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum(characters(item) + 1 for item in value)
    if dataclasses.is_dataclass(value):
        return sum(characters(getattr(value, field.name, None)) for field in dataclasses.fields(value))
    return 0


def prepare(accept: tuple[type, ...]) -> None:
    """Build the validators for these types: the first takes tens of milliseconds, no plugin's fault."""
    for kind in accept:
        if dataclasses.is_dataclass(kind):
            _validator(kind)


def _size_of_value(value: object, bound: AnswerLimit) -> int:
    if dataclasses.is_dataclass(value) or isinstance(value, Mapping):
        return characters(value)
    return sum(characters(getattr(value, name)) for name in bound.attributes)


def _checked(value: object, expected: Expected, *, among: bool) -> object:
    for kind in expected.accept:
        if isinstance(value, kind):
            copied = _copy(value, kind) if dataclasses.is_dataclass(kind) else value
            if expected.check is not None and (wrong := expected.check(copied)):
                raise WrongAnswerError(f"{kind.__name__} with {wrong}")
            return copied
    name = "an async generator" if inspect.isasyncgen(value) else type(value).__qualname__
    raise WrongAnswerError(f"a list with {name}" if among else name)


def _copy(value: object, kind: type) -> object:
    validator = _validator(kind)
    if validator is None:
        return value
    names = _field_names(kind)
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


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))
