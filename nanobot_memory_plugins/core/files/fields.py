"""Reading and writing the field values of memory files: times, choices, and the owner of a record."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from nanobot_memory_plugins.core.clock import in_local_zone
from nanobot_memory_plugins.core.values import NoteType, Origin, Scope

Choice = TypeVar("Choice", NoteType, Origin)

OWNER_FIELDS = ("session", "channel", "user", "agent", "group_chat", "project")
"""The fields that name the owner of a record, in their order in the files."""


def exact_time(time: datetime) -> str:
    """Return an aware time in ISO 8601 with its offset, to the millisecond, or to the microsecond where needed."""
    return time.isoformat(timespec="microseconds" if time.microsecond % 1000 else "milliseconds")


def read_time(text: str) -> datetime | None:
    """Return the time in ``text`` (ISO 8601), or None. A time without an offset is the machine's local time."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else in_local_zone(time)


def choice(kind: type[Choice], value: str, default: Choice) -> Choice:
    """Return the member of ``kind`` that ``value`` names, or ``default``."""
    try:
        return kind(str(value).strip().lower())
    except ValueError:
        return default


def origin_of(value: str, default: Origin) -> Origin:
    """Return the origin that ``value`` names, or ``default`` where it is empty.

    An unknown origin, from a newer version, counts as `Origin.TOOL`, which is trusted least.
    """
    try:
        return Origin(value.strip().lower()) if value.strip() else default
    except ValueError:
        return Origin.TOOL


def scope_of(fields: Mapping[str, str]) -> Scope:
    """Return the owner of a record with these fields."""
    return Scope(**{name: fields.get(name, "") for name in OWNER_FIELDS})


def scope_fields(scope: Scope) -> dict[str, str]:
    """Return the fields that name the owner of a record."""
    return {name: getattr(scope, name) for name in OWNER_FIELDS}
