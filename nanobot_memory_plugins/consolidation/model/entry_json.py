"""An entry as JSON, for the journal and the command line."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, plain_score
from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.files import exact_time, origin_of, read_time

_SCOPE = ("agent", "user", "channel", "session", "group_chat", "project")
# The names that `entry_to_json` gives; a newer version may give more.
NAMES = frozenset({
    "id", "content", "category", "anchor", "last_activated", "hits", "created_at", "source_session", "expires_at",
    "group", "supersedes", "superseded_by", "origin", "scope", "anchor_days", "decayed_days", "kept_in", "extra",
    "kind", "pinned", "importance", "ended_at", "tags", "quote", "quoted_on", "records", "hides",
})  # fmt: skip


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON values; what is not set is left out."""
    values: dict[str, Any] = {
        "id": entry.id,
        "content": entry.content,
        "category": entry.category,
        "anchor": entry.anchor,
        "last_activated": exact_time(entry.last_activated),
        "hits": entry.hits,
        "created_at": _time(entry.created_at),
        "source_session": entry.source_session,
        "expires_at": _time(entry.expires_at),
        "group": entry.group,
        "supersedes": list(entry.supersedes),
        "superseded_by": entry.superseded_by,
        "origin": entry.origin.value if entry.origin is not Origin.USER else "",
        "scope": {name: getattr(entry.scope, name) for name in _SCOPE if getattr(entry.scope, name)},
        "anchor_days": entry.anchor_days,
        "decayed_days": entry.decayed_days,
        "kept_in": entry.kept_in.value if entry.kept_in else "",
        "extra": [list(pair) for pair in entry.extra],
        "kind": entry.kind,
        "pinned": entry.pinned,
        "importance": entry.importance,
        "ended_at": _time(entry.ended_at),
        "tags": list(entry.tags),
        "quote": entry.quote,
        "records": list(entry.records),
        "hides": list(entry.hides),
        "quoted_on": entry.quoted_on.isoformat() if entry.quoted_on else "",
    }
    return {name: value for name, value in values.items() if value or name in ("id", "content", "anchor")}


def entry_from_json(values: Mapping[str, Any]) -> Entry:
    """Return the entry. Raises `KeyError`, `TypeError` or `ValueError` for what is none."""
    last = read_time(str(values["last_activated"]))
    if last is None:
        raise ValueError("last_activated is no time")
    scope = values.get("scope") or {}
    kept_in = values.get("kept_in")
    return Entry(
        id=str(values["id"]),
        content=str(values["content"]),
        category=str(values.get("category", "fact")),
        anchor=plain_score(float(values["anchor"])),
        last_activated=last,
        hits=int(values.get("hits", 0)),
        created_at=_read(values.get("created_at")),
        source_session=str(values.get("source_session", "")),
        expires_at=_read(values.get("expires_at")),
        group=str(values.get("group", "")),
        supersedes=tuple(map(str, values.get("supersedes", ()))),
        superseded_by=str(values.get("superseded_by", "")),
        origin=origin_of(str(values.get("origin", "")), Origin.USER),
        scope=Scope(**{name: str(scope.get(name, "")) for name in _SCOPE}),
        anchor_days=int(values.get("anchor_days", 0)),
        decayed_days=int(values.get("decayed_days", 0)),
        kept_in=Section(kept_in) if kept_in else None,
        extra=tuple((str(name), str(value)) for name, value in values.get("extra", ())),
        kind=str(values.get("kind", "")),
        pinned=bool(values.get("pinned", False)),
        importance=str(values.get("importance", "")),
        ended_at=_read(values.get("ended_at")),
        tags=tuple(map(str, values.get("tags", ()))),
        quote=str(values.get("quote", "")),
        records=tuple(map(str, values.get("records", ()))),
        hides=tuple(map(str, values.get("hides", ()))),
        quoted_on=date.fromisoformat(values["quoted_on"]) if values.get("quoted_on") else None,
    )


def _time(time: datetime | None) -> str:
    return exact_time(time) if time is not None else ""


def _read(text: object) -> datetime | None:
    return read_time(str(text)) if text else None
