"""Following a folder of somebody's notes: what a file said at the last import goes when it says something else now.

``memory/.imports/sources.jsonl`` remembers for each file, by hashes alone, what it held and which notes were made of
it. A file that was edited, or is found again under another name, has its old notes replaced, and so has one that was
renamed and edited at once, where half of what it alone said is still there; those of a file that is gone stay. What has
been changed in the memory since then stays, too.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.files import MemoryPaths, NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.appending import Appender
from nanobot_memory_plugins.core.transfer.archive_contents import SOURCES
from nanobot_memory_plugins.core.transfer.file_install import read_plain
from nanobot_memory_plugins.core.transfer.formats.encodings import NoTextError, decoded
from nanobot_memory_plugins.core.transfer.formats.vault import EMPTY
from nanobot_memory_plugins.core.transfer.ledger import TAKEN
from nanobot_memory_plugins.core.transfer.likeness import Pairs, matches_of, own_of, pairs_of
from nanobot_memory_plugins.core.transfer.replaced import keep_replaced
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.written import ImportRecord, ImportRemoval, TakenBack
from nanobot_memory_plugins.redaction.script.messages import Sentence


@dataclass(frozen=True, slots=True)
class Placed:
    """One note as it was written: the file below the memory folder, its id, and its bytes' length and hash."""

    file: str
    id: str
    length: int
    sha256: str

    @classmethod
    def of(cls, file: str, id_: str, data: bytes) -> "Placed":
        """Return it for the bytes of a note."""
        return cls(file, id_, len(data), hashlib.sha256(data).hexdigest())


@dataclass(slots=True)
class _Known:
    """What a file held at the last import: the hash of its bytes, and its notes by their keys."""

    body: str
    notes: dict[str, Placed] = field(default_factory=dict)


class FollowedSource:
    """One source, and what was made of its files before. Everything here blocks; hold `only_import`."""

    def __init__(
        self, paths: MemoryPaths, appender: Appender, source: Path, record: ImportRecord, encoding: str = ""
    ) -> None:
        self._encoding = encoding
        self._record = record
        self._paths = paths
        self._appender = appender
        self._root = source.parent if source.is_file() else source
        self._source = _hash(str(self._root.resolve()).encode())
        self._is_whole = source.is_dir()
        self._path = paths.memory / SOURCES
        self._written: dict[str, Placed] = {}  # by the keys of all sources: a copy of a file is the same notes
        self._known = self._read()

    def follow(
        self, placed: Mapping[str, Mapping[str, Placed]], report: ImportReport, lock_seconds: float, *, dry_run: bool
    ) -> None:
        """Take out what the files said before and say no more, and remember what they say now.

        ``placed`` are the notes of each file that was read, by their keys. Raises `MemoryFileError`.
        """
        now = {_hash(name.encode()): (name, notes) for name, notes in placed.items()}
        bodies = {name: self._body(name) for name in placed}
        current = {key for notes in placed.values() for key in notes}
        renamed = set(bodies.values())
        left = {_hash(name.encode()) for name, _ in report.left}
        emptied = {_hash(name.encode()) for name, why in report.left if why == EMPTY}
        before = {known.body for known in self._known.values()}
        unseen = {hashed: name for hashed, (name, _) in now.items() if bodies[name] not in before}
        moved = self._moved(now, unseen, renamed, left)
        gone: dict[str, Placed] = {}
        absent = 0
        for name, known in self._known.items():
            old = {key: note for key, note in known.notes.items() if key not in current}
            if name in now or name in emptied or known.body in renamed or name in moved:
                gone |= old
            elif known.notes and self._is_whole and name not in left:
                absent += 1
        rows = self._rows(now, bodies, renamed, emptied | moved)
        if gone:
            report.replaced = len(gone)
            if not dry_run:
                self._take_out(gone, report, lock_seconds)
        if absent:
            report.notices.append(
                Sentence("{count:,} files of the last import are not there any more; their notes stay.", count=absent)
            )
        if rows and not dry_run:
            there, new = read_plain(self._path) or b"", b"".join(json.dumps(row).encode() + b"\n" for row in rows)
            self._record.file(SOURCES, there + new, len(there))
            self._appender.append(self._path, new)

    def _moved(
        self,
        now: Mapping[str, tuple[str, Mapping[str, Placed]]],
        new: Mapping[str, str],
        renamed: set[str],
        left: set[str],
    ) -> set[str]:
        """Return the files that are not there any more, and say most of what they said under a new name."""
        gone = {
            name: known
            for name, known in self._known.items()
            if name not in now and name not in left and known.notes and known.body not in renamed
        }
        new = {name: file for name, file in new.items() if name not in self._known}
        if not (gone and new and self._is_whole):
            return set()
        texts: dict[str, dict[str, str]] = {}
        for note in (note for known in gone.values() for note in known.notes.values()):
            if note.file not in texts:
                data = read_plain(self._paths.memory / note.file) or b""
                texts[note.file] = {
                    one.id: one.details or one.tldr for one in parse_notes(data) if isinstance(one, NoteEntry)
                }
        old = {
            name: pairs_of("\n".join(texts[note.file].get(note.id, "") for note in known.notes.values()))
            for name, known in gone.items()
        }
        there = [self._pairs(file) for name, (file, _) in now.items() if name not in new]
        candidates = {name: self._pairs(file) for name, file in new.items()}
        return set(matches_of(own_of(old, there), own_of(candidates, there)))

    def _pairs(self, name: str) -> Pairs:
        return pairs_of(_text(self._root / name, self._encoding))

    def _take_out(self, gone: Mapping[str, Placed], report: ImportReport, lock_seconds: float) -> None:
        by_file: dict[str, dict[str, list[Any]]] = defaultdict(dict)
        for note in gone.values():
            by_file[note.file][note.id] = [note.length, note.sha256]
        kept = keep_replaced(self._paths, self._record.id, by_file)
        self._record.replaced(kept, list(gone))
        taken: list[dict[str, Any]] = [{"file": file, "records": records} for file, records in by_file.items()]
        done = TakenBack("", "")
        ImportRemoval(self._paths, done, lock_seconds).run([*taken, {"file": TAKEN, "keys": list(gone)}])
        for file, why in done.left:
            report.notices.append(
                Sentence("An earlier form of a note stays in memory/{file}: {why}.", file=file, why=Sentence.of(why))
            )

    def _rows(
        self,
        now: Mapping[str, tuple[str, Mapping[str, Placed]]],
        bodies: Mapping[str, str],
        renamed: set[str],
        emptied: set[str],
    ) -> list[dict[str, Any]]:
        """Return what is to be remembered of the files, as far as it is new."""
        rows = []
        for hashed, (name, notes) in now.items():
            before = self._known.get(hashed)
            # What was taken before stands as it was written then.
            kept = {key: self._written.get(key, note) for key, note in notes.items()}
            if before is None or before.body != bodies[name] or before.notes != kept:
                rows.append(self._row(hashed, bodies[name], kept))
        for hashed, known in self._known.items():
            if hashed not in now and known.notes and (known.body in renamed or hashed in emptied):
                rows.append(self._row(hashed, known.body, {}))
        return rows

    def _row(self, name: str, body: str, notes: Mapping[str, Placed]) -> dict[str, Any]:
        written = {key: [note.file, note.id, note.length, note.sha256] for key, note in notes.items()}
        return {"source": self._source, "name": name, "body": body, "notes": written}

    def _body(self, name: str) -> str:
        try:
            return _hash((self._root / name).read_bytes())
        except OSError:
            return ""

    def _read(self) -> dict[str, _Known]:
        found: dict[str, _Known] = {}
        for line in (read_plain(self._path) or b"").splitlines():
            try:
                row = json.loads(line)
                notes = {str(key): Placed(*values) for key, values in row["notes"].items()}
                self._written |= notes
                if row["source"] == self._source:
                    found[str(row["name"])] = _Known(str(row["body"]), notes)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue  # a crash cut it off; the files are read again
        return found


def _text(path: Path, encoding: str) -> str:
    try:
        return decoded(path.read_bytes(), encoding)[0]
    except (OSError, NoTextError):
        return ""


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
