"""The file of the entries with what belongs to it: the copy of what was written last, the backup, the journal.

Writing goes through three steps: the journal says what will be done, the copy says that it counts, the file is
replaced. A file that is found in the state before the last write is therefore an earlier state like any other, whether
a process ended between the steps or somebody put it back.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import new_id
from nanobot_memory_plugins.consolidation.store.atomic_files import keep_aside, read_file, write_private
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.journal import BROKE_OFF, Journal, Run, changes_between, rewound
from nanobot_memory_plugins.consolidation.store.patch import take_back
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.snapshot import State, look, sha256
from nanobot_memory_plugins.consolidation.store.three_way_merge import adopted, holds_text_unknown_to, merged
from nanobot_memory_plugins.consolidation.store.tombstones import Tombstones
from nanobot_memory_plugins.core import Clock
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import exact_time, replace_file

# A file that is found empty, gone or broken may be in somebody's hands just now: seconds between looks, and looks.
_SETTLE_SECONDS = 0.05
_SETTLE_LOOKS = 4


@dataclass(frozen=True, slots=True)
class EntryFile:
    """One file that holds entries. ``at`` is called with the name of each point that a write passes."""

    path: Path
    journal: Journal
    tombstones: Tombstones
    clock: Clock
    at: Callable[[str], None] = lambda _point: None
    sleep: Callable[[float], None] = time.sleep

    @property
    def seen(self) -> Path:
        """The copy of the file as it was written last."""
        return self.journal.path.with_name(f"seen-{self.path.name}")

    @property
    def backup(self) -> Path:
        """The file as it was before the last write."""
        return self.path.with_name(f"{self.path.name}.bak")

    def runs(self) -> list[Run]:
        """Return the runs that changed the file, oldest first. Raises `MemoryFileError`."""
        return [run for run in self.journal.runs() if run.file == self.path.name]

    def look(self) -> State:
        """Return the file's state; nothing is written. Raises `MemoryFileError`."""
        seen, backup = read_file(self.seen), read_file(self.backup)
        for number in range(_SETTLE_LOOKS):
            state = look(read_file(self.path), seen, backup, self.runs, self.tombstones.holds)
            gone = state.raw is None and (seen if seen is not None else backup)
            if not (state.damage or gone) or number + 1 == _SETTLE_LOOKS:
                break
            self.sleep(_SETTLE_SECONDS)
        return state

    def settled(self) -> State:
        """Return the file's state, once what a process left that ended in the middle of a write is settled.

        A run that is in the journal alone did not happen. What somebody wrote in the instant before the file was
        replaced is taken from the backup. Hold the lock. Raises `MemoryFileError`.
        """
        last, raw, seen = self.journal.last(), read_file(self.path), read_file(self.seen)
        if last is None or raw is None:
            return self.look()
        if last.file == self.path.name and last.file_after:
            if raw != seen and last.file_after == sha256(raw):
                write_private(self.seen, raw)  # a disk that lost power may have kept the file alone
                seen = raw
            elif raw == seen and last.file_after != sha256(raw):
                self.broke_off(last)
        # Where people have written before and behind our write, only the journal tells that there was one.
        writer = self.journal.maker_of(sha256(seen)) if seen else None
        writer = writer or (last if last.file == self.path.name else None)
        slipped = self._slipped_before(writer, raw) if writer is not None else None
        if slipped is None or writer is None:
            return self.look()
        if writer.file_after != sha256(raw):
            # Somebody has gone on since: their two texts cannot be in one place.
            keep_aside(self.path, slipped, self.clock.now())
            return self.look()
        ours, theirs = parse(raw), parse(slipped)
        before = parse(take_back(raw, writer.patch)) if writer.patch is not None else theirs
        if holds_text_unknown_to(ours, theirs, before):
            # It had been taken from a backup when we wrote, and who wrote now has not seen it.
            keep_aside(self.path, raw, self.clock.now())
        current = adopted(ours, ours)
        both = merged(rewound(current, [writer]), adopted(theirs, ours), current)
        return State(raw, theirs, both, changes_between(current, both))

    def replace(self, state: State, data: bytes) -> bytes | None:
        """Replace the file; return what somebody else wrote in the last instant, or None.

        Raises `MemoryFileError`; the file is then as it was, and the write does not count.
        """
        if state.damage and state.raw:
            keep_aside(self.path, state.raw, self.clock.now())
        seen = read_file(self.seen)

        def counts() -> None:
            write_private(self.seen, data)
            self.at("after seen")

        try:
            replace_file(self.path, data, ready=counts)
        except MemoryFileError:
            self._unsee(seen)
            raise
        self.at("after replace")
        backup = read_file(self.backup) if state.raw is not None else None
        if backup is not None and backup != state.raw:
            return backup
        if state.purged:  # nor does the backup hold what was forgotten for good
            kept = {id_: entry for id_, entry in state.document.entries.items() if id_ not in state.purged}
            write_private(self.backup, render(state.document, kept, now=self.clock.now()), durable=True)
        return None

    def broke_off(self, run: Run | None) -> None:
        """Write down that a run was not done. Raises `MemoryFileError`."""
        if run is not None and run.file_after:
            when = exact_time(self.clock.now())
            self.journal.append([Run(new_id(), when, run.who, BROKE_OFF, (), undoes=run.id)])

    def _slipped_before(self, writer: Run, raw: bytes) -> bytes | None:
        """Return what somebody wrote in the instant before ``writer``, which nobody has taken up, or None."""
        backup = read_file(self.backup)
        if not backup or backup == raw:
            return None
        if writer.file_before in ("", sha256(b""), sha256(backup), sha256(raw)) or self.journal.knows(sha256(backup)):
            return None
        return backup

    def _unsee(self, seen: bytes | None) -> None:
        """Put back what was seen before a write that failed."""
        with suppress(MemoryFileError, OSError):
            if seen is None:
                self.seen.unlink(missing_ok=True)
            elif read_file(self.seen) != seen:
                write_private(self.seen, seen)
