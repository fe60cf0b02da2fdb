"""The values of fields in our files: times, choices, and the owner of a record."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from nanobot_memory_plugins.core.clock import in_local_zone
from nanobot_memory_plugins.core.values import NoteType, Origin, Scope

Choice = TypeVar("Choice", NoteType, Origin)

OWNER_FIELDS = ("session", "channel", "user", "agent", "group_chat", "project")
"""The fields that name the owner of a record, in their order in our files."""


def exact_time(time: datetime) -> str:
    """Return an aware time in ISO 8601 with its offset, in milliseconds, or microseconds where it has any."""
    return time.isoformat(timespec="microseconds" if time.microsecond % 1000 else "milliseconds")


def read_time(text: str) -> datetime | None:
    """Return the time in ``text`` (ISO 8601), or None. Without an offset it is the machine's local time."""
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
    """Return the origin that ``value`` names; ``default`` where it names none.

    What only a newer version knows is taken for a tool's: an older one must not believe more.
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
