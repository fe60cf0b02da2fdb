"""What each import wrote: by it an import changes nothing the second time, and can be taken back.

It stands in the state database, as digests and without a word of what was imported: each record that an import adds to
a file, by key, before it is written; each file that it makes; the run of the entries; and that it is done.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, parse_notes, parse_transcript_line
from nanobot_memory_plugins.core.state import StateDatabase

# Hexadecimal digits of a key or digest: 64 bits.
DIGITS = 16


def digest(data: bytes) -> str:
    """Return the digest of bytes; blank lines around a note are not of it."""
    return hashlib.sha256(data.strip()).hexdigest()[:DIGITS]


def records_in(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a transcript, or the notes of a Markdown file, each with its key. Together they are all of it.

    The key is the record's id, and the digest of what people wrote, which has none.
    """
    if name.endswith(".jsonl"):
        for line in io.BytesIO(data):
            record = parse_transcript_line(line)
            yield (record.id if record is not None else "") or digest(line), line
        return
    for part in parse_notes(data):
        piece = data[part.offset : part.offset + part.length]
        yield (part.id if isinstance(part, NoteEntry) else "") or digest(piece), piece


@dataclass(slots=True)
class ImportRun:
    """What one import wrote: records by file and key, whole files, runs of the entries; each with its digest."""

    id: str
    source: str
    records: dict[str, dict[str, str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)


# Where a row of the table says something else than what a file got.
_BEGUN, _DONE, _TAKEN, _ENTRIES = "/begun", "/done", "/taken", "/entries"


class ImportLedger:
    """The imports into one workspace. Everything here blocks; one import or undo at a time may have it."""

    def __init__(self, paths: MemoryPaths) -> None:
        """Read what is known. Raises `StoreError`."""
        self._state = StateDatabase.of(paths)
        self._exists = paths.state.exists()  # whoever only looks makes no database
        self._source = self._run = ""
        # What an import that was broken off was about to write is looked for in the files.
        done = "SELECT item FROM imported WHERE run IN (SELECT item FROM imported WHERE source = ?)"
        self.known = {str(item) for (item,) in self._read(done, _DONE)}

    def begin(self, source: str) -> None:
        """Begin an import, or go on with the last one where that was broken off.

        It is written down with the first thing that it writes.
        """
        last = self.last()
        is_done = last is None or self._read("SELECT item FROM imported WHERE source = ? AND item = ?", _DONE, last.id)
        self._source, self._run = source, "" if last is None or is_done or last.source != source else last.id

    def add_records(self, name: str, records: Mapping[str, bytes]) -> None:
        """Write down the records, by key, that are about to be added to a file below the memory folder."""
        self._add(name, ((key, digest(data)) for key, data in records.items()))

    def add_file(self, name: str, data: bytes) -> None:
        """Write down a file that is about to be made below the memory folder."""
        self._add(name, [("", digest(data))])

    def add_entries(self, run: str) -> None:
        """Write down which run of the entries brought theirs."""
        self._add(_ENTRIES, [(run, "")])

    def finish(self, taken: Iterable[str] = ()) -> None:
        """Write down that the import is done, where it did anything, and further keys of what was taken."""
        rows = [(key, "") for key in taken if key not in self.known]
        if rows or self._run:
            self._add(_TAKEN, rows)
            self._add(_DONE, [(self._run, "")])

    def last(self) -> ImportRun | None:
        """Return the last import that was not taken back."""
        rows = self._read("SELECT item, digest FROM imported WHERE source = ? ORDER BY item DESC LIMIT 1", _BEGUN)
        if not rows:
            return None
        run = ImportRun(id=rows[0][0], source=rows[0][1])
        for source, item, digest_ in self._read("SELECT source, item, digest FROM imported WHERE run = ?", run.id):
            if source == _ENTRIES:
                run.entries.append(item)
            elif not source.startswith("/") and item:
                run.records.setdefault(source, {})[item] = digest_
            elif not source.startswith("/"):
                run.files[source] = digest_
        return run

    def forget(self, run: ImportRun) -> None:
        """Forget an import that was taken back: its items can be imported again."""
        self._state.execute("DELETE FROM imported WHERE run = ?", (run.id,))

    def _read(self, sql: str, *values: str) -> list[tuple[str, ...]]:
        return self._state.read(sql, values) if self._exists else []

    def _add(self, source: str, items: Iterable[tuple[str, str]]) -> None:
        if not self._run:
            last = self._read("SELECT max(item) FROM imported WHERE source = ?", _BEGUN)
            self._run = f"{int((last and last[0][0]) or 0) + 1:06}"
            self._add(_BEGUN, [(self._run, self._source)])
        rows = [(source, item, digest_, self._run) for item, digest_ in items]
        self._state.write(
            lambda connection: connection.executemany("INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?)", rows)
        )
        self._exists = True
