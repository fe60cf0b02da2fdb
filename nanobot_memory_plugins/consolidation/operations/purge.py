"""Purging: entries are erased from the file, its backup and the history."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import with_replaced
from nanobot_memory_plugins.consolidation.store.history import PURGED
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.erasure.plan import trace_line, trace_of
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.core.values.purging import TraceLine
from nanobot_memory_plugins.redaction.script.messages import Sentence


def erasure_of(repository: EntryRepository, ids: Collection[str]) -> Erasure:
    """Return what purging ``ids`` erases.

    These are the entries and those that they replaced, all texts that they ever had, and the messages that they came
    from. The result must not be stored. An id without an entry is the id of a message or note.
    """
    current = repository.load().all_entries
    ids = with_replaced(ids, current)
    found = [current[id_] for id_ in ids if id_ in current]
    changes = [change for id_ in ids for run in repository.history.runs(id_) for change in run.changes]
    found += [entry for change in changes for entry in (change.before, change.after) if entry is not None]
    entries = {entry.id for entry in found}
    texts = dict.fromkeys(text for entry in found for text in (entry.content, entry.quote) if text)
    records = [id_ for id_ in ids if id_ not in entries]
    records += [record for entry in found for record in (*entry.records, *entry.hides)]
    entry_ids = tuple(id_ for id_ in dict.fromkeys(ids) if id_ in entries)
    return Erasure(entry_ids, tuple(texts), records=tuple(dict.fromkeys(records)))


def erase_entries(repository: EntryRepository, erasure: Erasure, *, dry_run: bool, who: str = "user") -> list[Trace]:
    """Remove entries from the file, its backup and the history.

    Removed are the named entries, those that contain one of the words, and those that come from an erased record or
    conversation. An entry with the same text as a removed one stays, and is reported. Returns what was found in the
    file; core reports the state database. It can be repeated. Raises `MemoryFileError`.
    """
    with repository.locked():
        snapshot, history = repository.load(), repository.history
        entries, lines = snapshot.all_entries, snapshot.document.lines
        matcher, named = ErasureMatcher(erasure.texts, words=erasure.words), ErasureMatcher(words=erasure.words)
        # The words may already have been removed from the file, as people's text.
        every = [*history.written_entries().values(), *entries.values()]
        removed = frozenset(erasure.ids) | {
            entry.id for entry in every if named.count(_entry_text(entry)) or _is_based_on_erased(entry, erasure)
        }
        same_text = {id_ for id_, entry in entries.items() if id_ not in removed and matcher.count(_entry_text(entry))}

        def is_erased(entry: Entry | None) -> bool:
            has_text = entry is not None and entry.id not in same_text and matcher.count(_entry_text(entry)) > 0
            return entry is not None and (entry.id in removed or has_text)

        rows = [
            (int(run.id), change.id)
            for run in history.runs()
            for change in run.changes
            if is_erased(change.before) or is_erased(change.after)
        ]
        file = repository.paths.relative(repository.path)
        why = Sentence("another entry says it: {ids}", ids=", ".join(sorted(same_text)))
        found = [
            trace_of(file, _entry_lines(lines, removed & entries.keys(), entries)),
            trace_of(file, _entry_lines(lines, same_text, entries), removed=False, why=why),
        ]
        found = [trace for trace in found if trace.lines]
        if dry_run:
            return found
        if removed or matcher:
            texts = (*erasure.texts, *erasure.words, *(entries[id_].content for id_ in removed if id_ in entries))
            history.add_purged(texts, removed, repository.clock.now())

            def decide(every: dict[str, Entry]) -> dict[str, Entry]:
                return {id_: _remove_links(entry, removed) for id_, entry in every.items() if id_ not in removed}

            # First remove them from the file, like any other change: somebody may be writing it.
            repository.write(decide, who=who, why=PURGED)
            history.forget(removed, rows)
            repository.backup.unlink(missing_ok=True)
        with suppress(StoreError):  # core's own purge of the state reports what is left
            repository.state.truncate_log()
        return found


def _is_based_on_erased(entry: Entry, erasure: Erasure) -> bool:
    """Return whether an entry comes only from erased conversations, or from an erased record."""
    sessions = set(entry.sessions)
    is_of_sessions = bool(sessions) and sessions <= set(erasure.sessions)
    return is_of_sessions or not set(erasure.records).isdisjoint((entry.id, *entry.records, *entry.hides))


def _entry_text(entry: Entry) -> str:
    return f"{entry.content}\n{entry.quote}"


def _entry_lines(lines: Mapping[str, int], ids: Collection[str], entries: Mapping[str, Entry]) -> list[TraceLine]:
    """Return the current lines of entries: their texts, and the quotations below them."""
    found = []
    for id_ in ids:
        for number, text in enumerate(_entry_text(entries[id_]).splitlines()):
            line = lines[id_] + 1 + number if id_ in lines else 0
            found.append(trace_line(line, text if number else f"[{id_}] {text}"))
    return sorted(found, key=lambda line: line.line)


def _remove_links(entry: Entry, removed: Collection[str]) -> Entry:
    return replace(
        entry,
        supersedes=tuple(id_ for id_ in entry.supersedes if id_ not in removed),
        superseded_by="" if entry.superseded_by in removed else entry.superseded_by,
    )
