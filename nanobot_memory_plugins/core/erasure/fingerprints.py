"""The fingerprints of what was forgotten for good: enough to know it again, and not to read it.

``memory/.erasure/fingerprints.jsonl`` holds a line for each, ``memory/.erasure/key`` the key that makes them. A long
text is known by the HMAC of its letters. A short one could be guessed from that: what is known of it is where it stood,
by the HMAC of all that stayed around it, and how many letters it had.
"""

import hmac
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_folder, private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

FOLDER = ".erasure"
_VERSION = 1
# Fingerprints that are kept; the oldest go first, and that is said. A line has about 150 bytes.
_MOST = 100_000
_LOCK_SECONDS = 10.0
_DIGEST_BYTES = 16
_KEY = re.compile(rb"[0-9a-f]{64}\n")
_CLOSED = "What was forgotten for good cannot be told from the rest: until then nothing is taken from histories."

_WORDS = ":words"

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TextPrint:
    """A text that may be known by its letters. ``words`` says which of them are what was asked to be forgotten.

    ``start`` is the fingerprint of as many of its first letters as nobody guesses: what it is looked for by.
    ``redacted`` says that a secret had been hidden in it, so that a host's own copy reads otherwise.
    """

    id: str
    start: str
    letters: int
    words: Spans
    time: datetime
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class PlacePrint:
    """A message of which something short was taken out: known by its place, and by what is left of it.

    ``id`` is the fingerprint of what is left, with the role, the session and the ``gaps``. ``before`` and ``after`` are
    those of the messages beside it, or empty; ``said`` is when it was said, as far as that is known.
    """

    id: str
    session: str
    role: str
    letters: int
    gaps: Spans
    words: Spans
    before: str
    after: str
    time: datetime
    said: datetime | None = None


@dataclass(frozen=True, slots=True)
class SaidAgain:
    """What was said again in a session after it was forgotten; `words_of` an id: its words alone."""

    id: str
    session: str
    time: datetime


Record = TextPrint | PlacePrint | SaidAgain


class Key:
    """Makes fingerprints."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def __call__(self, letters: str, *more: object) -> str:
        """Return the fingerprint of some folded letters, and of what else tells them apart."""
        data = json.dumps([letters, *more]).encode("ascii") if more else letters.encode("utf-8", "surrogatepass")
        return hmac.digest(self._secret, data, "sha256")[:_DIGEST_BYTES].hex()


@dataclass(frozen=True)
class Known:
    """All fingerprints of a workspace, as one state of the file has them."""

    key: Key
    texts: Mapping[str, TextPrint] = field(default_factory=lambda: MappingProxyType({}))
    places: tuple[PlacePrint, ...] = ()
    again: Mapping[tuple[str, str], datetime] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def starts(self) -> Mapping[str, tuple[int, ...]]:
        """How many letters the texts have that start with some letters, by the fingerprint of these."""
        found: dict[str, set[int]] = {}
        for one in self.texts.values():
            found.setdefault(one.start, set()).add(one.letters)
        return {start: tuple(sorted(lengths)) for start, lengths in found.items()}

    @cached_property
    def has_redacted(self) -> bool:
        """Whether a text is known in the form without its secrets."""
        return any(one.redacted for one in self.texts.values())

    def is_hidden(self, id_: str, session: str, time: datetime) -> bool:
        """Return whether what was forgotten at ``time`` has not been said again in a session since."""
        said = self.again.get((id_, session))
        return said is None or said <= time

    def is_said_again(self, id_: str) -> bool:
        """Return whether it has been said again in any session."""
        return id_ in self._again_anywhere

    @cached_property
    def _again_anywhere(self) -> frozenset[str]:
        return frozenset(id_ for id_, _ in self.again)


class Fingerprints:
    """The fingerprints of one workspace. Everything here blocks, but for `exist`."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self._folder = paths.memory / FOLDER
        self._file = self._folder / "fingerprints.jsonl"
        self._key_file = self._folder / "key"
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, ...], Known] | None = None

    def exist(self) -> bool:
        """Return whether there may be fingerprints."""
        return self._state() is not None

    def known(self) -> Known | None:
        """Return the fingerprints, read again where the file has changed; None where there are none.

        Raises `MemoryFileError` when they cannot be read, or when a newer version wrote them: what was forgotten for
        good must not come back for want of knowing it.
        """
        state = self._state()
        if state is None:
            return None
        with self._lock:
            if self._read is None or self._read[0] != state:
                self._read = (state, self._load())
            return self._read[1]

    def add(self, records: Iterable[Record] | Callable[[Key], Iterable[Record]]) -> Known:
        """Write records down, on the disk when this returns, and return all. Raises `MemoryFileError`.

        A function is given the key, and returns the records.
        """
        from filelock import Timeout

        try:
            private_folder(self._folder, below=self._paths.memory)
            with private_lock(self._folder / ".lock", timeout=_LOCK_SECONDS):
                for left in self._folder.glob(".[fk]*.tmp"):  # of a process that was killed: this one has the lock
                    left.unlink(missing_ok=True)
                known = self.known() or Known(self._made_key())
                new = list(records(known.key) if callable(records) else records)
                merged = _merged(known, new)
                self._write(merged)
        except Timeout as error:
            raise MemoryFileError("What was forgotten is being written by another process all the time.") from error
        except OSError as error:
            raise MemoryFileError(
                Sentence(
                    "What was forgotten cannot be written down: {why}.", why=error.strerror or type(error).__name__
                ),
                hint=Sentence("Make memory/{folder} a folder that this user can write.", folder=FOLDER),
            ) from error
        return merged

    def _state(self) -> tuple[int, ...] | None:
        try:
            status = os.stat(self._file)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _load(self) -> Known:
        try:
            lines = read_regular(self._file).splitlines()
        except OSError as error:
            raise _unreadable(error.strerror or type(error).__name__) from error
        header = _object(lines[0]) if lines else {}
        version = header.get("version")
        if not isinstance(version, int):
            raise _unreadable("its beginning is damaged")
        if version > _VERSION:
            raise MemoryFileError(
                Sentence("A newer version wrote the list of what was forgotten for good. {closed}", closed=_CLOSED),
                hint="Update nanobot-memory-core.",
            )
        key = self._key()
        if key is None or key("key") != header.get("key"):
            raise MemoryFileError(
                Sentence(
                    "The key memory/{folder}/key is missing, or another one. {closed}", folder=FOLDER, closed=_CLOSED
                ),
                hint=Sentence(
                    "Put it back from a copy, or delete memory/{folder}: then what hosts still hold may come back.",
                    folder=FOLDER,
                ),
            )
        records, damaged = [], 0
        for line in lines[1:]:
            record = _read(_object(line))
            damaged += record is None
            records += [record] if record is not None else []
        if damaged:
            logger.warning("{} lines of what was forgotten for good are damaged", damaged)
        return _merged(Known(key), records)

    def _write(self, known: Known) -> None:
        rows: list[Record] = [*known.texts.values(), *known.places]
        rows += [SaidAgain(id_, session, time) for (id_, session), time in known.again.items()]
        header = {"version": _VERSION, "key": known.key("key")}
        lines = [json.dumps(header), *(json.dumps(_row(one), ensure_ascii=True) for one in rows)]
        _put(self._file, "".join(f"{line}\n" for line in lines).encode("ascii"))

    def _key(self) -> Key | None:
        with suppress(FileNotFoundError):
            data = read_regular(self._key_file)
            if _KEY.fullmatch(data):
                return Key(bytes.fromhex(data.decode("ascii")))
        return None

    def _made_key(self) -> Key:
        """Return the key, made where there is none: under the lock, and on the disk before anything is made with it."""
        key = self._key()
        if key is None:
            secret = secrets.token_bytes(32)
            _put(self._key_file, secret.hex().encode("ascii") + b"\n")
            key = Key(secret)
        return key


def _merged(known: Known, new: Iterable[Record]) -> Known:
    """Return fingerprints with further ones: of the same text the latest order counts, and no word said before it."""
    texts, places, again = dict(known.texts), {_place(one): one for one in known.places}, dict(known.again)
    for one in new:
        if isinstance(one, TextPrint):
            before = texts.pop(one.id, None)
            texts[one.id] = one if before is None or before.time <= one.time else before
        elif isinstance(one, PlacePrint):
            places[_place(one)] = one
        else:
            again[one.id, one.session] = max(one.time, again.get((one.id, one.session), one.time))
    too_many = len(texts) + len(places) - _MOST
    if too_many > 0:
        logger.warning("{} fingerprints of what was forgotten first are dropped: there are too many", too_many)
        both: list[TextPrint | PlacePrint] = [*texts.values(), *places.values()]
        for oldest in sorted(both, key=lambda one: one.time)[:too_many]:
            if isinstance(oldest, PlacePrint):
                places.pop(_place(oldest), None)
            else:
                texts.pop(oldest.id, None)
    ordered = {one.id: one.time for one in places.values()} | {one.id: one.time for one in texts.values()}
    again = {
        (id_, session): time
        for (id_, session), time in again.items()
        if (ordered_at := ordered.get(id_.removesuffix(_WORDS))) is not None and time > ordered_at
    }
    return Known(known.key, MappingProxyType(texts), tuple(places.values()), MappingProxyType(again))


def words_of(id_: str) -> str:
    """Return what stands for the words of a fingerprint alone."""
    return id_ if id_.endswith(_WORDS) else id_ + _WORDS


def _place(one: PlacePrint) -> tuple[str, str, str, datetime | None]:
    return one.id, one.before, one.after, one.said


def _row(record: Record) -> dict[str, Any]:
    row: dict[str, Any] = {"id": record.id, "time": record.time.astimezone(UTC).isoformat()}
    if isinstance(record, SaidAgain):
        return {"kind": "again", **row, "session": record.session}
    row |= {"letters": record.letters, "words": record.words}
    if isinstance(record, TextPrint):
        return {"kind": "text", **row, "start": record.start, **({"redacted": True} if record.redacted else {})}
    beside = {"before": record.before, "after": record.after}
    if record.said is not None:
        beside["said"] = record.said.astimezone(UTC).isoformat()
    return {"kind": "place", **row, "session": record.session, "role": record.role, "gaps": record.gaps, **beside}


def _read(row: Mapping[str, Any]) -> Record | None:
    """Return the record of a line, or None for a damaged one. Raises `MemoryFileError` for a kind that is not known."""
    kind = row.get("kind")
    if isinstance(kind, str) and kind not in ("text", "place", "again"):
        raise MemoryFileError(
            Sentence("A newer version wrote the list of what was forgotten for good. {closed}", closed=_CLOSED),
            hint="Update nanobot-memory-core.",
        )
    try:
        id_, time = str(row["id"]), datetime.fromisoformat(row["time"])
        if kind == "again":
            return SaidAgain(id_, str(row["session"]), time)
        letters, words = int(row["letters"]), _spans(row["words"])
        if kind == "text":
            return TextPrint(id_, str(row["start"]), letters, words, time, bool(row.get("redacted")))
        session, role, gaps = str(row["session"]), str(row["role"]), _spans(row["gaps"])
        said = datetime.fromisoformat(row["said"]) if "said" in row else None
        return PlacePrint(id_, session, role, letters, gaps, words, str(row["before"]), str(row["after"]), time, said)
    except (KeyError, TypeError, ValueError):
        return None


def _spans(value: Any) -> Spans:
    return tuple((int(start), int(end)) for start, end in value)


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _put(path: Path, data: bytes) -> None:
    """Put a file in place in one step, for its owner only, and on the disk when this returns."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _unreadable(why: str) -> MemoryFileError:
    return MemoryFileError(
        Sentence("The list of what was forgotten for good cannot be read: {why}. {closed}", why=why, closed=_CLOSED),
        hint=Sentence("Put memory/{folder}/fingerprints.jsonl back from a copy, or delete the folder.", folder=FOLDER),
    )
