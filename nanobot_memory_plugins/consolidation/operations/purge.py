"""Forgetting for good: no trace of an entry in the file, its backup and the history."""

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


def known(repository: EntryRepository, ids: Collection[str]) -> Erasure:
    """Return what a purge of some ids is about.

    That are the entries with what they replaced, all the texts that they ever had, and the messages that they came
    from: do not write them down. Ids that no entry has are those of messages or notes.
    """
    current = repository.load().every
    ids = with_replaced(ids, current)
    found = [current[id_] for id_ in ids if id_ in current]
    changes = [change for id_ in ids for run in repository.history.runs(id_) for change in run.changes]
    found += [entry for change in changes for entry in (change.before, change.after) if entry is not None]
    entries = {entry.id for entry in found}
    texts = dict.fromkeys(text for entry in found for text in (entry.content, entry.quote) if text)
    records = [id_ for id_ in ids if id_ not in entries]
    records += [record for entry in found for record in (*entry.records, *entry.hides)]
    of_entries = tuple(id_ for id_ in dict.fromkeys(ids) if id_ in entries)
    return Erasure(of_entries, tuple(texts), records=tuple(dict.fromkeys(records)))


def erase_entries(repository: EntryRepository, erasure: Erasure, *, dry_run: bool, who: str = "user") -> list[Trace]:
    """Remove what is to be forgotten from the entries, their backup and the history.

    The entries that are named go, those that hold one of the words, and those that rest on a record or a conversation
    that goes. An entry that says the same as one that goes stays, and is reported. Returns what was found in the file:
    the state is core's to report. It can be repeated. Raises `MemoryFileError`.
    """
    with repository.locked():
        found_now, history = repository.load(), repository.history
        entries, lines = found_now.every, found_now.document.lines
        matcher, named = ErasureMatcher(erasure.texts, words=erasure.words), ErasureMatcher(words=erasure.words)
        # The words may have been taken out of the file already, as text of people.
        every = [*history.written_entries().values(), *entries.values()]
        gone = frozenset(erasure.ids) | {
            entry.id for entry in every if named.count(_entry_text(entry)) or _rests_on(entry, erasure)
        }
        alike = {id_ for id_, entry in entries.items() if id_ not in gone and matcher.count(_entry_text(entry))}

        def goes(entry: Entry | None) -> bool:
            said_by_gone = entry is not None and entry.id not in alike and matcher.count(_entry_text(entry)) > 0
            return entry is not None and (entry.id in gone or said_by_gone)

        rows = [
            (int(run.id), change.id)
            for run in history.runs()
            for change in run.changes
            if goes(change.before) or goes(change.after)
        ]
        file = repository.paths.relative(repository.path)
        why = Sentence("another entry says it: {ids}", ids=", ".join(sorted(alike)))
        found = [
            trace_of(file, _entry_lines(lines, gone & entries.keys(), entries)),
            trace_of(file, _entry_lines(lines, alike, entries), removed=False, why=why),
        ]
        found = [trace for trace in found if trace.lines]
        if dry_run:
            return found
        if gone or matcher:
            texts = (*erasure.texts, *erasure.words, *(entries[id_].content for id_ in gone if id_ in entries))
            history.add_purged(texts, gone, repository.clock.now())

            def decide(every: dict[str, Entry]) -> dict[str, Entry]:
                return {id_: _without_links(entry, gone) for id_, entry in every.items() if id_ not in gone}

            # First out of the file, as any other change: somebody may be writing it.
            repository.write(decide, who=who, why=PURGED)
            history.forget(gone, rows)
            repository.backup.unlink(missing_ok=True)
        with suppress(StoreError):  # who purges the state itself says what waits
            repository.state.truncate_log()
        return found


def _rests_on(entry: Entry, erasure: Erasure) -> bool:
    """Return whether an entry is from messages or conversations that go, and from nothing else."""
    sessions = set(entry.sessions)
    is_of_sessions = bool(sessions) and sessions <= set(erasure.sessions)
    return is_of_sessions or not set(erasure.records).isdisjoint((entry.id, *entry.records, *entry.hides))


def _entry_text(entry: Entry) -> str:
    return f"{entry.content}\n{entry.quote}"


def _entry_lines(lines: Mapping[str, int], ids: Collection[str], entries: Mapping[str, Entry]) -> list[TraceLine]:
    """Return the lines of entries as they are now: those of their text, and the words that it rests on below it."""
    found = []
    for id_ in ids:
        for number, text in enumerate(_entry_text(entries[id_]).splitlines()):
            line = lines[id_] + 1 + number if id_ in lines else 0
            found.append(trace_line(line, text if number else f"[{id_}] {text}"))
    return sorted(found, key=lambda line: line.line)


def _without_links(entry: Entry, gone: Collection[str]) -> Entry:
    return replace(
        entry,
        supersedes=tuple(id_ for id_ in entry.supersedes if id_ not in gone),
        superseded_by="" if entry.superseded_by in gone else entry.superseded_by,
    )
