"""The entries' file: read, changed under a lock, and never over somebody else's work.

The file may be changed by others at any moment, without our lock: an editor, git, nanobot's Dream job. A change of
ours is therefore a function of the entries, applied to the file as it is at that moment; and when somebody writes in
the instant before the file is replaced, their version is found in the backup, and both are merged.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry, new_id
from nanobot_memory_plugins.consolidation.model.redacted_content import without_empty
from nanobot_memory_plugins.consolidation.store.atomic_files import keep_aside, read_file, write_private
from nanobot_memory_plugins.consolidation.store.clock_ahead import WHO as WHO_CLOCK
from nanobot_memory_plugins.consolidation.store.clock_ahead import WHY as WHY_CLOCK
from nanobot_memory_plugins.consolidation.store.clock_ahead import is_ahead, set_right
from nanobot_memory_plugins.consolidation.store.document import EntryDocument
from nanobot_memory_plugins.consolidation.store.entry_file import EntryFile
from nanobot_memory_plugins.consolidation.store.entry_lock import locked_entries
from nanobot_memory_plugins.consolidation.store.journal import (
    BY_HAND,
    GONE,
    Change,
    Journal,
    Run,
    changes_between,
    entries_folder,
)
from nanobot_memory_plugins.consolidation.store.patch import patch_back
from nanobot_memory_plugins.consolidation.store.plain_lines import not_understood, write_taken_up
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.snapshot import State, WantedState, is_purged, look, sha256
from nanobot_memory_plugins.consolidation.store.taken_out import TakenOut
from nanobot_memory_plugins.consolidation.store.three_way_merge import merged
from nanobot_memory_plugins.consolidation.store.tombstones import Tombstones
from nanobot_memory_plugins.core import Clock, Origin, SystemClock, logger, redact_text
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, exact_time, make_folder
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.redaction.script.messages import Sentence

_ATTEMPTS = 20
_LINE_NUMBER = re.compile(r"line \d+: ")
# What the log has been told of which file: the prompt, the commands and the plugin each read it by themselves.
_LOGGED: BoundedDict[tuple[Path, str], None] = BoundedDict(1_000)
# Days are written in UTC by whoever edits the file: what is today somewhere lies no further ahead.
_TOMORROW = timedelta(days=1)

Entries = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entries as they are, in the file's order, and the file that they stand in.

    ``damage`` says what is wrong with the file when a copy was read in its place. ``missing`` are the ids of entries
    that the file lacks because it was put back as it had been before them, ``purged`` of those that came back with it
    and were forgotten for good: they do not count. ``removed`` are those that somebody has just taken out by hand, or
    that went with the file, where it ``is_gone``.
    """

    path: Path
    entries: dict[str, Entry]
    document: EntryDocument
    problems: tuple[str, ...] = ()
    damage: str = ""
    missing: tuple[str, ...] = ()
    purged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was written: the run in the journal, or None where nothing changed, and the entries as they are now."""

    path: Path
    entries: dict[str, Entry]
    run: Run | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """What became of which entry."""
        return self.run.changes if self.run is not None else ()


class EntryRepository:
    """The scored entries of one workspace. Everything here blocks: call it in a thread.

    ``redact`` hides secrets in new texts, ``redact_said`` in those that users said. ``lock_seconds`` bounds the wait
    for the lock. ``at`` is called with the name of each point that a write passes, for tests. ``tell`` is told once
    what is wrong with the file; else the log is, by the first of a process that reads it.
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
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._tell = tell or _log
        self.paths = MemoryPaths.of(workspace)
        self.clock = clock or SystemClock()
        self.journal = Journal(self.paths)
        self.tombstones = Tombstones(self.paths)
        self._redact = redact
        self._redact_said = redact_said or redact
        self._lock_seconds = lock_seconds
        self._at = at
        self._sleep = sleep
        self._warned = _LOGGED if tell is None else BoundedDict[tuple[Path, str], None](1_000)

    @property
    def path(self) -> Path:
        """The file of the entries, ``ENTRIES.md``."""
        return self.paths.entries

    def load(self) -> Snapshot:
        """Return the entries; nothing is written. A missing or empty file has none. Raises `MemoryFileError`."""
        path = self.path
        state = self._file(path).look()
        self._warn(path, state)
        missing = tuple(state.entries.keys() - state.document.entries.keys()) if state.is_earlier else ()
        removed = tuple(one.id for one in state.by_hand if one.after is None)
        problems, is_gone = self._problems(state), state.raw is None
        entries, document = state.entries, state.document
        return Snapshot(path, entries, document, problems, state.damage, missing, state.purged, removed, is_gone)

    def update(
        self, change: Callable[[dict[str, Entry]], Entries], *, who: str, why: str, allow_purged: bool = False
    ) -> Outcome:
        """Change the entries: ``change`` gets those in the file and returns those that shall be there.

        It may be called again, when the file moves meanwhile, and should depend on its argument alone. Texts
        that were purged are left out, unless ``allow_purged``, and new ones of which only a placeholder would be left.
        Raises `MemoryFileError`; the file is then as it was.
        """

        def decide(state: State) -> WantedState:
            wanted = dict(change(dict(state.entries)))
            if not allow_purged:
                self._leave_purged_out(wanted, state.entries)
            safe = {id_: self._redacted(entry, state.entries.get(id_)) for id_, entry in wanted.items()}
            return WantedState(without_empty(safe, state.entries))

        with self.locked():
            if read_file(self.path) != read_file(self.seen_path(self.path)):
                write_taken_up(self)  # somebody has written in it
            return self.write(decide, who=who, why=why)

    def note(self, *, who: str, why: str, changes: tuple[Change, ...] = ()) -> None:
        """Write into the journal what changed no entry of the file. Raises `MemoryFileError`."""
        with self.locked():
            make_folder(self.paths, entries_folder(self.paths))
            self._file(self.path).settled()  # what ended in the middle of a write is the last run of the journal
            self.journal.append([Run(new_id(), exact_time(self._moment()), who, why, changes)])

    def redacted(self, text: str, origin: Origin = Origin.USER) -> str:
        """Return a text as it would be written, by who said it."""
        return self._redact_said(text) if origin is Origin.USER else self._redact(text)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the lock of the file, within a ``with``. Raises `MemoryFileError`."""
        return locked_entries(self.paths, self.path, self._lock_seconds)

    def write(
        self,
        decide: Callable[[State], WantedState],
        *,
        who: str,
        why: str,
        undoes: str = "",
    ) -> Outcome:
        """Do what `update` says, with the lock held."""
        make_folder(self.paths, entries_folder(self.paths))
        path = self.path
        ahead = is_ahead(self.journal.last(), self.clock.now())
        file = self._file(path)
        state = file.settled()
        self._warn(path, state)
        made: Run | None = None
        for _ in range(_ATTEMPTS):
            if ahead:
                state = self._set_right(file, state)
            wanted = decide(state)
            now = self._moment()
            document = wanted.document or state.document
            data = wanted.data if wanted.data is not None else render(document, wanted.entries, now=now)
            is_new = data != state.raw and not (state.raw is None and not data)
            if is_new:
                self._at("before check")
                if read_file(path) != state.raw:
                    # Looked at as if for the first time: what a crash left in the backup is still only there.
                    state = file.settled()
                    continue
            self._at("before journal")
            made = self._record(file, state, wanted.entries, data, who, why, undoes, now) or made
            ahead = False
            self._at("after journal")
            seen = read_file(file.seen)
            try:
                slipped = file.replace(state, data) if is_new else None
            except MemoryFileError:
                file.broke_off(self.journal.last())
                raise
            if slipped is None:
                return Outcome(path, dict(wanted.entries), made)
            if state.document.data != state.raw and not state.damage:
                # What we wrote held somebody's text from a backup, which who wrote now has not seen.
                keep_aside(path, state.document.data, self.clock.now())
            # Seen from where we looked last, as any state that others leave: it may be an earlier one, too.
            theirs = look(slipped, seen, None, file.runs, self.tombstones.holds)
            returned = {change.id: change.before for change in state.returned}
            base = {id_: returned.get(id_, entry) for id_, entry in state.entries.items()}
            both = merged({id_: one for id_, one in base.items() if one is not None}, theirs.entries, wanted.entries)
            decide = self._both(path, both, wanted, theirs)
            # Ours is in the file now; theirs shall be there with it.
            state = State(data, theirs.document, both, changes_between(wanted.entries, both))
        raise FileBusyError(Sentence("{name} is being written by somebody else all the time.", name=path.name))

    def seen_path(self, path: Path) -> Path:
        """Return where the file's bytes are kept as they were written last."""
        return self._file(path).seen

    def _file(self, path: Path) -> EntryFile:
        return EntryFile(path, self.journal, self.tombstones, self.clock, self._at, self._sleep)

    def _redacted(self, entry: Entry, before: Entry | None) -> Entry:
        """Return an entry without secrets in what is new of its text; what people wrote is theirs."""
        if before is not None and before.content == entry.content:
            return entry
        safe = self.redacted(entry.content, entry.origin)
        return entry if safe == entry.content else replace(entry, content=safe)

    def _leave_purged_out(self, wanted: dict[str, Entry], current: Entries) -> None:
        for id_, entry in list(wanted.items()):
            before = current.get(id_)
            if is_purged(entry, before, self.tombstones.holds):
                if before is None:
                    del wanted[id_]
                else:
                    wanted[id_] = before

    def _set_right(self, file: EntryFile, state: State) -> State:
        """Return a state with what comes back now that the clock is not ahead any more."""
        entries = set_right(state.entries, file.runs(), self.clock.now())
        holds = self.tombstones.holds
        kept = {id_: one for id_, one in entries.items() if id_ in state.entries or not holds(one)}
        return replace(state, entries=kept, returned=changes_between(state.entries, kept))

    def is_set_right(self) -> bool:
        """Whether the clock was ahead at the last write, and has been set right since. Raises `MemoryFileError`."""
        return is_ahead(self.journal.last(), self.clock.now())

    def _moment(self) -> datetime:
        """Return the time of a write, which no other has: by it the file names the write."""
        now = self.clock.now()
        while self.journal.has_time(exact_time(now)):
            now += timedelta(microseconds=1)
        return now

    def _both(self, path: Path, both: Entries, ours: WantedState, theirs: State) -> Callable[[State], WantedState]:
        """Return the decision that merges what somebody wrote in the last instant with what we wrote over it."""

        def decide(state: State) -> WantedState:
            if state.document is theirs.document:
                return WantedState(both)
            # They wrote once more, over our version: their text cannot be in two places at once.
            keep_aside(path, theirs.raw or b"", self.clock.now())
            return WantedState(merged(ours.entries, state.entries, both))

        return decide

    def _record(
        self,
        file: EntryFile,
        state: State,
        wanted: Entries,
        data: bytes,
        who: str,
        why: str,
        undoes: str,
        now: datetime,
    ) -> Run | None:
        """Write down what others did and what we are about to do, in that order; return the latter."""
        runs: list[Run] = []
        when, after = exact_time(now), sha256(data)
        if state.by_hand:
            how = "an earlier state was put back, and edited: " if state.is_earlier else ""
            edited = f"{how}edited in {file.path.name}" if state.raw is not None else f"{file.path.name} {GONE}"
            runs.append(Run(new_id(), when, BY_HAND, edited, state.by_hand, file.path.name, file_after=after))
            self._say_what_went(runs[-1])
        if state.returned:
            runs.append(Run(new_id(), when, WHO_CLOCK, WHY_CLOCK, state.returned, file.path.name, file_after=after))
        own = changes_between(state.entries, wanted)
        if own or data != (state.raw or b""):  # without the bytes of every write a crash behind it could not be told
            before = state.raw or b""
            patch = patch_back(data, before) if not (state.damage or state.purged) else None
            # Nothing leads back to bytes that hold what was forgotten for good.
            found = sha256(before) if not state.purged else ""
            runs.append(Run(new_id(), when, who, why, own, file.path.name, found, after, patch, undoes))
        self.journal.append(runs)
        is_new = data != state.raw and bool(data or state.raw is not None)
        if not is_new and (state.raw is not None or state.by_hand) and data != read_file(file.seen):
            write_private(file.seen, data)
        return runs[-1] if runs and runs[-1].who not in (BY_HAND, WHO_CLOCK) else None

    def _problems(self, state: State) -> tuple[str, ...]:
        """Return what is wrong with the file, in words: what it cannot say, and what cannot be."""
        tomorrow = self.clock.now() + _TOMORROW
        ahead = [id_ for id_, entry in state.entries.items() if entry.last_activated > tomorrow]
        problems = (*state.document.problems, *not_understood(state.document))
        if state.unrecovered_damage:
            problems = (
                Sentence(
                    "it is damaged ({damage}), and there is no good copy: what can be read is used",
                    damage=state.unrecovered_damage,
                ),
                *problems,
            )
        if not ahead:
            return problems
        one = Sentence("the entry {id}", id=ahead[0])
        which = Sentence("{one} and {more} more", one=one, more=len(ahead) - 1) if len(ahead) > 1 else one
        lies = Sentence("{which}: the day lies in the future, and nothing fades before it", which=which)
        return (*problems, lies)

    def _warn(self, path: Path, state: State) -> None:
        """Say once what is wrong with the file."""
        what = [f"{path.name} is damaged ({state.damage}); its last good copy is used"] if state.damage else []
        for problem in [*what, *self._named(path, state)]:
            lasting = path, _LINE_NUMBER.sub("", problem)  # entries move, and with them their lines
            if lasting not in self._warned:
                self._warned[lasting] = None
                self._tell(problem)

    def _named(self, path: Path, state: State) -> Iterator[str]:
        for problem in self._problems(state):
            yield Sentence("{file}, {problem}", file=path.name, problem=Sentence.of(problem))

    def _say_what_went(self, run: Run) -> None:
        """Say that others took entries out of the file, and how they come back."""
        if went := tuple(change.id for change in run.changes if change.after is None):
            self._tell(TakenOut(run.id, run.file, went).told)


def _log(problem: str) -> None:
    logger.warning("entries: {}", problem)
