"""The filters of a query: as SQL for the index, and as a test for documents that are not in it."""

from typing import Any

from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.indexed_text import storable
from nanobot_memory_plugins.storage.moments import timestamp

SCOPE_FIELDS = ("agent", "user", "channel", "session")


def sql_filter(query: Query) -> tuple[str, list[Any]]:
    """Return conditions on ``docs d``, empty when there are none, and their values."""
    parts: list[str] = []
    values: list[Any] = []
    for name in SCOPE_FIELDS:
        wanted = getattr(query.scope, name)
        if wanted:
            parts.append(f"d.{name} = ?")
            values.append(storable(wanted))
    origins, sources = [origin.value for origin in query.origins], [storable(source) for source in query.sources]
    for column, allowed in (("origin", origins), ("source", sources)):
        if allowed:
            parts.append(f"d.{column} IN ({', '.join('?' * len(allowed))})")
            values += sorted(allowed)
    if query.since is not None:
        parts.append("d.timestamp >= ?")
        values.append(timestamp(query.since))
    if query.until is not None:
        parts.append("d.timestamp <= ?")
        values.append(timestamp(query.until))
    return " AND ".join(parts), values


def passes(document: Document, query: Query) -> bool:
    """Say whether a document passes the query's filters."""
    time = timestamp(document.time) if document.time is not None else None
    return (
        all(
            not (wanted := getattr(query.scope, name)) or wanted == getattr(document.scope, name)
            for name in SCOPE_FIELDS
        )
        and (not query.origins or document.origin in query.origins)
        and (not query.sources or document.source in query.sources)
        and (query.since is None or (time is not None and time >= timestamp(query.since)))
        and (query.until is None or (time is not None and time <= timestamp(query.until)))
        and document.key not in query.exclude_ids
    )
