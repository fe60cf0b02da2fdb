"""Several entries that say one thing as one of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.consolidation.model.entry import Entry, plain_words
from nanobot_memory_plugins.consolidation.model.scoring import IMPORTANCES, as_of, decayed
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.values.scopes import owner


def alike(one: str, other: str) -> bool:
    """Return whether two texts are the same but for case, space and the full stop."""
    return plain_words(one) == plain_words(other)


def joined(entries: Sequence[Entry], content: str, now: datetime) -> Entry:
    """Return entries as one: that with the highest score, the oldest of equals, with the rest's hits and links.

    It is as old as the oldest and was used when the last one was, and it is of no session where one of them is of none.
    What they weigh is looked at as of that use: a clock that is wrong now has no part in it.
    """
    used = max(entry.last_activated for entry in entries)
    current = [decayed(entry, used) for entry in entries]
    kept = min(current, key=lambda entry: (-entry.score, entry.created_at or now, entry.id))
    created = [entry.created_at for entry in current if entry.created_at is not None]
    whole = replace(
        kept.used(kept.score, used),
        content=content,
        hits=sum(entry.hits for entry in current),
        created_at=min(created, default=None),
        source_session=kept.source_session if all(entry.source_session for entry in current) else "",
        supersedes=tuple(
            id_
            for id_ in dict.fromkeys(id_ for entry in current for id_ in entry.supersedes)
            if id_ not in {entry.id for entry in current}
        ),
        superseded_by=kept.superseded_by if all(entry.superseded_by for entry in current) else "",
        group=kept.group or next((entry.group for entry in current if entry.group), ""),
        importance=min((entry.importance for entry in current if entry.importance), key=IMPORTANCES.index, default=""),
        expires_at=kept.expires_at or max((entry.expires_at for entry in current if entry.expires_at), default=None),
    )
    return decayed(whole, now)


def relinked(entries: Mapping[str, Entry], ids: Collection[str], whole: Entry) -> dict[str, Entry]:
    """Return the entries with ``whole`` in place of those with ``ids``, and links to it in place of links to them."""
    gone = {*ids} - {whole.id}

    def linked(entry: Entry) -> Entry:
        by = whole.id if entry.superseded_by in gone else entry.superseded_by
        over = dict.fromkeys(whole.id if id_ in gone else id_ for id_ in entry.supersedes)
        over.pop(entry.id, None)
        return replace(entry, superseded_by="" if by == entry.id else by, supersedes=tuple(over))

    return {id_: linked(entry) for id_, entry in {**entries, whole.id: whole}.items() if id_ not in gone}


def tidied(entries: Mapping[str, Entry], now: datetime, owner_of: Callable[[Scope], Scope] = owner) -> dict[str, Entry]:
    """Return the entries as they are now, and those of the same words and owner as one.

    This is what a consolidation does without a model. An entry that a person moved stays as it is.
    """
    current = {id_: as_of(entry, now) for id_, entry in entries.items()}
    same: dict[tuple[object, ...], list[Entry]] = {}
    for entry in current.values():
        if entry.kept_in is None:
            # One that was replaced is history: it is not the same as one that holds.
            plain, by = plain_words(entry.content), entry.superseded_by
            key = (plain, by, owner_of(entry.scope), entry.scope.session, entry.origin, entry.category, entry.section)
            same.setdefault(key, []).append(entry)
    for alike_ones in same.values():
        if len(alike_ones) > 1:
            whole = joined(alike_ones, alike_ones[0].content, now)
            current = relinked(current, [entry.id for entry in alike_ones], whole)
    return current
