"""An entry as JSON, for the history and for other machines."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import date, datetime
from enum import Enum
from typing import Any

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, plain_score
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.files.fields import exact_time, origin_of, read_time

_SCOPE = ("agent", "user", "channel", "session", "group_chat", "project")
_DEFAULTS = {field.name: field.default for field in fields(Entry)}
# The names that `entry_to_json` gives; a newer version may give more.
NAMES = frozenset(_DEFAULTS)


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON values; what is not set is left out."""
    values = {name: getattr(entry, name) for name in _DEFAULTS}
    return {name: _written(value) for name, value in values.items() if value != _DEFAULTS[name]}


def entry_from_json(values: Mapping[str, Any]) -> Entry:
    """Return the entry. Raises `TypeError` or `ValueError` for what is none."""
    return Entry(**{name: _READERS.get(name, str)(value) for name, value in values.items() if name in NAMES})


def _written(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case datetime():
            return exact_time(value)
        case date():
            return value.isoformat()
        case Scope():
            return {name: part for name in _SCOPE if (part := getattr(value, name))}
        case tuple():
            return [_written(one) for one in value]
    return value


def _time(text: object) -> datetime | None:
    return read_time(str(text))


def _last_activated(text: object) -> datetime:
    if (last := _time(text)) is None:
        raise ValueError("last_activated is no time")
    return last


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, values))


# How what is no text is read.
_READERS: dict[str, Callable[[Any], Any]] = {
    "anchor": lambda value: plain_score(float(value)),
    "last_activated": _last_activated,
    "scope": lambda value: Scope(**{name: str(value.get(name, "")) for name in _SCOPE}),
    "origin": lambda value: origin_of(str(value), Origin.USER),
    "kept_in": Section,
    "quoted_on": date.fromisoformat,
    "pinned": bool,
    "extra": lambda pairs: tuple((str(name), str(value)) for name, value in pairs),
    **dict.fromkeys(("created_at", "expires_at", "ended_at"), _time),
    **dict.fromkeys(("hits", "anchor_days", "decayed_days"), int),
    **dict.fromkeys(("supersedes", "records", "hides"), _texts),
}
