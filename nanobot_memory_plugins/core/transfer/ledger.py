"""What each import wrote: by it an import changes nothing the second time, and can be taken back.

``memory/.imports/imports.jsonl`` has rows of JSON, each of one import: where it came from, the records that it is about
to add to a file, by key with a digest of their bytes, the files that it is about to make, the run of the entries, and
that it is done. It holds digests and no word of what was imported.
"""

import hashlib
import io
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, parse_notes, parse_transcript_line
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.redaction.script.messages import Sentence

LEDGER = ".imports/imports.jsonl"
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


class ImportLedger:
    """The imports into one workspace. Everything here blocks; one import or undo at a time may have it."""

    def __init__(self, paths: MemoryPaths, appender: Appender) -> None:
        """Read it. Raises `MemoryFileError`."""
        self._path = paths.memory / LEDGER
        self._appender = appender
        self._rows = self._read()
        self._head: dict[str, Any] | None = None
        self.id = ""
        done = {row["import"] for row in self._rows if row.get("done")}
        # What an import that was broken off was about to write is looked for in the files.
        rows = [row for row in self._rows if row["import"] in done]
        self.known = {key for row in rows for name in ("records", "taken") for key in row.get(name, ())}

    def begin(self, source: str) -> None:
        """Begin an import; it is written down with the first thing that it writes."""
        self.id = secrets.token_hex(4)
        self._head = {"import": self.id, "source": source}

    def add(self, **row: Any) -> None:
        """Write down what the import is about to do. Raises `MemoryFileError`."""
        rows = [one for one in (self._head, {"import": self.id, **row}) if one is not None]
        self._head = None
        self._appender.append(self._path, b"".join(json.dumps(one).encode("ascii") + b"\n" for one in rows))

    def add_records(self, name: str, records: Mapping[str, bytes]) -> None:
        """Write down the records, by key, that are about to be added to a file below the memory folder."""
        self.add(file=name, records={key: digest(data) for key, data in records.items()})

    def finish(self) -> None:
        """Write down that the import is done, where it did anything."""
        if self._head is None:
            self.add(done=True)

    def last(self) -> list[dict[str, Any]]:
        """Return the rows of the last import, or none."""
        last = self._rows[-1]["import"] if self._rows else ""
        return [row for row in self._rows if row["import"] == last]

    def rows_without(self, import_id: str) -> bytes:
        """Return the ledger's bytes without one import."""
        return b"".join(json.dumps(row).encode("ascii") + b"\n" for row in self._rows if row["import"] != import_id)

    def _read(self) -> list[dict[str, Any]]:
        try:
            lines = self._path.read_bytes().split(b"\n")
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise MemoryFileError(
                Sentence(
                    "The list of what was imported before ({fspath}) cannot be read: {why}.",
                    fspath=os.fspath(self._path),
                    why=error.strerror,
                ),
                hint="Make it readable: without it everything would be imported twice.",
            ) from error
        rows = []
        for line in lines:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue  # a crash cut it off: what it was about to say did not happen
            if isinstance(row, dict) and isinstance(row.get("import"), str):
                rows.append(row)
        return rows
