"""Reading and writing the entries' file, without ever overwriting somebody else's changes.

The file is authoritative and is written first; the state database holds the entries as they were last written, and
their history. A file that differs from the last write was edited by somebody, or written by a process that ended before
it could record that: it is read and compared by id. Others may change the file at any moment without taking the lock.
A change is therefore a function of the entries, and an edit made in the instant before the file is replaced is found in
the backup and merged.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import new_id, normalised_text
from nanobot_memory_plugins.consolidation.model.scoring import INITIAL_SCORES, Importance, decay_entry
from nanobot_memory_plugins.consolidation.store.document import Bullet, EntryDocument, parse, render
from nanobot_memory_plugins.consolidation.store.history import History, changes_between
from nanobot_memory_plugins.consolidation.store.merging import entries_of, merge_entries
from nanobot_memory_plugins.core import Clock, Origin, StoreError, SystemClock, logger, redact_text
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import FileBusyError, make_folder, workspace_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import describe_damage, file_stamp, read_inside
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.evidence import terms
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.entries import BY_HAND, Entry, EntryChange, EntryRun
from nanobot_memory_plugins.redaction.script.messages import Sentence

_ATTEMPTS = 20
# Seconds to wait for the lock of the file. A tool call in a turn waits as well.
_LOCK_SECONDS = 5.0
_BLANK = b"\xef\xbb\xbf \t\r\n"
_PLACEHOLDER = re.compile(r"\[(?:REDACTED|API_KEY|PRIVATE_KEY|EMAIL|PHONE|CARD|ID_NUMBER|IBAN)\]")
# Each clause can say something: "the network is HarborGuest, the password is [REDACTED]".
_CLAUSES = re.compile(r"[.;!?。；！？\n]+(?:\s|$)|[,，、；。]|\s(?:and|but)\s")
_LINE_NUMBER = re.compile(r"line \d+: ")
# The problems of each file that were logged: the prompt, the commands and the plugin each read the file.
_LOGGED: BoundedDict[tuple[Path, str], None] = BoundedDict(1_000)
# How long entries that others removed are reported.
_REPORTED_FOR = timedelta(days=7)

Entries = Mapping[str, Entry]


@dataclass(frozen=True)
class Snapshot:
    """The state of the file at one moment: its bytes (None without a file), the document, and all entries.

    ``last_written`` are the entries as they were last written, when the bytes differ from that. ``damage`` says what is
    wrong with the file when the last written entries are used instead. ``is_written`` says that the bytes are those of
    the last write, so that nothing is left to do. If the file has another ``stamp``, it has changed since.
    """

    raw: bytes | None
    document: EntryDocument
    all_entries: dict[str, Entry]
    last_written: dict[str, Entry] | None = None
    damage: str = ""
    is_written: bool = False
    stamp: object = None

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries in the file's order, without the forgotten ones."""
        return {id_: entry for id_, entry in self.all_entries.items() if not entry.is_forgotten}

    @cached_property
    def forgotten(self) -> dict[str, Entry]:
        """The forgotten entries, which can be restored."""
        return {id_: entry for id_, entry in self.all_entries.items() if entry.is_forgotten}

    @property
    def problems(self) -> tuple[str, ...]:
        """Messages about the parts of the file that cannot be read."""
        return self.document.problems

    @property
    def outside_changes(self) -> tuple[EntryChange, ...]:
        """The changes that others made to the entries since the last write."""
        return changes_between(self.last_written, self.all_entries) if self.last_written is not None else ()

    def displayed_entries(self) -> list[Entry]:
        """Return the entries without quotations from messages that are hidden with a forgotten entry."""
        hidden = {id_ for entry in self.forgotten.values() for id_ in entry.hides}
        return [
            entry if hidden.isdisjoint(entry.records) else replace(entry, quote="", quoted_on=None)
            for entry in self.entries.values()
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a write: the run in the history, or None when nothing changed, and the entries now."""

    entries: dict[str, Entry]
    run: EntryRun | None = None

    @property
    def changes(self) -> tuple[EntryChange, ...]:
        """The changes to the entries."""
        return self.run.changes if self.run is not None else ()


class EntryRepository:
    """The scored entries of one workspace. All methods block: call them in a thread.

    ``redact`` hides secrets in new texts, ``redact_said`` in the users' own words. Tests use ``at``, which is called
    with the name of each step of a write.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        clock: Clock | None = None,
        redact: Callable[[str], str] = redact_text,
        redact_said: Callable[[str], str] | None = None,
        at: Callable[[str], None] = lambda _point: None,
    ) -> None:
        self.paths = MemoryPaths.of(workspace)
        self.path = self.paths.entries
        self.backup = self.path.with_name(f"{self.path.name}.bak")
        self.clock = clock or SystemClock()
        self.state = StateDatabase.of(self.paths)
        self.history = History(self.state)
        self._redact = redact
        self._redact_said = redact_said or redact
        self._at = at
        self._cached: Snapshot | None = None

    def load_cached(self) -> Snapshot:
        """Return the result of `load`, which is repeated only after the file has changed."""
        if self._cached is None or self._cached.stamp != file_stamp(self.path):
            self._cached = self.load()
        return self._cached

    def load(self) -> Snapshot:
        """Read the file without writing anything. A missing file has no entries. Raises `MemoryFileError`."""
        try:
            snapshot = self._read_snapshot()
        except StoreError as error:
            raise FileBusyError(error.cause, hint=error.hint) from error
        name = self.path.name
        if snapshot.damage:
            _log_once(self.path, f"{name} is damaged ({snapshot.damage}); what was written last is used")
        for problem in snapshot.problems:
            _log_once(self.path, Sentence("{file}, {problem}", file=name, problem=Sentence.of(problem)))
        return snapshot

    def update(
        self,
        change: Callable[[dict[str, Entry]], Entries],
        *,
        who: str,
        why: str,
        allow_purged: bool = False,
        with_forgotten: bool = False,
        undoes: str = "",
    ) -> Outcome:
        """Replace the entries with the result of ``change``, which is called with the current ones.

        It is called again when the file changes meanwhile, so it should depend on its argument alone. New entries that
        were purged are left out unless ``allow_purged``, and so are new ones whose whole content is redacted. With
        ``with_forgotten``, ``change`` gets and returns the forgotten entries as well. ``undoes`` is the run that the
        change takes back. Raises `MemoryFileError`; the file is then unchanged.
        """

        def decide(all_entries: dict[str, Entry]) -> Entries:
            forgotten = (
                {} if with_forgotten else {id_: entry for id_, entry in all_entries.items() if entry.is_forgotten}
            )
            live = {id_: entry for id_, entry in all_entries.items() if id_ not in forgotten}
            unchanged = {(id_, entry.content) for id_, entry in live.items()}
            changed = {
                id_: entry if (id_, entry.content) in unchanged else self._redact_entry(entry)
                for id_, entry in change(dict(live)).items()
                if id_ in live or allow_purged or not self.history.is_purged(entry.id, entry.content)
            }
            kept = {id_: entry for id_, entry in changed.items() if id_ in live or not says_only_secrets(entry.content)}
            return {**forgotten, **kept}

        with self.locked():
            return self.write(decide, who=who, why=why, undoes=undoes)

    def redact(self, text: str, origin: Origin = Origin.USER) -> str:
        """Return a text with its secrets hidden, as it would be written for this origin."""
        return self._redact_said(text) if origin is Origin.USER else self._redact(text)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the file. Raises `MemoryFileError`; `FileBusyError` when another process holds the lock."""
        with workspace_lock(self.paths, "entries", _LOCK_SECONDS):
            try:
                yield
            except StoreError as error:
                raise FileBusyError(error.cause, hint=error.hint) from error

    def write(self, decide: Callable[[dict[str, Entry]], Entries], *, who: str, why: str, undoes: str = "") -> Outcome:
        """Write what ``decide`` returns for all entries, forgotten ones included. The caller holds the lock."""
        snapshot = self.load()
        for _ in range(_ATTEMPTS):
            document, new = self.with_ids(snapshot.document, snapshot.all_entries)
            snapshot = replace(snapshot, document=document, all_entries={**snapshot.all_entries, **new})
            entries = dict(decide(snapshot.all_entries))
            now = self.clock.now()
            data = render(document, entries, now=now)
            changed = changes_between(snapshot.all_entries, entries)
            # The old states are as of an earlier time: fade them to now.
            changed = tuple(
                replace(change, before=change.before and decay_entry(change.before, now)) for change in changed
            )
            run = EntryRun("", now, who, why, changed, undoes)
            if snapshot.is_written and data == (snapshot.raw or b"") and not run.changes:
                return Outcome(entries)
            self._at("before check")
            if file_stamp(self.path) != snapshot.stamp:
                snapshot = self.load()
                continue
            overwritten = self._replace(snapshot, data)
            if overwritten is None:
                return Outcome(entries, self._record_write(snapshot, entries, data, run))
            # Merge the edit that somebody made in the instant before with our change.
            decide = partial(merge_entries, snapshot.all_entries, local=entries)
            document = parse(overwritten)
            last_written, edited = (
                snapshot.last_written or snapshot.all_entries,
                entries_of(document, snapshot.all_entries),
            )
            snapshot = Snapshot(data, document, edited, last_written, stamp=file_stamp(self.path))
        raise FileBusyError(Sentence("{name} is constantly being written by another program.", name=self.path.name))

    def with_ids(self, document: EntryDocument, known_entries: Entries) -> tuple[EntryDocument, dict[str, Entry]]:
        """Return the file without the bullets that people wrote as entries, and new entries for them, each text once.

        A bullet that no entry repeats stays as it is when it contains a secret, says only redacted ones, or was purged.
        """
        adopted, new = [], dict[str, Entry]()
        texts = {normalised_text(entry.content) for entry in known_entries.values() if not entry.is_forgotten}
        forgotten = {normalised_text(entry.content) for entry in known_entries.values() if entry.is_forgotten}
        for bullet in document.bullets:
            entry, words = self._new_entry(bullet, {**known_entries, **new}), normalised_text(bullet.content)
            # Somebody who writes a forgotten text again wants it back; a copied entry does not say so.
            if words not in texts and not (bullet.copy and words in forgotten):
                is_secret = self.redact(bullet.content) != bullet.content or says_only_secrets(bullet.content)
                if is_secret or self.history.is_purged(entry.id, entry.content):
                    continue
                texts.add(words)
                new[entry.id] = entry
            adopted.append(bullet)
        return document.without_bullets(adopted), new

    def adopt_edits(self) -> None:
        """Adopt changes that others made to the file: give ids to new entries, and repair a damaged file.

        Nothing is written when nothing changed. Raises `MemoryFileError`.
        """
        if not self.load().is_written and self.path.exists():
            with self.locked():
                self.write(dict, who=BY_HAND, why="")

    def removed_ids(self) -> list[str]:
        """Return the ids of entries that others removed from the file in the last days and that are still missing."""
        snapshot, since = self.load(), self.clock.now() - _REPORTED_FOR
        runs = [run for run in self.history.runs() if run.who == BY_HAND and run.time >= since]
        changes = [change for run in runs for change in run.changes] + list(snapshot.outside_changes)
        removed = dict.fromkeys(change.id for change in changes if change.after is None)
        return [id_ for id_ in removed if id_ not in snapshot.all_entries and not self.history.is_purged(id_)]

    def _read_snapshot(self) -> Snapshot:
        stamp, raw, digest = file_stamp(self.path), self._read_file(self.path), self.history.written_digest()
        data = raw or b""
        is_emptied = raw is not None and not data.strip(_BLANK) and bool(self.history.written_entries())
        damage = Sentence("it is empty") if is_emptied else describe_damage(data)
        copy = (self._read_file(self.backup) or b"") if damage else data
        is_whole = bool(copy) and not describe_damage(copy)
        document = parse(copy if is_whole else b"")  # a damaged document is read, but never written again
        entries = entries_of(document if is_whole else parse(data), {})
        snapshot = Snapshot(raw, document, entries, damage=damage, stamp=stamp)
        if digest is None:
            return snapshot
        if not damage and digest == _digest(data):
            return replace(snapshot, is_written=True)
        known = self.history.written_entries()
        if damage:
            return replace(snapshot, all_entries=known or snapshot.all_entries, last_written=known)
        entries = entries_of(document, known)
        kept = {
            id_: entry
            for id_, entry in entries.items()
            if id_ in known or not self.history.is_purged(entry.id, entry.content)
        }
        return replace(snapshot, all_entries=kept, last_written=known)

    def _replace(self, snapshot: Snapshot, data: bytes) -> bytes | None:
        """Replace the file; return the content that somebody else wrote in the instant before, or None."""
        make_folder(self.paths, self.paths.memory)
        raw = snapshot.raw or b""
        self._at("before replace")
        if data == raw:
            return None
        if snapshot.damage:
            replace_file(self.path.with_name(f"{self.path.name}.damaged"), raw)
        replace_file(self.path, data)
        self._at("after replace")
        if snapshot.damage and snapshot.document.data:
            replace_file(self.backup, snapshot.document.data, keeps_backup=False)
            return None
        overwritten = self._read_file(self.backup) if snapshot.raw is not None else None
        return None if overwritten == raw else overwritten

    def _record_write(self, snapshot: Snapshot, entries: Entries, data: bytes, run: EntryRun) -> EntryRun | None:
        """Record the others' changes and ours, without secrets, and return our run."""
        runs = []
        if snapshot.outside_changes:
            why = f"edited in {self.path.name}" if snapshot.raw is not None else f"{self.path.name} was gone"
            runs.append(EntryRun("", run.time, BY_HAND, why, self._redact_changes(snapshot.outside_changes)))
        run = replace(run, changes=self._redact_changes(run.changes))
        is_own = bool(run.changes or run.undoes)
        runs += [run] if is_own else []
        before = snapshot.all_entries if snapshot.is_written else {}
        changed = [self._redact_entry(entry) for id_, entry in entries.items() if before.get(id_) is not entry]
        try:
            made = self.history.record_write(_digest(data), entries.keys(), changed, runs)
        except StoreError as error:  # the file is written, and is authoritative
            logger.warning("what was done to the entries is not in their history: {}", error.cause)
            made = [run]
        return made[-1] if is_own else None

    def _read_file(self, path: Path) -> bytes | None:
        try:
            return read_inside(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise MemoryFileError(
                Sentence("{name} cannot be read: {why}.", name=path.name, why=error.strerror or type(error).__name__)
            ) from error

    def _redact_entry(self, entry: Entry) -> Entry:
        """Return an entry whose text has no secrets, for the database. In the file people's own text is unchanged."""
        redacted = self.redact(entry.content, entry.origin)
        return entry if redacted == entry.content else replace(entry, content=redacted)

    def _redact_changes(self, changes: Sequence[EntryChange]) -> tuple[EntryChange, ...]:
        """Return changes without secrets, for the state database; a change of nothing but a secret is left out."""
        redacted = [
            EntryChange(
                change.id,
                change.before and self._redact_entry(change.before),
                change.after and self._redact_entry(change.after),
            )
            for change in changes
        ]
        return tuple(change for change in redacted if change.before != change.after)

    def _new_entry(self, bullet: Bullet, known_entries: Entries) -> Entry:
        now = self.clock.now().replace(microsecond=0)
        importance = Importance.HIGH
        new = Entry("", bullet.content, bullet.category.value, INITIAL_SCORES[importance], now)
        new = bullet.copy or replace(new, created_at=now, importance=importance.value)
        return replace(new, id=new_id(known_entries))


def says_only_secrets(text: str) -> bool:
    """Return whether a redacted text says nothing but its secrets: no clause without a placeholder has two terms."""
    rest = " ".join(clause for clause in _CLAUSES.split(text) if not _PLACEHOLDER.search(clause))
    return _PLACEHOLDER.search(text) is not None and len(terms(rest)) < 2


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _log_once(path: Path, problem: str) -> None:
    key = path, _LINE_NUMBER.sub("", problem)  # the line changes when entries move
    if key not in _LOGGED:
        _LOGGED[key] = None
        logger.warning("entries: {}", problem)
