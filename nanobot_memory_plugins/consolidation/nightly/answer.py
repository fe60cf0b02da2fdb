"""The model's answer as operations: read leniently, each checked on its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import json_repair
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from nanobot_memory_plugins.consolidation.model.entry import Category, content_of
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.core.text.evidence import is_refusal, without_thoughts

# Of an answer; a sensible one is a few thousand characters.
_ANSWER_CHARS = 100_000
_LONGEST_CONTENT = 1_000
_LONGEST_QUOTE, _MOST_QUOTES = 2_000, 6
# Operations of one answer; more is a model that repeats itself.
_MOST_OPERATIONS = 200
_NAMES = ("add", "merge", "update", "archive")
_ALIASES = {
    "new": "add",
    "create": "add",
    "edit": "update",
    "replace": "update",
    "delete": "archive",
    "remove": "archive",
}


def _content(value: object) -> str:
    return content_of(value if isinstance(value, str) else "")


def _category(value: object) -> object:
    word = str(value or "").strip().casefold()
    return word if word in set(Category) else Category.FACT


def _importance(value: object) -> object:
    word = str(value or "").strip().casefold()
    return word if word in set(Importance) else Importance.MEDIUM


def _id(value: object) -> str:
    return str(value).strip().strip("[]").strip() if isinstance(value, (str, int)) else ""


def _ids(value: object) -> list[str]:
    listed = value if isinstance(value, list) else str(value).split(",") if isinstance(value, str) else []
    return list(dict.fromkeys(filter(None, map(_id, listed))))


def _expiry(value: object) -> datetime | None:
    """Return the moment that a date or time names; a date alone lasts to its end."""
    try:
        found = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    if len(str(value).strip()) <= len("2026-01-01"):
        found = found.replace(hour=23, minute=59)
    try:
        return found.astimezone(UTC)
    except (OverflowError, OSError, ValueError):  # the ends of the calendar
        return None


def _quotes_of(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(one[:_LONGEST_QUOTE] for one in listed[:_MOST_QUOTES] if isinstance(one, str) and one.strip())


Content = Annotated[str, BeforeValidator(_content), Field(min_length=1, max_length=_LONGEST_CONTENT)]
Said = Annotated[tuple[str, ...], BeforeValidator(_quotes_of)]
Expiry = Annotated[datetime | None, BeforeValidator(_expiry)]
Id = Annotated[str, BeforeValidator(_id), Field(min_length=1, max_length=64)]


class _Operation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Add(_Operation):
    """Something that no entry says yet. ``said`` are the words of a user's that it rests on."""

    op: Literal["add"] = "add"
    content: Content
    category: Annotated[Category, BeforeValidator(_category)] = Category.FACT
    importance: Annotated[Importance, BeforeValidator(_importance)] = Importance.MEDIUM
    expires_at: Expiry = None
    said: Said = ()


class Merge(_Operation):
    """Entries that say one thing, and the words for it."""

    op: Literal["merge"] = "merge"
    ids: Annotated[list[str], BeforeValidator(_ids), Field(min_length=2)]
    content: Content
    said: Said = ()


class Update(_Operation):
    """An entry that what was said or noted shows to have changed."""

    op: Literal["update"] = "update"
    id: Id
    content: Content
    expires_at: Expiry = None
    said: Said = ()


class ArchiveEntry(_Operation):
    """An entry that matters no more, with nothing in its place."""

    op: Literal["archive"] = "archive"
    id: Id


Operation = Add | Merge | Update | ArchiveEntry
_READER: TypeAdapter[Operation] = TypeAdapter(Annotated[Operation, Field(discriminator="op")])


@dataclass(frozen=True, slots=True)
class NightlyAnswer:
    """What the model wants, and what of its answer could not be used."""

    operations: tuple[Operation, ...] = ()
    unusable: tuple[str, ...] = ()


def read_answer(text: str) -> NightlyAnswer | None:
    """Return what an answer says, or None when it is no answer at all: a refusal, prose, nothing."""
    plain = without_thoughts(text[:_ANSWER_CHARS])
    start = min((at for mark in "{[" if (at := plain.find(mark)) >= 0), default=-1)
    if start < 0 or is_refusal(plain):
        return None
    try:
        value = json_repair.loads(plain[start:])
    except Exception:  # a repair of nonsense may fail in any way
        return None
    if not isinstance(value, (dict, list)) or (not value and plain[start:].strip() in ("{", "[")):
        return None
    operations: dict[str, Operation] = {}
    unusable: list[str] = []
    for row in list(_rows(value))[:_MOST_OPERATIONS]:
        try:
            operation = _READER.validate_python(row)
        except ValidationError as error:
            unusable.append(f"{row.get('op')}: {error.errors()[0]['type']} in {error.errors()[0]['loc'][-1:]}")
            continue
        operations.setdefault(operation.model_dump_json(), operation)
    if not operations and not unusable and not _is_an_empty_answer(value):
        return None
    return NightlyAnswer(tuple(operations.values()), tuple(unusable))


def _rows(value: object) -> Iterator[dict[str, Any]]:
    """Yield what may be operations, in the shapes that models give them."""
    if isinstance(value, list):
        for one in value:
            yield from _rows(one)
    elif isinstance(value, dict):
        name = _name(value)
        if name:
            yield {**value, "op": name}
            return
        for key, inner in value.items():
            key = _ALIASES.get(str(key).strip().casefold(), str(key).strip().casefold())
            if key in _NAMES:  # {"add": {...}} or {"add": [{...}, ...]}
                for row in inner if isinstance(inner, list) else [inner]:
                    yield {**(row if isinstance(row, dict) else {"id": row}), "op": key}
            else:
                yield from _rows(inner)


def _name(row: Mapping[str, object]) -> str:
    for key in ("op", "operation", "action", "type"):
        word = str(row.get(key, "")).strip().casefold()
        if (word := _ALIASES.get(word, word)) in _NAMES:
            return word
    return ""


def _is_an_empty_answer(value: object) -> bool:
    """Return whether an answer says that nothing is to be done, rather than something else altogether."""
    return not value or (isinstance(value, dict) and any(key in value for key in ("operations", *_NAMES)))
