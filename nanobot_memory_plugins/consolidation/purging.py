"""Forgetting for good: no trace of an entry in the file, its backup, the journal, or what was kept aside."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.damage import damage_of
from nanobot_memory_plugins.consolidation.document import parse
from nanobot_memory_plugins.consolidation.entry import Entry
from nanobot_memory_plugins.consolidation.journal import Run, line_of, read_line
from nanobot_memory_plugins.consolidation.keeping import ASIDE, kept_aside, read_file, write_private
from nanobot_memory_plugins.consolidation.rendering import render
from nanobot_memory_plugins.consolidation.repository import EntryRepository, Wanted
from nanobot_memory_plugins.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Purged:
    """What was purged, for those who hold copies elsewhere: an index, transcripts, day notes.

    ``texts`` are all the texts that the entries ever had. Do not write them down.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    sessions: tuple[str, ...]
    files: tuple[Path, ...]


def purge(repository: EntryRepository, ids: Collection[str], *, who: str) -> Purged:
    """Remove every trace of entries from all files of the entries, and keep a hash so that they do not come back.

    Text of others, which may say the same, stays. Raises `InputError` when an id is known nowhere, and
    `MemoryFileError`; a purge that fails halfway can be repeated.
    """
    with repository.locked():
        path = repository.path
        copies = _copies(repository, path)
        found = _versions([read_file(copy) for copy in (path, *copies)], repository.journal.runs(), frozenset(ids))
        missing = sorted(set(ids) - {entry.id for entry in found})
        if missing:
            raise InputError(f"There is no entry {', '.join(missing)}.")
        traces = _Traces(frozenset(ids), tuple(dict.fromkeys(entry.content for entry in found)))
        repository.tombstones.add(traces.texts)
        # First out of the file, as any other change: somebody may be writing it.
        repository.write(lambda state: Wanted(traces.kept(state.entries)), who=who, why="purged")
        touched = [path, *(copy for copy in copies if _clean_copy(copy, traces, repository))]
        if _clean_journal(repository, traces):
            touched.append(repository.journal.path)
        sessions = tuple(dict.fromkeys(entry.source_session for entry in found if entry.source_session))
        return Purged(tuple(dict.fromkeys(ids)), traces.texts, sessions, tuple(touched))


def _copies(repository: EntryRepository, path: Path) -> list[Path]:
    """Return all files that may hold entries but the one in which they are in force."""
    copies: list[Path] = []
    for place in (repository.own_path, repository.paths.long_term):
        copies += [] if place == path else [place]
        copies += [place.with_name(f"{place.name}.bak"), repository.seen_path(place), *kept_aside(place)]
    return copies


@dataclass(frozen=True, slots=True)
class _Traces:
    """What may not be left: ids as links, and texts."""

    ids: frozenset[str]
    texts: tuple[str, ...]

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
        """Say whether a text holds a trace."""
        return any(trace in text for trace in (*self.texts, *(f"[{id_}]" for id_ in self.ids)))


def _versions(copies: Sequence[bytes | None], runs: Sequence[Run], ids: frozenset[str]) -> list[Entry]:
    """Return every state of the entries that is on disk."""
    found = [slot.entry for data in copies if data for slot in parse(data).slots.values()]
    found += [entry for run in runs for change in run.changes for entry in (change.before, change.after) if entry]
    return [entry for entry in found if entry.id in ids]


def _clean_copy(path: Path, traces: _Traces, repository: EntryRepository) -> bool:
    data = read_file(path)
    if data is None:
        return False
    document = parse(data)
    cleaned = render(document, traces.kept(document.entries), now=repository.clock.now())
    if ASIDE in path.name or damage_of(data, None):
        for text in traces.texts:  # in a damaged copy it may stand outside an entry
            cleaned = cleaned.replace(text.encode("utf-8", "replace"), b"")
    if cleaned == data:
        return False
    write_private(path, cleaned, durable=True)
    return True


def _clean_journal(repository: EntryRepository, traces: _Traces) -> bool:
    """Write the journal without the entries; patches that hold their text go with them."""
    before = repository.journal.lines()
    after: list[bytes] = []
    for line in before:
        run = read_line(line)
        if run is None:
            after += [] if traces.in_text(line.decode("utf-8", "replace")) else [line]
            continue
        after.append(_clean_line(line, run, traces))
    if after == before:
        return False
    write_private(repository.journal.path, b"".join(line + b"\n" for line in after), durable=True)
    return True


def _clean_line(line: bytes, run: Run, traces: _Traces) -> bytes:
    row: dict[str, Any] = json.loads(line)
    faded = [one for one in row["changes"] if "days" in one and one["id"] not in traces.ids]
    changes = tuple(
        replace(
            change,
            before=traces.linked(change.before) if change.before else None,
            after=traces.linked(change.after) if change.after else None,
        )
        for change in run.changes
        if change.id not in traces.ids
    )
    touched = changes != run.changes or len(faded) + len(changes) != len(row["changes"])
    patch = run.patch
    if patch is not None and any(traces.in_text(hunk.before.decode("utf-8", "replace")) for hunk in patch):
        patch, touched = None, True
    why = "" if traces.in_text(run.why) else run.why
    if not touched and why == run.why:
        return line
    # The bytes of the file are not those of the run any more.
    cleaned = json.loads(line_of(replace(run, changes=changes, patch=None, file_before="", file_after="", why=why)))
    cleaned["changes"] += faded
    return json.dumps(cleaned, ensure_ascii=False, separators=(",", ":")).encode()
