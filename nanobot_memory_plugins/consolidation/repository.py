"""The entries' file: read, changed under a lock, and never over somebody else's work.

The file may be changed by others at any moment, without our lock: an editor, git, nanobot's Dream job. A change of
ours is therefore a function of the entries, applied to the file as it is at that moment; and when somebody writes in
the instant before the file is replaced, their version is found in the backup, and both are merged.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from nanobot_memory_plugins.consolidation.document import Document, parse
from nanobot_memory_plugins.consolidation.entry import Entry, new_id
from nanobot_memory_plugins.consolidation.hidden_point import without_empty
from nanobot_memory_plugins.consolidation.journal import (
    BROKE_OFF,
    BY_HAND,
    Change,
    Journal,
    Run,
    changes_between,
    entries_folder,
    rewound,
)
from nanobot_memory_plugins.consolidation.keeping import keep_aside, read_file, write_private
from nanobot_memory_plugins.consolidation.merging import adopted, holds_text_unknown_to, merged
from nanobot_memory_plugins.consolidation.patch import patch_back, take_back
from nanobot_memory_plugins.consolidation.rendering import render
from nanobot_memory_plugins.consolidation.state import State, look, sha256
from nanobot_memory_plugins.consolidation.tombstones import Tombstones
from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import FileBusyError, MemoryPaths, file_lock, replace_file
from nanobot_memory_plugins.core.files.appending import make_folder
from nanobot_memory_plugins.core.files.entries import exact_time
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Origin

_ATTEMPTS = 20
# A file that is found empty, gone or broken may be in somebody's hands just now: seconds between looks, and looks.
_SETTLE_SECONDS = 0.05
_SETTLE_LOOKS = 4
_LOCK_POLL_SECONDS = 0.01
_LINE_NUMBER = re.compile(r"line \d+: ")
# Days are written in UTC by whoever edits the file: what is today somewhere lies no further ahead.
_TOMORROW = timedelta(days=1)

Entries = Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The entries as they are, in the file's order, and the file that they stand in.

    ``damage`` says what is wrong with the file when a copy was read in its place.
    """

    path: Path
    entries: dict[str, Entry]
    document: Document
    problems: tuple[str, ...] = ()
    damage: str = ""


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


class Wanted(NamedTuple):
    """What a change comes to: the entries, and the bytes of the file where they are known exactly."""

    entries: Entries
    data: bytes | None = None


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
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.paths = MemoryPaths.of(workspace)
        self.clock = clock or SystemClock()
        self.journal = Journal(self.paths)
        self.tombstones = Tombstones(self.paths)
        self._redact = redact
        self._redact_said = redact_said or redact
        self._lock_seconds = lock_seconds
        self._at = at
        self._sleep = sleep
        self._warned: set[str] = set()

    @property
    def path(self) -> Path:
        """The file of the entries: ``ENTRIES.md`` where that exists, else ``MEMORY.md``.

        An ENTRIES.md that was made just now and is still empty does not count as long as there are entries in
        MEMORY.md: they are moved with one write.
        """
        own = self.own_path
        try:
            made = own.is_file() and (own.stat().st_size > 0 or self.seen_path(own).exists())
        except OSError:
            made = False
        if made or (own.is_file() and not _holds_entries(self.paths.long_term)):
            return own
        return self.paths.long_term

    @property
    def own_path(self) -> Path:
        """Where ``ENTRIES.md`` stands, or would stand."""
        return self.paths.memory / "ENTRIES.md"

    def load(self) -> Snapshot:
        """Return the entries; nothing is written. A missing or empty file has none. Raises `MemoryFileError`."""
        path = self.path
        state = self._look(path)
        self._warn(path, state)
        return Snapshot(path, state.entries, state.document, self._problems(state), state.damage)

    def update(
        self, change: Callable[[dict[str, Entry]], Entries], *, who: str, why: str, allow_purged: bool = False
    ) -> Outcome:
        """Change the entries: ``change`` gets those in the file and returns those that shall be there.

        It may be called again, when the file moves meanwhile, and should depend on its argument alone. Texts
        that were purged are left out, unless ``allow_purged``, and new ones of which only a placeholder would be left.
        Raises `MemoryFileError`; the file is then as it was.
        """

        def decide(state: State) -> Wanted:
            wanted = dict(change(dict(state.entries)))
            if not allow_purged:
                self._leave_purged_out(wanted, state.entries)
            safe = {id_: self._redacted(entry, state.entries.get(id_)) for id_, entry in wanted.items()}
            return Wanted(without_empty(safe, state.entries))

        with self.locked():
            return self.write(decide, who=who, why=why)

    def commit(self, base: Entries, entries: Entries, *, who: str, why: str) -> Outcome:
        """Write ``entries``, made of ``base`` some time ago; what others did since then is merged, and wins."""
        return self.update(lambda current: merged(base, current, entries), who=who, why=why)

    def redacted(self, text: str, origin: Origin = Origin.USER) -> str:
        """Return a text as it would be written, by who said it."""
        return self._redact_said(text) if origin is Origin.USER else self._redact(text)

    def locked(self) -> FileLock:
        """Return the lock of the file, held. Raises `MemoryFileError`."""
        lock = file_lock(self.paths, self.path)
        try:
            lock.acquire(timeout=self._lock_seconds, poll_interval=_LOCK_POLL_SECONDS)
        except Timeout as error:
            raise FileBusyError("The entries are locked by another process.") from error
        except OSError as error:
            raise MemoryFileError(f"The entries cannot be locked: {error.strerror}.") from error
        return lock

    def write(
        self,
        decide: Callable[[State], Wanted],
        *,
        who: str,
        why: str,
        undoes: str = "",
        path: Path | None = None,
    ) -> Outcome:
        """Do what `update` says, with the lock held; ``path`` names the file where it is not `path`."""
        make_folder(self.paths, entries_folder(self.paths))
        path = path or self.path
        state = self._finish_what_broke_off(path) or self._look(path)
        self._warn(path, state)
        made: Run | None = None
        for _ in range(_ATTEMPTS):
            wanted = decide(state)
            now = self.clock.now()
            data = wanted.data if wanted.data is not None else render(state.document, wanted.entries, now=now)
            is_new = data != state.raw and not (state.raw is None and not data)
            if is_new:
                self._at("before check")
                if read_file(path) != state.raw:
                    # Looked at as if for the first time: what a crash left in the backup is still only there.
                    state = self._finish_what_broke_off(path) or self._look(path)
                    continue
            self._at("before journal")
            made = self._record(path, state, wanted.entries, data, who, why, undoes, now) or made
            self._at("after journal")
            try:
                slipped = self._replace(path, state, data) if is_new else None
            except MemoryFileError:
                self._broke_off(self.journal.last())
                raise
            if slipped is None:
                return Outcome(path, dict(wanted.entries), made)
            if state.document.data != state.raw and not state.damage:
                # What we wrote held somebody's text from a backup, which who wrote now has not seen.
                keep_aside(path, state.document.data, self.clock.now())
            theirs = _slipped_in(state, slipped)
            both = merged(state.entries, theirs.entries, wanted.entries)
            decide = self._both(path, both, wanted, theirs)
            # Ours is in the file now; theirs shall be there with it.
            state = State(data, theirs.document, both, changes_between(wanted.entries, both))
        raise FileBusyError(f"{path.name} is being written by somebody else all the time.")

    def passes(self, point: str) -> None:
        """Say that a write has come to a point."""
        self._at(point)

    def seen_path(self, path: Path) -> Path:
        """Return where the file's bytes are kept as they were written last."""
        return entries_folder(self.paths) / f"seen-{path.name}"

    def _redacted(self, entry: Entry, before: Entry | None) -> Entry:
        """Return an entry without secrets in what is new of its text; what people wrote is theirs."""
        if before is not None and before.content == entry.content:
            return entry
        safe = self.redacted(entry.content, entry.origin)
        return entry if safe == entry.content else replace(entry, content=safe)

    def _leave_purged_out(self, wanted: dict[str, Entry], current: Entries) -> None:
        for id_, entry in list(wanted.items()):
            before = current.get(id_)
            if (before is None or before.content != entry.content) and self.tombstones.holds(entry.content):
                if before is None:
                    del wanted[id_]
                else:
                    wanted[id_] = before

    def _replace(self, path: Path, state: State, data: bytes) -> bytes | None:
        """Replace the file; return what somebody else wrote in the last instant, or None."""
        if state.damage and state.raw:
            keep_aside(path, state.raw, self.clock.now())
        replace_file(path, data)
        self._at("after replace")
        write_private(self.seen_path(path), data)
        self._at("after seen")
        if state.raw is None:
            return None
        backup = read_file(path.with_name(f"{path.name}.bak"))
        return backup if backup is not None and backup != state.raw else None

    def _both(self, path: Path, both: Entries, ours: Wanted, theirs: State) -> Callable[[State], Wanted]:
        """Return the decision that merges what somebody wrote in the last instant with what we wrote over it."""

        def decide(state: State) -> Wanted:
            if state.document is theirs.document:
                return Wanted(both)
            # They wrote once more, over our version: their text cannot be in two places at once.
            keep_aside(path, theirs.raw or b"", self.clock.now())
            return Wanted(merged(ours.entries, state.entries, both))

        return decide

    def _record(
        self,
        path: Path,
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
            edited = f"edited in {path.name}"
            runs.append(Run(new_id(), when, BY_HAND, edited, state.by_hand, path.name, file_after=after))
        own = changes_between(state.entries, wanted)
        if own or data != state.raw:  # without the bytes of every write a crash behind it could not be told
            before = state.raw or b""
            patch = patch_back(data, before) if not state.damage else None
            runs.append(Run(new_id(), when, who, why, own, path.name, sha256(before), after, patch, undoes))
        self.journal.append(runs)
        if data == state.raw and data != read_file(self.seen_path(path)):
            write_private(self.seen_path(path), data)
        return runs[-1] if runs and runs[-1].who != BY_HAND else None

    def _finish_what_broke_off(self, path: Path) -> State | None:
        """Settle what a process left that ended between the journal and the file.

        The journal is written first, so that no entry is in the file alone. When the file was not replaced any more,
        the run did not happen; when it was, what was seen last is noted now, and what somebody wrote in the last
        instant is taken from the backup: then the state of both is returned.
        """
        last, raw, seen = self.journal.last(), read_file(path), read_file(self.seen_path(path))
        if last is None or raw is None:
            return None
        made = self.journal.maker_of(sha256(raw))
        if made is not None and raw != seen:
            write_private(self.seen_path(path), raw)
        elif raw == seen and last.file == path.name and last.file_after not in ("", sha256(raw)):
            self._broke_off(last)
        backup = read_file(path.with_name(f"{path.name}.bak"))
        # Where people have written before and behind our write, only the journal tells that there was one.
        writer = made or (self.journal.maker_of(sha256(seen)) if seen else None) or _of_file(last, path)
        if not backup or writer is None or writer.file_before in ("", sha256(b""), sha256(backup)):
            return None
        if self.journal.knows(sha256(backup)):
            return None
        if made is None:
            # Somebody has gone on since: their two texts cannot be in one place.
            keep_aside(path, backup, self.clock.now())
            return None
        ours, theirs = parse(raw), parse(backup)
        before = parse(take_back(raw, made.patch)) if made.patch is not None else theirs
        if holds_text_unknown_to(ours, theirs, before):
            # It had been taken from a backup when we wrote, and who wrote now has not seen it.
            keep_aside(path, raw, self.clock.now())
        current = adopted(ours, ours)
        both = merged(rewound(current, [made]), adopted(theirs, ours), current)
        return State(raw, theirs, both, changes_between(current, both), finishes=True)

    def _broke_off(self, run: Run | None) -> None:
        if run is not None and run.file_after:
            when = exact_time(self.clock.now())
            self.journal.append([Run(new_id(), when, run.who, BROKE_OFF, (), undoes=run.id)])

    def _look(self, path: Path) -> State:
        seen, backup = read_file(self.seen_path(path)), read_file(path.with_name(f"{path.name}.bak"))
        for number in range(_SETTLE_LOOKS):
            state = look(read_file(path), seen, backup, self.journal.runs)
            gone = state.raw is None and (seen if seen is not None else backup)
            if not (state.damage or gone) or number + 1 == _SETTLE_LOOKS:
                break
            self._sleep(_SETTLE_SECONDS)
        return state

    def _problems(self, state: State) -> tuple[str, ...]:
        """Return what is wrong with the file, in words: what it cannot say, and what cannot be."""
        tomorrow = self.clock.now() + _TOMORROW
        ahead = [id_ for id_, entry in state.entries.items() if entry.last_activated > tomorrow]
        problems = state.document.problems
        if state.doubt:
            problems = (
                f"it is damaged ({state.doubt}), and there is no good copy: what can be read is used",
                *problems,
            )
        if not ahead:
            return problems
        more = f" and {len(ahead) - 1} more" if len(ahead) > 1 else ""
        lies = f"the entry {ahead[0]}{more}: the day lies in the future, and nothing fades before it"
        return (*problems, lies)

    def _warn(self, path: Path, state: State) -> None:
        """Say once what is wrong with the file."""
        what = [f"{path.name} is damaged ({state.damage}); its last good copy is used"] if state.damage else []
        for problem in [*what, *(f"{path.name}, {problem}" for problem in self._problems(state))]:
            lasting = _LINE_NUMBER.sub("", problem)  # entries move, and with them their lines
            if lasting not in self._warned:
                self._warned.add(lasting)
                logger.warning("entries: {}", problem)


def _of_file(run: Run, path: Path) -> Run | None:
    return run if run.file == path.name else None


def _holds_entries(path: Path) -> bool:
    data = read_file(path) or b""
    return b" memories" in data.lower() and bool(parse(data).slots)


def _slipped_in(state: State, slipped: bytes) -> State:
    """Return the state of a file that somebody wrote after we had looked for the last time."""
    document = parse(slipped)
    return State(slipped, document, adopted(document, state.document), ())
