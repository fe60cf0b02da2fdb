"""The entries' file: read, changed under a lock, and never over somebody else's work.

The file is the truth about what is known; the state database holds the entries as they were written last, and what was
done to them. A file that is not what was written last was edited by somebody: it is read, and compared by id. Only
while the mark of an unfinished write stands does the file from before it mean a crash. Others may change the file at
any moment, without our lock: a change of ours is a function of the entries, and what somebody wrote in the instant
before the file was replaced is found in its backup, and merged.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.redacted_content import without_empty
from nanobot_memory_plugins.consolidation.store.bullets import not_understood, with_bullets
from nanobot_memory_plugins.consolidation.store.document import EntryDocument, parse
from nanobot_memory_plugins.consolidation.store.history import (
    BEGUN,
    BY_HAND,
    Change,
    History,
    Run,
    add_run,
    body_of,
    changes_between,
    entry_of,
    rewound,
)
from nanobot_memory_plugins.consolidation.store.merging import entries_of, merged
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.tombstones import Tombstones
from nanobot_memory_plugins.core import Clock, Origin, StoreError, SystemClock, logger, redact_text
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import FileBusyError, make_folder
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_lock, queued
from nanobot_memory_plugins.core.files.reading import damage_in, read_inside
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from apsw import Connection

_ATTEMPTS = 20
_POLL_SECONDS = 0.01
_LINE_NUMBER = re.compile(r"line \d+: ")
# What the log has been told of which file: the prompt, the commands and the plugin each read it by themselves.
_LOGGED: BoundedDict[tuple[Path, str], None] = BoundedDict(1_000)
# Days are written in UTC by whoever edits the file: what is today somewhere lies no further ahead.
_TOMORROW = timedelta(days=1)
# How long what others took out is told of.
_LATELY = timedelta(days=7)

Entries = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entries as they are, in the file's order, without those that are to be ``forgotten`` and can be restored.

    ``damage`` says what is wrong with the file when what was written last is used in its place.
    """

    path: Path
    entries: dict[str, Entry]
    document: EntryDocument
    problems: tuple[str, ...] = ()
    damage: str = ""
    forgotten: dict[str, Entry] = field(default_factory=dict)

    def shown(self) -> list[Entry]:
        """Return the entries without words of messages that are hidden with a forgotten one."""
        hidden = {id_ for entry in self.forgotten.values() for id_ in entry.hides}
        return [
            one if hidden.isdisjoint(one.records) else replace(one, quote="", quoted_on=None)
            for one in self.entries.values()
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was written: the run of the history, or None where nothing changed, and the entries as they are now."""

    path: Path
    entries: dict[str, Entry]
    run: Run | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """What became of which entry."""
        return self.run.changes if self.run is not None else ()


@dataclass(frozen=True, slots=True)
class State:
    """One look at the file: its bytes (None when there is no file), what they say, and all entries, forgotten ones too.

    ``known`` are the entries as they were written last, where that is not what the bytes say. ``is_written`` says that
    the bytes are what was written last, and that nothing is left to do, ``is_new`` that the state database knows
    nothing of the file.
    """

    raw: bytes | None
    document: EntryDocument
    entries: dict[str, Entry]
    known: dict[str, Entry] | None = None
    damage: str = ""
    is_written: bool = False
    is_new: bool = False

    @property
    def by_hand(self) -> tuple[Change, ...]:
        """What others did to the entries since they were written last."""
        return changes_between(self.known, self.entries) if self.known is not None else ()


class EntryRepository:
    """The scored entries of one workspace. Everything here blocks: call it in a thread.

    ``redact`` hides secrets in new texts, ``redact_said`` in those that users said. ``lock_seconds`` bounds the wait
    for the lock. ``at`` is called with the name of each point that a write passes, for tests.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        clock: Clock | None = None,
        redact: Callable[[str], str] = redact_text,
        redact_said: Callable[[str], str] | None = None,
        lock_seconds: float = 10.0,
        at: Callable[[str], None] = lambda _point: None,
    ) -> None:
        self.paths = MemoryPaths.of(workspace)
        self.clock = clock or SystemClock()
        self.state = StateDatabase.of(self.paths)
        self.history = History(self.state)
        self.tombstones = Tombstones(self.paths)
        self._redact = redact
        self._redact_said = redact_said or redact
        self._lock_seconds = lock_seconds
        self._at = at

    @property
    def path(self) -> Path:
        """The file of the entries, ``ENTRIES.md``."""
        return self.paths.entries

    @property
    def backup(self) -> Path:
        """The file as it was before the last write."""
        return self.path.with_name(f"{self.path.name}.bak")

    def load(self) -> Snapshot:
        """Return the entries; nothing is written. A missing or empty file has none. Raises `MemoryFileError`."""
        state = self._look()
        problems = self._problems(state)
        self._warn(problems, state.damage)
        live, forgotten = _parted(state.entries)
        return Snapshot(self.path, live, state.document, problems, state.damage, forgotten)

    def update(
        self,
        change: Callable[[dict[str, Entry]], Entries],
        *,
        who: str,
        why: str,
        allow_purged: bool = False,
        is_redacted: bool = False,
        with_forgotten: bool = False,
    ) -> Outcome:
        """Change the entries: ``change`` gets those that are known and returns those that shall be there.

        It may be called again, when the file moves meanwhile, and should depend on its argument alone. Texts
        that were purged are left out, unless ``allow_purged``, and new ones of which only a placeholder would be left.
        ``is_redacted`` says that new texts hold no secret any more, ``with_forgotten`` that ``change`` decides on
        forgotten entries, too. Raises `MemoryFileError`; the file is then as it was.
        """

        def decide(state: State) -> Entries:
            live, forgotten = (state.entries, {}) if with_forgotten else _parted(state.entries)
            wanted = dict(change(dict(live)))
            if not allow_purged:
                wanted = {id_: one for id_, one in wanted.items() if id_ in live or not self.tombstones.holds(one)}
            if not is_redacted:
                wanted = {id_: self._redacted(entry, live.get(id_)) for id_, entry in wanted.items()}
            return {**forgotten, **without_empty(wanted, live)}

        with self.locked():
            return self.write(decide, who=who, why=why)

    def redacted(self, text: str, origin: Origin = Origin.USER) -> str:
        """Return a text as it would be written, by who said it."""
        return self._redact_said(text) if origin is Origin.USER else self._redact(text)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the file. Raises `MemoryFileError`, as `FileBusyError` where another process holds it."""
        from filelock import Timeout

        with ExitStack() as held:
            try:
                make_folder(self.paths, self.paths.locks)
                lock = private_lock(self.paths.locks / "entries.lock")
                held.enter_context(queued(lock, timeout=self._lock_seconds, poll_interval=_POLL_SECONDS))
            except Timeout as error:
                raise FileBusyError("The entries are locked by another process.") from error
            except OSError as error:
                raise MemoryFileError(Sentence("The entries cannot be locked: {why}.", why=error.strerror)) from error
            try:
                yield
            except StoreError as error:
                raise FileBusyError(error.cause, hint=error.hint) from error

    def write(self, decide: Callable[[State], Entries], *, who: str, why: str, undoes: str = "") -> Outcome:
        """Let ``decide`` say what shall be there, forgotten entries among it, and write it. Hold the lock."""
        made: Run | None = None
        for _ in range(_ATTEMPTS):
            state = self._look()
            self._warn(self._problems(state), state.damage)
            document, bullets = with_bullets(state.document, state.entries, self)
            state = replace(state, document=document, entries={**state.entries, **bullets})
            wanted = dict(decide(state))
            now = self.clock.now()
            data = render(state.document, wanted, now=now)
            own = changes_between(state.entries, wanted)
            if data == (state.raw or b"") and state.is_written and not own:
                return Outcome(self.path, wanted, made)
            self._at("before check")
            if self._read(self.path) != state.raw:
                continue
            run = Run("", exact_time(now.astimezone(UTC)), who, why, own, undoes)
            run, is_done = self._replace(state, wanted, data, run)
            made = made or (run if own or undoes else None)
            if is_done:
                return Outcome(self.path, wanted, made)
            decide = _as_they_are  # what somebody wrote in the last instant is taken from the backup
        raise FileBusyError(Sentence("{name} is being written by somebody else all the time.", name=self.path.name))

    def settle(self) -> None:
        """Take up what others did to the file: give ids to what they wrote without, and put a damaged file right.

        Nothing is written where nothing is to do. Raises `MemoryFileError`.
        """
        if not self._look().is_written and self.path.exists():
            with self.locked():
                self.write(_as_they_are, who=BY_HAND, why="")

    def written_last(self) -> dict[str, Entry]:
        """Return the entries as they were written last, forgotten ones too. Raises `StoreError`."""
        read = ((id_, entry_of(body)) for id_, body in self.state.read("SELECT id, body FROM entry"))
        return {id_: entry for id_, entry in read if entry is not None}

    def taken_out(self) -> list[str]:
        """Return the ids of the entries that others took out of the file lately, and that are not back."""
        state, since = self._look(), exact_time(self.clock.now() - _LATELY)
        runs = [run for run in self.history.runs() if run.who == BY_HAND and run.time >= since]
        changes = [change for run in runs for change in run.changes] + list(state.by_hand)
        gone = dict.fromkeys(change.id for change in changes if change.after is None)
        return [id_ for id_ in gone if id_ not in state.entries and not self.tombstones.holds_id(id_)]

    def is_without_history(self) -> bool:
        """Return whether the file has entries and the state database knows nothing of it, or has begun with it."""
        runs = self.state.read("SELECT why FROM run ORDER BY id LIMIT 1")
        return runs[0][0] == BEGUN if runs else self._written() is None and bool(self.load().entries)

    def clean_backup(self, kept: Callable[[Entry], Entry | None], clean: Callable[[bytes], bytes]) -> bool:
        """Write the backup with what is ``kept`` of its entries, and other text ``clean``; say whether that changed it.

        Hold the lock. Raises `MemoryFileError`.
        """
        before = self._read(self.backup)
        if before is None:
            return False
        document = parse(before)
        left = {id_: one for id_, entry in document.entries.items() if (one := kept(entry)) is not None}
        after = clean(render(document, left, now=self.clock.now()))
        if after != before:
            self._replace_backup(after)
        return after != before

    def _replace_backup(self, data: bytes) -> None:
        replace_file(self.backup, data)
        with suppress(OSError):
            self.backup.with_name(f"{self.backup.name}.bak").unlink()

    def _look(self) -> State:
        """Return the file's state; nothing is written. Raises `MemoryFileError`."""
        raw = self._read(self.path)
        data, written = raw or b"", self._written()
        digest, previous, unfinished = written or ("", "", 0)
        damage = damage_in(data)
        if written is not None and not damage and raw is not None and not data.strip(b"\xef\xbb\xbf \t\r\n"):
            damage = Sentence("it is empty") if self.written_last() else ""
        if damage:
            copy = self._read(self.backup) or b""
            document = parse(data if damage_in(copy) or not copy else copy)
            known = self.written_last() if written is not None else None
            is_new = written is None
            return State(raw, document, known or entries_of(document, {}), known, damage, is_new=is_new)
        document = parse(data)
        if written is None:
            return State(raw, document, entries_of(document, {}), is_new=True)
        if _digest(data) == digest and not unfinished:
            return State(raw, document, entries_of(document, {}), is_written=True)
        known = self._written_of(document)
        if _digest(data) == digest:
            theirs = self._read(self.backup)
            if theirs is None or previous in (_digest(b""), _digest(theirs)):
                return State(raw, document, known, known)
            document = parse(theirs)
        elif unfinished and _digest(data) == previous:
            return State(raw, document, known, known)
        entries = entries_of(document, known)
        if unfinished and (run := self.history.run(str(unfinished))) is not None:
            base, ours = rewound(known, run), known
            written_at = document.written_at if _digest(data) != digest else None
            if written_at is not None and written_at.tzinfo and exact_time(written_at) == run.time:
                # They have edited what we had written; somebody else may have written in the instant before.
                theirs = self._read(self.backup)
                if theirs is not None and previous not in (_digest(b""), _digest(theirs)):
                    ours = merged(base, entries_of(parse(theirs), base), known)
                base = known
            entries = merged(base, entries, ours)
        kept = {id_: one for id_, one in entries.items() if id_ in known or not self.tombstones.holds(one)}
        return State(raw, document, kept, known)

    def _replace(self, state: State, wanted: Entries, data: bytes, run: Run) -> tuple[Run, bool]:
        """Write down what others did and what we do, and replace the file; return our run, and whether that is all.

        It is not where somebody wrote in the instant before the file was replaced: their version is in the backup.
        """
        make_folder(self.paths, self.paths.memory)
        raw, when, done = state.raw or b"", run.time, run

        def record(connection: "Connection") -> None:
            nonlocal done
            if state.is_new and state.entries:
                add_run(connection, Run("", when, BY_HAND, BEGUN))
            if state.by_hand:
                how = "edited in {name}" if state.raw is not None else "{name} was gone"
                why = how.format(name=self.path.name)
                add_run(connection, Run("", when, BY_HAND, why, self._safe_changes(state.by_hand, state)))
            if run.changes or run.undoes:
                done = add_run(connection, replace(run, changes=self._safe_changes(run.changes, state)))
            self._set(connection, state, wanted, data, int(done.id or -1) if data != raw else 0)

        self._at("before record")
        if data == raw:
            self.state.write(record)
            return done, True
        if state.damage:
            replace_file(self.path.with_name(f"{self.path.name}.damaged"), raw)
        try:
            replace_file(self.path, data, ready=lambda: self.state.write(record))
        except MemoryFileError:
            self.state.write(lambda connection: self._withdraw(connection, state, done))
            raise
        self._at("after replace")
        if state.damage and state.document.data:
            self._replace_backup(state.document.data)
        elif state.raw is not None and self._read(self.backup) not in (None, raw):
            return done, False
        self.state.execute("UPDATE written_file SET unfinished = 0 WHERE name = ?", (self.path.name,))
        return done, True

    def _set(self, connection: "Connection", state: State, wanted: Entries, data: bytes, unfinished: int) -> None:
        """Write down the entries and the file that they stand in."""
        before = state.entries if state.is_written else {}
        fresh = [
            (id_, body_of(self._safe(entry, state)), max(0, unfinished))
            for id_, entry in wanted.items()
            if before.get(id_) is not entry
        ]
        known = [str(row[0]) for row in connection.execute("SELECT id FROM entry").fetchall()]
        connection.executemany("DELETE FROM entry WHERE id = ?", [(id_,) for id_ in known if id_ not in wanted])
        connection.executemany(
            "INSERT INTO entry (id, body, revision) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET body = excluded.body, revision = excluded.revision",
            fresh,
        )
        connection.execute(
            "INSERT OR REPLACE INTO written_file (name, digest, previous, unfinished) VALUES (?, ?, ?, ?)",
            (self.path.name, _digest(data), _digest(state.raw or b""), unfinished),
        )

    def _withdraw(self, connection: "Connection", state: State, run: Run) -> None:
        """Take back what was written down of a write that could not be done."""
        if run.id:
            connection.execute("DELETE FROM run WHERE id = ?", (int(run.id),))
        self._set(connection, replace(state, is_written=False), state.entries, state.raw or b"", 0)

    def _written(self) -> tuple[str, str, int] | None:
        sql = "SELECT digest, previous, unfinished FROM written_file WHERE name = ?"
        try:
            rows = self.state.read(sql, (self.path.name,))
        except StoreError as error:
            raise FileBusyError(error.cause, hint=error.hint) from error
        return (str(rows[0][0]), str(rows[0][1]), int(rows[0][2])) if rows else None

    def _read(self, path: Path) -> bytes | None:
        try:
            return read_inside(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise MemoryFileError(
                Sentence("{name} cannot be read: {why}.", name=path.name, why=error.strerror or type(error).__name__)
            ) from error

    def _written_of(self, document: EntryDocument) -> dict[str, Entry]:
        """Return the entries as they were written last, with the secrets that people wrote into the file themselves."""
        known = self.written_last()
        for id_, entry in document.entries.items():
            ours = known.get(id_)
            if ours is None or ours.content == entry.content:
                continue
            if self.redacted(entry.content, entry.origin) == ours.content:
                known[id_] = replace(ours, content=entry.content)
        return known

    def _safe(self, entry: Entry, state: State) -> Entry:
        """Return an entry as the state database may hold it: what a person wrote stays in the file as it is."""
        own = state.entries.get(entry.id)
        if own is None or own.content != entry.content:
            return entry  # a text of ours, which was redacted before it came here
        return replace(entry, content=self.redacted(entry.content, entry.origin))

    def _safe_changes(self, changes: tuple[Change, ...], state: State) -> tuple[Change, ...]:
        def safe(entry: Entry | None) -> Entry | None:
            return self._safe(entry, state) if entry is not None else None

        return tuple(replace(one, before=safe(one.before), after=safe(one.after)) for one in changes)

    def _redacted(self, entry: Entry, before: Entry | None) -> Entry:
        """Return an entry without secrets in what is new of its text; what people wrote is theirs."""
        if before is not None and before.content == entry.content:
            return entry
        safe = self.redacted(entry.content, entry.origin)
        return entry if safe == entry.content else replace(entry, content=safe)

    def _problems(self, state: State) -> tuple[str, ...]:
        """Return what is wrong with the file, in words: what it cannot say, and what cannot be."""
        tomorrow = self.clock.now() + _TOMORROW
        ahead = [id_ for id_, entry in state.entries.items() if entry.last_activated > tomorrow]
        problems = (*state.document.problems, *not_understood(state.document))
        if not ahead:
            return problems
        one = Sentence("the entry {id}", id=ahead[0])
        which = Sentence("{one} and {more} more", one=one, more=len(ahead) - 1) if len(ahead) > 1 else one
        lies = Sentence("{which}: the day lies in the future, and nothing fades before it", which=which)
        return (*problems, lies)

    def _warn(self, problems: tuple[str, ...], damage: str) -> None:
        """Say once what is wrong with the file."""
        name = self.path.name
        what = [f"{name} is damaged ({damage}); what was written last is used"] if damage else []
        what += [Sentence("{file}, {problem}", file=name, problem=Sentence.of(problem)) for problem in problems]
        for problem in what:
            lasting = self.path, _LINE_NUMBER.sub("", problem)  # entries move, and with them their lines
            if lasting not in _LOGGED:
                _LOGGED[lasting] = None
                logger.warning("entries: {}", problem)


def settle_workspace(workspace: Path) -> str:
    """Do what `EntryRepository.settle` does, for the commands, which are told nothing. It blocks."""
    EntryRepository(workspace, lock_seconds=2.0).settle()
    return ""


def _parted(entries: Entries) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Return the entries that are known, and those that are to be forgotten."""
    gone = {id_: one for id_, one in entries.items() if one.is_forgotten}
    return {id_: one for id_, one in entries.items() if id_ not in gone}, gone


def _as_they_are(state: State) -> Entries:
    return state.entries


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
