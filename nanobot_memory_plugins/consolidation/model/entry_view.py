"""An entry as others see it."""

from nanobot_memory_plugins.consolidation.model.entry import Entry, Section, sessions_in
from nanobot_memory_plugins.core.values import EntryView


def view_of(entry: Entry, *, gone: bool = False) -> EntryView:
    """Return an entry as others see it."""
    return EntryView(
        id=entry.id,
        text=entry.content,
        category=entry.category,
        score=entry.score,
        last_used=entry.last_activated,
        archived=entry.section is Section.ARCHIVED,
        gone=gone,
        group=entry.group,
        hits=entry.hits,
        created_at=entry.created_at,
        expires_at=entry.expires_at,
        superseded_by=entry.superseded_by,
        origin=entry.origin,
        scope=entry.scope,
        source_session=", ".join(sorted(sessions_in(entry.source_session))),
        kind=entry.kind,
        pinned=entry.pinned,
        quote=entry.quote,
        quoted_on=entry.quoted_on,
    )
