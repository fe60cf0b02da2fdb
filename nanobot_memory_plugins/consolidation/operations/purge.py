"""Forgetting for good: no trace of an entry in the file, its backup, the journal, or what was kept aside."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.model.entry import Entry, sessions_in
from nanobot_memory_plugins.consolidation.store.atomic_files import ASIDE, kept_aside, read_file, write_private
from nanobot_memory_plugins.consolidation.store.damage import damage_of
from nanobot_memory_plugins.consolidation.store.document import Text, parse
from nanobot_memory_plugins.consolidation.store.journal import PURGED, Run, entries_folder, line_of, read_line
from nanobot_memory_plugins.consolidation.store.journal_parts import older_parts, read_part, write_part
from nanobot_memory_plugins.consolidation.store.nightly_records import PROPOSALS, Records
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.consolidation.store.snapshot import WantedState, sha256
from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.core.erasure import (
    clean_notes,
    held_line,
    leftovers,
    lines_nearly_with,
    nearly_traces,
    trace_of,
)
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.values import Erasure, HeldLine, Trace
from nanobot_memory_plugins.redaction.script.messages import Sentence

_UNKNOWN = (
    "`nanobot-memory entries history` shows all. What was purged leaves no id:"
    " `nanobot-memory purge --text` finds words that are left."
)
# Letters of words from which on a hash of them is kept.
_LEAST_HASHED = 20
# Lines of a file that are told, at most.
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class Purged:
    """What was purged, or is to be, for those who hold copies elsewhere: an index, transcripts, day notes.

    ``texts`` are all the texts that the entries ever had. Do not write them down.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    sessions: tuple[str, ...]
    files: tuple[Path, ...] = ()


def known(repository: EntryRepository, ids: Collection[str]) -> Purged:
    """Return what a purge of entries is about; nothing is written. Raises `InputError` for an id that nobody knows."""
    path = repository.path
    copies = _copies(repository)
    every = _versions([read_file(copy) for copy in (path, *copies)], repository.journal.runs())
    found = [entry for entry in every if entry.id in frozenset(ids)]
    missing = sorted(set(ids) - {entry.id for entry in found})
    if missing:
        raise InputError(Sentence("There is no entry {missing}.", missing=", ".join(missing)), hint=_UNKNOWN)
    sessions = tuple(dict.fromkeys(name for entry in found for name in sorted(sessions_in(entry.source_session))))
    return Purged(tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(entry.content for entry in found)), sessions)


def purge(repository: EntryRepository, ids: Collection[str], *, who: str) -> Purged:
    """Remove every trace of entries from all files of the entries, and keep a hash so that they do not come back.

    Text of others, which may say the same, stays. Raises `InputError` when an id is known nowhere, and
    `MemoryFileError`; a purge that fails halfway can be repeated.
    """
    about = known(repository, ids)
    traces = erase_entries(repository, Erasure(about.ids, about.texts), dry_run=False, who=who)
    files = dict.fromkeys(repository.paths.workspace / one.where for one in traces if one.removed)
    return replace(about, files=tuple(files))


def erase_entries(repository: EntryRepository, erasure: Erasure, *, dry_run: bool, who: str = "user") -> list[Trace]:
    """Remove what is to be forgotten from the entries, their copies, the journal and the proposals.

    The entries that are named go, and those that hold one of the words. An entry that says the same as one that goes
    stays, and is reported, as does one that holds a part of it, unless that is wanted. Returns what was found. It can
    be repeated. Raises `MemoryFileError`.
    """
    with repository.locked():
        snapshot = repository.load()
        wanted = Wanted(erasure.texts, words=erasure.words, nearly=erasure.nearly)
        meant = Wanted((), words=erasure.words, nearly=erasure.nearly)
        there = snapshot.entries
        gone = {
            id_
            for id_, entry in there.items()
            if id_ in erasure.ids
            or meant.count(_told(entry))
            or not set(erasure.records).isdisjoint((id_, *entry.records))
        }
        stretches = {id_: wanted.stretches(_told(entry)) for id_, entry in there.items() if id_ not in gone}
        alike = {id_ for id_, found in stretches.items() if any(one.nearly is None for one in found)}
        nearly = {id_: found[0].nearly for id_, found in stretches.items() if found and id_ not in alike}
        if erasure.nearly:
            gone, nearly = gone | nearly.keys(), {}
        traces = _Traces(frozenset({*erasure.ids, *gone}), wanted, erasure.texts, frozenset(alike | nearly.keys()))
        relative = repository.paths.relative
        file = relative(snapshot.path)
        lines = _Lines(snapshot.path, there, wanted)
        found = [trace_of(file, lines.of(gone))]
        folder = entries_folder(repository.paths)
        if not erasure.nearly:
            found += _nearly_held(repository, folder, wanted)
        if not dry_run and (erasure.ids or wanted):
            texts = [*erasure.texts, *filter(_is_telling, erasure.words), *(there[id_].content for id_ in gone)]
            ids = {*traces.ids, *_ids_of(repository, traces)}
            repository.tombstones.add(texts, ids)
        if not dry_run and (gone or any(traces.linked(entry) is not entry for entry in there.values())):
            # First out of the file, as any other change: somebody may be writing it.
            repository.write(lambda state: WantedState(traces.kept(state.entries)), who=who, why=PURGED)
        why = f"another entry says it: {', '.join(sorted(alike))}"
        found.append(trace_of(file, lines.of(alike), removed=False, why=why))
        found = [one for one in found if one.lines]
        found += nearly_traces(file, [(why, line) for id_, why in nearly.items() if why for line in lines.of([id_])])
        held = _clean_copies(repository, traces, dry_run=dry_run)
        held += [(path, 1) for path in _purge_leftovers(folder, traces, dry_run=dry_run)]
        return found + [Trace(relative(path), count) for path, count in held]


def _told(entry: Entry) -> str:
    """Return all that an entry says: its text, and the words that it rests on."""
    return f"{entry.content}\n{entry.quote}"


def _nearly_held(repository: EntryRepository, folder: Path, wanted: Wanted) -> list[Trace]:
    """Return what nearly holds the words in the copies, the journal, the proposals, and what waits."""
    journal = repository.journal.path
    parts = [*older_parts(journal), journal]
    paths = [
        *_copies(repository),
        journal.with_name(PROPOSALS),
        *sorted(folder.glob("pending/*.json")),
    ]
    read = [(path, read_part(path)) for path in parts] + [(path, read_file(path) or b"") for path in paths]
    return [
        trace
        for path, data in read
        for trace in nearly_traces(repository.paths.relative(path), lines_nearly_with(data, wanted)[:_MOST_LINES])
    ]


def _is_telling(words: str) -> bool:
    """Return whether words may be kept as a hash: few letters are soon guessed."""
    return sum(one.isalnum() for one in words) >= _LEAST_HASHED


@dataclass(frozen=True, slots=True)
class _Lines:
    """Where the entries stand in their file."""

    path: Path
    entries: Mapping[str, Entry]
    wanted: Wanted

    def of(self, ids: Collection[str]) -> list[HeldLine]:
        """Return the lines of entries as they are now, those of their text."""
        data = read_file(self.path) or b""
        found = []
        for id_ in ids:
            at = data.find(f"[{id_}]".encode())
            first = data.count(b"\n", 0, at) + 2 if at >= 0 else 0
            for number, text in enumerate(self.entries[id_].content.splitlines()):
                shown = text if number else f"[{id_}] {text}"
                at = min((one.at for one in self.wanted.stretches(shown)), default=0)
                found.append(held_line(first + number if first else 0, shown, at))
        return sorted(found, key=lambda one: one.line)


def _purge_leftovers(folder: Path, traces: "_Traces", *, dry_run: bool) -> list[Path]:
    """Remove what a write that broke off has left, where it holds a trace; the lock keeps others from writing."""
    found = []
    for path in leftovers(folder):
        data = read_file(path)
        if data is not None and traces.in_text(data.decode("utf-8", "replace")):
            found.append(path)
            if not dry_run:
                path.unlink(missing_ok=True)
    return found


def _copies(repository: EntryRepository) -> list[Path]:
    """Return the copies of the files for people that are ours to clean."""
    path, long_term = repository.path, repository.paths.long_term
    return [
        path.with_name(f"{path.name}.bak"),
        repository.seen_path(path),
        *kept_aside(path),
        long_term.with_name(f"{long_term.name}.bak"),
    ]


@dataclass(frozen=True, slots=True)
class _Traces:
    """What may not be left: entries by their id, as links too, and texts, but for entries that ``stay``."""

    ids: frozenset[str]
    wanted: Wanted
    texts: tuple[str, ...]
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

    def in_text(self, text: str) -> bool:
        """Return whether a text holds a trace."""
        return bool(self.wanted.count(text)) or any(f"[{id_}]" in text for id_ in self.ids)


def _versions(copies: Sequence[bytes | None], runs: Sequence[Run]) -> list[Entry]:
    """Return every state of all entries that is on disk."""
    found = [slot.entry for data in copies if data for slot in parse(data).slots.values()]
    found += [entry for run in runs for change in run.changes for entry in (change.before, change.after) if entry]
    return found


def _ids_of(repository: EntryRepository, traces: _Traces) -> set[str]:
    """Return the ids of the entries that go from the copies and the journal."""
    copies = _copies(repository)
    every = _versions([read_file(copy) for copy in copies], repository.journal.runs())
    return {entry.id for entry in {(one.id, one.content): one for one in every}.values() if traces.holds(entry)}


def _clean_copies(repository: EntryRepository, traces: _Traces, *, dry_run: bool) -> list[tuple[Path, int]]:
    """Clean everything but the file itself; return the files that held a trace, and how many."""
    journal = repository.journal.path
    found: list[tuple[Path, int]] = []
    stale: set[str] = set()  # what copies were: no run leads to or from those bytes any more
    for copy in _copies(repository):
        before = read_file(copy)
        if before is None:
            continue
        cleaned, count = _clean_copy(copy.name, before, traces, repository)
        found.append((copy, count))
        if cleaned != before:
            stale.add(sha256(before))
            if not dry_run:
                write_private(copy, cleaned, durable=True)
    found += [(part, _clean_journal(part, traces, stale, dry_run)) for part in (*older_parts(journal), journal)]
    found.append((journal.with_name(PROPOSALS), _clean_proposals(repository, traces, dry_run)))
    return [(copy, count) for copy, count in found if count]


def _clean_copy(name: str, data: bytes, traces: _Traces, repository: EntryRepository) -> tuple[bytes, int]:
    """Return a copy of the file without the traces, and how many there were. Text of people in it is a copy, too."""
    document = parse(data)
    gone = {id_ for id_, entry in document.entries.items() if traces.holds(entry)}
    kept = {id_: traces.linked(entry) for id_, entry in document.entries.items() if id_ not in gone}
    cleaned = render(document, kept, now=repository.clock.now())
    is_damaged = bool(damage_of(data, None))
    is_aside = ASIDE in name
    if is_aside or is_damaged:
        for text in traces.texts:  # in a damaged copy it may stand outside an entry
            cleaned = _as_words(text).sub(b"", cleaned)
    pieces: list[bytes] = []
    count = len(gone)
    for piece in parse(cleaned).pieces:
        is_text = isinstance(piece, Text)
        notes = clean_notes(piece.data, traces.wanted, everywhere=is_damaged or not is_aside) if is_text else None
        pieces.append(notes.data if notes is not None else piece.data)
        count += len(notes.found) if notes is not None else 0
    cleaned = b"".join(pieces)
    return cleaned, count or int(cleaned != data)


def _as_words(text: str) -> re.Pattern[bytes]:
    """Return what finds a text where no word goes on before or behind it. Bytes: a damaged copy may be no UTF-8."""
    before = rb"(?<![A-Za-z0-9_])" if text[:1].isascii() and text[:1].isalnum() else b""
    after = rb"(?![A-Za-z0-9_])" if text[-1:].isascii() and text[-1:].isalnum() else b""
    return re.compile(before + re.escape(text.encode("utf-8", "replace")) + after)


def _clean_journal(path: Path, traces: _Traces, stale: Collection[str], dry_run: bool) -> int:
    """Write a part of the journal without the entries; patches that hold their text go with them."""
    after: list[bytes] = []
    count = changed = 0
    for line in read_part(path).split(b"\n"):
        run = read_line(line) if line else None
        cleaned = line if run is not None or not line or not traces.in_text(line.decode("utf-8", "replace")) else b""
        if run is not None:
            cleaned = _clean_line(line, run, traces, stale)
            count += cleaned != line and not {run.file_before, run.file_after} & set(stale)
        elif cleaned != line:
            count += 1
        changed += cleaned != line
        after += [cleaned] if cleaned else []
    if changed and not dry_run:
        write_part(path, b"".join(line + b"\n" for line in after))
    return max(count, min(changed, 1))


def _clean_proposals(repository: EntryRepository, traces: _Traces, dry_run: bool) -> int:
    records = Records(repository.paths)
    before = records.proposals()
    after = [one for one in before if not traces.in_text(one.quote)]
    if not dry_run:
        records.keep_proposals(after, before)
    return len(before) - len(after)


def _clean_line(line: bytes, run: Run, traces: _Traces, stale: Collection[str]) -> bytes:
    row: dict[str, Any] = json.loads(line)
    faded = [one for one in row["changes"] if "days" in one and one["id"] not in traces.ids]
    changes = tuple(
        replace(
            change,
            before=traces.linked(change.before) if change.before else None,
            after=traces.linked(change.after) if change.after else None,
        )
        for change in run.changes
        if not any(entry is not None and traces.holds(entry) for entry in (change.before, change.after))
    )
    touched = changes != run.changes or len(faded) + len(changes) != len(row["changes"])
    patch = run.patch
    if patch is not None and any(traces.in_text(hunk.before.decode("utf-8", "replace")) for hunk in patch):
        patch, touched = None, True
    why = "" if traces.in_text(run.why) else run.why
    touched = touched or bool({run.file_before, run.file_after} & set(stale))
    if not touched and why == run.why:
        return line
    # The bytes of the file are not those of the run any more.
    is_less = len(changes) < len(run.changes)
    cleaned = json.loads(
        line_of(
            replace(
                run, changes=changes, patch=None, file_before="", file_after="", why=why, purged=run.purged or is_less
            )
        )
    )
    cleaned["changes"] += faded
    return json.dumps(cleaned, ensure_ascii=False, separators=(",", ":")).encode()
