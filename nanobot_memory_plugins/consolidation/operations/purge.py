"""Forgetting for good: no trace of an entry in the file, its backup and the history."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, sessions_in
from nanobot_memory_plugins.consolidation.store.history import PURGED
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.erasure.plan import held_line, trace_of
from nanobot_memory_plugins.core.erasure.purge_files import FilePurge
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.values import Erasure, HeldLine, Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence


@dataclass(frozen=True, slots=True)
class Purged:
    """What is to be purged, for those who hold copies elsewhere: an index, transcripts, day notes.

    ``texts`` are all the texts that the entries ever had, ``records`` the messages that they came from. Do not write
    them down.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    sessions: tuple[str, ...]
    records: tuple[str, ...]


def known(repository: EntryRepository, ids: Collection[str]) -> Purged:
    """Return what a purge is about; nothing is written. Ids that no entry has are those of messages or notes."""
    there = repository.load().every
    found = [there[id_] for id_ in ids if id_ in there]
    changes = [change for id_ in ids for run in repository.history.runs(id_) for change in run.changes]
    found += [entry for change in changes for entry in (change.before, change.after) if entry is not None]
    entries = {entry.id for entry in found}
    sessions = tuple(dict.fromkeys(name for entry in found for name in sorted(sessions_in(entry.source_session))))
    texts = dict.fromkeys(text for entry in found for text in (entry.content, entry.quote) if text)
    records = [id_ for id_ in ids if id_ not in entries]
    records += [record for entry in found for record in (*entry.records, *entry.hides)]
    known_ids = tuple(id_ for id_ in dict.fromkeys(ids) if id_ in entries)
    return Purged(known_ids, tuple(texts), sessions, tuple(dict.fromkeys(records)))


def erase_entries(repository: EntryRepository, erasure: Erasure, *, dry_run: bool, who: str = "user") -> list[Trace]:
    """Remove what is to be forgotten from the entries, their backup and the history.

    The entries that are named go, those that hold one of the words, and those that rest on a record or a conversation
    that goes. An entry that says the same as one that goes stays, and is reported. Returns what was found. It can be
    repeated. Raises `MemoryFileError`.
    """
    with repository.locked():
        there = repository.load().every
        wanted, meant = Wanted(erasure.texts, words=erasure.words), Wanted(words=erasure.words)
        # The words may have been taken out of the file already, as text of people.
        every = [*repository.written_last().values(), *there.values()]
        gone = {
            entry.id
            for entry in every
            if entry.id in erasure.ids or meant.count(_told(entry)) or _rests_on(entry, erasure)
        }
        alike = {id_ for id_, entry in there.items() if id_ not in gone and wanted.count(_told(entry))}
        traces = _Traces(frozenset({*erasure.ids, *gone}), wanted, frozenset(alike))
        relative, file = repository.paths.relative, repository.path
        where = relative(file)
        why = Sentence("another entry says it: {ids}", ids=", ".join(sorted(alike)))
        found = [
            trace_of(where, _lines(file, gone & there.keys(), there)),
            trace_of(where, _lines(file, alike, there), removed=False, why=why),
        ]
        rows = traces.in_history(repository)
        if not dry_run and (erasure.ids or gone or wanted):
            texts = (*erasure.texts, *erasure.words, *(there[id_].content for id_ in gone if id_ in there))
            repository.history.add_purged(texts, traces.ids, repository.clock.now())
            if gone or any(traces.linked(entry) is not entry for entry in there.values()):
                # First out of the file, as any other change: somebody may be writing it.
                repository.write(lambda found: traces.kept(found.every), who=who, why=PURGED)
            repository.history.forget(traces.ids, rows)
            cleaner = FilePurge(repository.paths, wanted, everywhere=True)
            repository.clean_backup(traces.left, lambda data: cleaner.clean_notes(data).data)
        found += [Trace(relative(repository.state.path), len(rows))] if rows else []
        if not dry_run:
            repository.state.truncate_log()
        return [one for one in found if one.lines or not one.where.endswith(".md")]


def _rests_on(entry: Entry, erasure: Erasure) -> bool:
    """Return whether an entry is from messages or conversations that go, and from nothing else."""
    sessions = sessions_in(entry.source_session)
    is_of_sessions = bool(sessions) and sessions <= set(erasure.sessions)
    return is_of_sessions or not set(erasure.records).isdisjoint((entry.id, *entry.records, *entry.hides))


def _told(entry: Entry) -> str:
    """Return all that an entry says: its text, and the words that it rests on."""
    return f"{entry.content}\n{entry.quote}"


def _lines(path: Path, ids: Collection[str], entries: Mapping[str, Entry]) -> list[HeldLine]:
    """Return the lines of entries as they are now, those of their text."""
    try:
        data = read_inside(path)
    except OSError:
        data = b""
    found = []
    for id_ in ids:
        at = data.find(f"[{id_}]".encode())
        first = data.count(b"\n", 0, at) + 2 if at >= 0 else 0
        for number, text in enumerate(entries[id_].content.splitlines()):
            found.append(held_line(first + number if first else 0, text if number else f"[{id_}] {text}"))
    return sorted(found, key=lambda one: one.line)


@dataclass(frozen=True, slots=True)
class _Traces:
    """What may not be left: entries by their id, as links too, and texts, but for entries that ``stay``."""

    ids: frozenset[str]
    wanted: Wanted
    stay: frozenset[str] = frozenset()

    def holds(self, entry: Entry) -> bool:
        """Return whether an entry is to be forgotten."""
        return entry.id in self.ids or (entry.id not in self.stay and self.wanted.count(_told(entry)) > 0)

    def linked(self, entry: Entry) -> Entry:
        """Return an entry without links to what is purged."""
        supersedes = tuple(id_ for id_ in entry.supersedes if id_ not in self.ids)
        superseded_by = "" if entry.superseded_by in self.ids else entry.superseded_by
        if (supersedes, superseded_by) == (entry.supersedes, entry.superseded_by):
            return entry
        return replace(entry, supersedes=supersedes, superseded_by=superseded_by)

    def kept(self, entries: Mapping[str, Entry]) -> dict[str, Entry]:
        """Return the entries that stay."""
        return {id_: self.linked(entry) for id_, entry in entries.items() if id_ not in self.ids}

    def left(self, entry: Entry) -> Entry | None:
        """Return what stays of an entry in a copy."""
        return None if self.holds(entry) else self.linked(entry)

    def in_history(self, repository: EntryRepository) -> list[tuple[int, str]]:
        """Return the changes, by run and entry, that tell of what is to be forgotten."""
        return [
            (int(run.id), change.id)
            for run in repository.history.runs()
            for change in run.changes
            if any(entry is not None and self.holds(entry) for entry in (change.before, change.after))
        ]
