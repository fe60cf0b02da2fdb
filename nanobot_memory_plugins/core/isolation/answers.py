"""What counts as an answer."""

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from nanobot_memory_plugins.core.isolation.bounds import AnswerLimit, SizeCounter
from nanobot_memory_plugins.core.isolation.threads import discard
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Of an answer that is not used so many parts are looked at, to close what runs in them.
_PARTS = 1_000


class WrongAnswerError(Exception):
    """An answer is not of an accepted type; the text says what it is instead, without its value."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a caller takes as an answer.

    ``accept`` are the types of its values, ``bound`` says how much it may hold, and ``check`` what else is wrong with
    a value: a few words, or none.
    """

    accept: tuple[type, ...]
    bound: AnswerLimit = AnswerLimit()  # noqa: RUF009  # frozen
    check: Callable[[object], str] | None = None


def accepted_values(answer: object, expected: Expected) -> tuple[object, ...]:
    """Flatten an answer: None, a value of an accepted type, or a list or tuple of such values.

    Values that are dataclasses are checked field by field and copied, so that neither a half-built value
    nor one whose attributes run a plugin's code goes any further. Raises `WrongAnswerError` for all else, and
    `TooLargeError` for what is over the bound.
    """
    if answer is None:
        return ()
    gauge = SizeCounter(expected.bound)
    if isinstance(answer, expected.accept):
        return (_checked(answer, expected, gauge),)
    # The base classes' own iterators: a subclass's might never end.
    if isinstance(answer, list):
        gauge.values(list.__len__(answer))
        return tuple(_checked(value, expected, gauge) for value in list.__iter__(answer))
    if isinstance(answer, tuple):
        gauge.values(tuple.__len__(answer))
        return tuple(_checked(value, expected, gauge) for value in tuple.__iter__(answer))
    raise WrongAnswerError(_type_name(answer))


def prepare(accept: tuple[type, ...]) -> None:
    """Build the validators for these types: the first takes tens of milliseconds, no plugin's fault."""
    for kind in accept:
        if dataclasses.is_dataclass(kind):
            _validator(kind)


def discard_answer(answer: object) -> None:
    """Close the coroutines and generators in an answer that is not used."""
    for value in _parts(answer):
        discard(value)


async def close_async_generators(answer: object) -> None:
    """Close the async generators in an answer that is not used."""
    for value in _parts(answer):
        if inspect.isasyncgen(value):
            await value.aclose()


def _parts(answer: object) -> Iterator[object]:
    if type(answer) is list or type(answer) is tuple:
        return islice(answer, _PARTS)
    return iter((answer,))


def _checked(value: object, expected: Expected, gauge: SizeCounter) -> object:
    for kind in expected.accept:
        if isinstance(value, kind):
            if dataclasses.is_dataclass(kind):
                value = _copy(value, kind, gauge)
            else:
                gauge.attributes(value)
            if expected.check is not None and (wrong := expected.check(value)):
                raise WrongAnswerError(f"{kind.__name__} with {wrong}")
            return value
    raise WrongAnswerError(f"a list with {_type_name(value)}")


def _copy(value: object, kind: type, gauge: SizeCounter) -> object:
    validator = _validator(kind)
    if validator is None:
        return value
    names = _field_names(kind)
    try:
        plain = {name: gauge.plain(getattr(value, name)) for name in names}
        return _with_sentences(validator.validate_python(plain), value, plain)
    except ValidationError as error:
        # Only the names: pydantic's own message quotes the values.
        wrong = {str(detail["loc"][0]) for detail in error.errors(include_input=False) if detail["loc"]}
    except AttributeError:
        wrong = {name for name in names if not hasattr(value, name)}
    raise WrongAnswerError(f"{kind.__name__} with a wrong {', '.join(sorted(wrong & set(names)))}")


def _with_sentences(copied: Any, value: object, plain: dict[str, object]) -> object:
    """Return a copy in which those texts are sentences that can be translated which were ones: in English the same."""
    sentences = {}
    for name, text in plain.items():
        given = getattr(value, name, None)
        if type(given) is Sentence:
            with contextlib.suppress(Exception):  # its values are a plugin's own
                if (same := given.copied()) == text:
                    sentences[name] = same
    return dataclasses.replace(copied, **sentences) if sentences else copied


@functools.cache
def _validator(kind: type) -> TypeAdapter[Any] | None:
    try:
        return TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # a field of a type that pydantic does not know
        return None


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _type_name(value: object) -> str:
    if inspect.isasyncgen(value):
        return "an async generator"
    return str(type.__getattribute__(type(value), "__qualname__"))
