"""The entries' file: read, changed under a lock, and never over somebody else's work.

The file is the truth about what is known, and is written first; the state database holds the entries as they were
written last, and what was done to them. A file that is not what was written last was edited by somebody, or by us where
a process ended in between: it is read, and compared by id. Others may change the file at any moment, without our lock:
a change of ours is a function of the entries, and what somebody wrote in the instant before the file was replaced is
found in its backup, and merged.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import new_id, plain_words
from nanobot_memory_plugins.consolidation.model.scoring import INITIAL_SCORES, Importance, decayed
from nanobot_memory_plugins.consolidation.store.document import Bullet, EntryDocument, parse, render
from nanobot_memory_plugins.consolidation.store.history import History, changes_between
from nanobot_memory_plugins.consolidation.store.merging import entries_of, merged
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
# Seconds that is waited for the lock of the file: a tool of a turn does, too.
_LOCK_SECONDS = 5.0
_BLANK = b"\xef\xbb\xbf \t\r\n"
_PLACEHOLDER = re.compile(r"\[(?:REDACTED|API_KEY|PRIVATE_KEY|EMAIL|PHONE|CARD|ID_NUMBER|IBAN)\]")
# A clause of its own tells something of its own: "the network is HarborGuest, the password is [REDACTED]".
_CLAUSES = re.compile(r"[.;!?。；！？\n]+(?:\s|$)|[,，、；。]|\s(?:and|but)\s")
_LINE_NUMBER = re.compile(r"line \d+: ")
# The problems of each file that were logged: the prompt, the commands and the plugin each read it by themselves.
_LOGGED: BoundedDict[tuple[Path, str], None] = BoundedDict(1_000)
# How long entries that others took out are reported.
_LATELY = timedelta(days=7)

Entries = Mapping[str, Entry]


@dataclass(frozen=True)
class Snapshot:
    """One look at the file: its bytes (None when there is no file), what they say, and all entries, forgotten ones too.

    ``known`` are the entries as they were written last, where that is not what the bytes say. ``damage`` says what is
    wrong with the file when what was written last is used in its place. ``is_written`` says that the bytes are what was
    written last, and that nothing is left to do. A file with another ``stamp`` has changed since.
    """

    raw: bytes | None
    document: EntryDocument
    every: dict[str, Entry]
    known: dict[str, Entry] | None = None
    damage: str = ""
    is_written: bool = False
    stamp: object = None

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries in the file's order, without those that are forgotten and can be restored."""
        return {id_: entry for id_, entry in self.every.items() if not entry.is_forgotten}

    @cached_property
    def forgotten(self) -> dict[str, Entry]:
        """The entries that are forgotten and can be restored."""
        return {id_: entry for id_, entry in self.every.items() if entry.is_forgotten}

    @property
    def problems(self) -> tuple[str, ...]:
        """What of the file cannot be read, in words."""
        return self.document.problems

    @property
    def by_hand(self) -> tuple[EntryChange, ...]:
        """What others did to the entries since they were written last."""
        return changes_between(self.known, self.every) if self.known is not None else ()

    def shown(self) -> list[Entry]:
        """Return the entries without words of messages that are hidden with a forgotten one."""
        hidden = {id_ for entry in self.forgotten.values() for id_ in entry.hides}
        return [
            entry if hidden.isdisjoint(entry.records) else replace(entry, quote="", quoted_on=None)
            for entry in self.entries.values()
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was written: the run of the history, or None where nothing changed, and the entries as they are now."""

    entries: dict[str, Entry]
    run: EntryRun | None = None

    @property
    def changes(self) -> tuple[EntryChange, ...]:
        """What became of which entry."""
        return self.run.changes if self.run is not None else ()


class EntryRepository:
    """The scored entries of one workspace. Everything here blocks: call it in a thread.

    ``redact`` hides secrets in new texts, ``redact_said`` in those that users said. ``at`` is called
    with the name of each point that a write passes, for tests.
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
        self._look: Snapshot | None = None

    def look(self) -> Snapshot:
        """Return what `load` does, read once for each state of the file."""
        if self._look is None or self._look.stamp != file_stamp(self.path):
            self._look = self.load()
        return self._look

    def load(self) -> Snapshot:
        """Return what there is; nothing is written. A missing file has no entries. Raises `MemoryFileError`."""
        try:
            found = self._read_snapshot()
        except StoreError as error:
            raise FileBusyError(error.cause, hint=error.hint) from error
        name = self.path.name
        if found.damage:
            _log_once(self.path, f"{name} is damaged ({found.damage}); what was written last is used")
        for problem in found.problems:
            _log_once(self.path, Sentence("{file}, {problem}", file=name, problem=Sentence.of(problem)))
        return found

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
        """Change the entries: ``change`` gets those that are known and returns those that shall be there.

        It may be called again, when the file moves meanwhile, and should depend on its argument alone. Texts that were
        purged are left out, unless ``allow_purged``, and new ones of which only a placeholder would be left.
        ``with_forgotten`` says that ``change`` decides on forgotten entries, too, and ``undoes`` which run it takes
        back. Raises `MemoryFileError`; the file is then as it was.
        """

        def decide(every: dict[str, Entry]) -> Entries:
            forgotten = {} if with_forgotten else {id_: entry for id_, entry in every.items() if entry.is_forgotten}
            live = {id_: entry for id_, entry in every.items() if id_ not in forgotten}
            held = {(id_, entry.content) for id_, entry in live.items()}
            changed = {
                id_: entry if (id_, entry.content) in held else self._redacted(entry)
                for id_, entry in change(dict(live)).items()
                if id_ in live or allow_purged or not self.history.is_purged(entry.id, entry.content)
            }
            kept = {id_: entry for id_, entry in changed.items() if id_ in live or not is_point_hidden(entry.content)}
            return {**forgotten, **kept}

        with self.locked():
            return self.write(decide, who=who, why=why, undoes=undoes)

    def redacted(self, text: str, origin: Origin = Origin.USER) -> str:
        """Return a text as it would be written, by who said it."""
        return self._redact_said(text) if origin is Origin.USER else self._redact(text)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the file. Raises `MemoryFileError`, as `FileBusyError` where another process holds it."""
        with workspace_lock(self.paths, "entries", _LOCK_SECONDS):
            try:
                yield
            except StoreError as error:
                raise FileBusyError(error.cause, hint=error.hint) from error

    def write(self, decide: Callable[[dict[str, Entry]], Entries], *, who: str, why: str, undoes: str = "") -> Outcome:
        """Let ``decide`` make of all entries, forgotten ones too, what shall be there, and write it. Hold the lock."""
        found = self.load()
        for _ in range(_ATTEMPTS):
            document, new = self.with_ids(found.document, found.every)
            found = replace(found, document=document, every={**found.every, **new})
            entries = dict(decide(found.every))
            now = self.clock.now()
            data = render(document, entries, now=now)
            changed = changes_between(found.every, entries)
            # They were written at some time; meanwhile they have faded.
            changed = tuple(replace(one, before=one.before and decayed(one.before, now)) for one in changed)
            run = EntryRun("", now, who, why, changed, undoes)
            if found.is_written and data == (found.raw or b"") and not run.changes:
                return Outcome(entries)
            self._at("before check")
            if file_stamp(self.path) != found.stamp:
                found = self.load()
                continue
            replaced = self._replace(found, data)
            if replaced is None:
                return Outcome(entries, self._write_down(found, entries, data, run))
            # What somebody made of the file in the instant before goes together with what we made of it.
            decide = partial(merged, found.every, local=entries)
            document = parse(replaced)
            known, every = found.known or found.every, entries_of(document, found.every)
            found = Snapshot(data, document, every, known, stamp=file_stamp(self.path))
        raise FileBusyError(Sentence("{name} is being written by somebody else all the time.", name=self.path.name))

    def with_ids(self, document: EntryDocument, known_entries: Entries) -> tuple[EntryDocument, dict[str, Entry]]:
        """Return a file without what people wrote as entries without an id, and these as entries, each text once.

        One with a secret that no entry holds stays as it is, as does one that was purged.
        """
        taken, new = [], dict[str, Entry]()
        texts = {plain_words(entry.content) for entry in known_entries.values() if not entry.is_forgotten}
        forgotten = {plain_words(entry.content) for entry in known_entries.values() if entry.is_forgotten}
        for bullet in document.bullets:
            entry, words = self._new_entry(bullet, {**known_entries, **new}), plain_words(bullet.content)
            # What somebody writes anew is wanted again; a copy of what was forgotten is not.
            if words not in texts and not (bullet.copy and words in forgotten):
                if self.redacted(bullet.content) != bullet.content or self.history.is_purged(entry.id, entry.content):
                    continue
                texts.add(words)
                new[entry.id] = entry
            taken.append(bullet)
        return document.without(taken), new

    def settle(self) -> None:
        """Take up what others did to the file: give ids to what they wrote without, and put a damaged file right.

        Nothing is written where nothing is to do. Raises `MemoryFileError`.
        """
        if not self.load().is_written and self.path.exists():
            with self.locked():
                self.write(dict, who=BY_HAND, why="")

    def taken_out(self) -> list[str]:
        """Return the ids of the entries that others took out of the file lately, and that are not back."""
        found, since = self.load(), self.clock.now() - _LATELY
        runs = [run for run in self.history.runs() if run.who == BY_HAND and run.time >= since]
        changes = [change for run in runs for change in run.changes] + list(found.by_hand)
        gone = dict.fromkeys(change.id for change in changes if change.after is None)
        return [id_ for id_ in gone if id_ not in found.every and not self.history.is_purged(id_)]

    def _read_snapshot(self) -> Snapshot:
        stamp, raw, digest = file_stamp(self.path), self._read_file(self.path), self.history.written_digest()
        data = raw or b""
        is_emptied = raw is not None and not data.strip(_BLANK) and bool(self.history.written_entries())
        damage = Sentence("it is empty") if is_emptied else describe_damage(data)
        copy = (self._read_file(self.backup) or b"") if damage else data
        is_whole = bool(copy) and not describe_damage(copy)
        document = parse(copy if is_whole else b"")  # what is damaged is not written again, only read
        entries = entries_of(document if is_whole else parse(data), {})
        found = Snapshot(raw, document, entries, damage=damage, stamp=stamp)
        if digest is None:
            return found
        if not damage and digest == _digest(data):
            return replace(found, is_written=True)
        known = self.history.written_entries()
        if damage:
            return replace(found, every=known or found.every, known=known)
        every = entries_of(document, known)
        kept = {
            id_: entry
            for id_, entry in every.items()
            if id_ in known or not self.history.is_purged(entry.id, entry.content)
        }
        return replace(found, every=kept, known=known)

    def _replace(self, found: Snapshot, data: bytes) -> bytes | None:
        """Replace the file; return what somebody else made of it in the instant before, as the backup has it."""
        make_folder(self.paths, self.paths.memory)
        raw = found.raw or b""
        self._at("before replace")
        if data == raw:
            return None
        if found.damage:
            replace_file(self.path.with_name(f"{self.path.name}.damaged"), raw)
        replace_file(self.path, data)
        self._at("after replace")
        if found.damage and found.document.data:
            replace_file(self.backup, found.document.data, keeps_backup=False)
            return None
        replaced = self._read_file(self.backup) if found.raw is not None else None
        return None if replaced == raw else replaced

    def _write_down(self, found: Snapshot, entries: Entries, data: bytes, run: EntryRun) -> EntryRun | None:
        """Write down what others did and what we did, and return our run; without secrets that people wrote."""
        runs = []
        if found.by_hand:
            why = f"edited in {self.path.name}" if found.raw is not None else f"{self.path.name} was gone"
            runs.append(EntryRun("", run.time, BY_HAND, why, self._without_secrets(found.by_hand)))
        run = replace(run, changes=self._without_secrets(run.changes))
        is_own = bool(run.changes or run.undoes)
        runs += [run] if is_own else []
        before = found.every if found.is_written else {}
        fresh = [self._redacted(entry) for id_, entry in entries.items() if before.get(id_) is not entry]
        try:
            made = self.history.write_down(_digest(data), entries.keys(), fresh, runs)
        except StoreError as error:  # the file has it, and is the truth
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

    def _redacted(self, entry: Entry) -> Entry:
        """Return an entry without secrets in its text: so it may be written. What people wrote stays in the file."""
        safe = self.redacted(entry.content, entry.origin)
        return entry if safe == entry.content else replace(entry, content=safe)

    def _without_secrets(self, changes: Sequence[EntryChange]) -> tuple[EntryChange, ...]:
        """Return changes as the state database may hold them: what people wrote of a secret is none."""
        safe = [
            EntryChange(
                change.id,
                change.before and self._redacted(change.before),
                change.after and self._redacted(change.after),
            )
            for change in changes
        ]
        return tuple(change for change in safe if change.before != change.after)

    def _new_entry(self, bullet: Bullet, known_entries: Entries) -> Entry:
        now = self.clock.now().replace(microsecond=0)
        importance = Importance.HIGH
        new = Entry("", bullet.content, bullet.category.value, INITIAL_SCORES[importance], now)
        new = bullet.copy or replace(new, created_at=now, importance=importance.value)
        return replace(new, id=new_id(known_entries))


def is_point_hidden(text: str) -> bool:
    """Tell whether what a text is about is hidden, and no clause of it says anything else."""
    rest = " ".join(clause for clause in _CLAUSES.split(text) if not _PLACEHOLDER.search(clause))
    return _PLACEHOLDER.search(text) is not None and len(terms(rest)) < 2


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _log_once(path: Path, problem: str) -> None:
    lasting = path, _LINE_NUMBER.sub("", problem)  # entries move, and with them their lines
    if lasting not in _LOGGED:
        _LOGGED[lasting] = None
        logger.warning("entries: {}", problem)
