"""Forgetting for good: a plan first, then files, what plugins keep, and state. What broke off is finished."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from nanobot_memory_plugins.core.clock import Clock
from nanobot_memory_plugins.core.erasure.cleaning import clean_files, words_cleaner
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan, finished_plan
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import FileBusyError, acquire_lock
from nanobot_memory_plugins.core.files.fields import exact_time, read_time
from nanobot_memory_plugins.core.files.index_file import SIDE_FILES, is_index, remove_database
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile, UnfinishedPurge
from nanobot_memory_plugins.core.host.plugin_host import values_of
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.state.erasing import clean_state
from nanobot_memory_plugins.core.values import Erasure, Origin, Trace
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.core.values.entries import exported_text
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SUBJECT = "forgetting for good"
_GOES_ON = "Stop what keeps it from ending, and run `nanobot-memory doctor` again: every start goes on with it."
# Seconds that one erasure waits for another.
_WAIT_SECONDS = 60.0
# The plugin whose files the indexes in the workspace are.
_INDEX_OWNER = "storage"
_SIDE_FILE = f"(?:{'|'.join(SIDE_FILES)})$"
_DELETED = "no plugin opens it; it is deleted, and made again where it is used"


class Eraser:
    """Erases in one workspace: its files, its plugins, its store, its state."""

    def __init__(self, workspace: Path, plugins: PluginSet, clock: Clock) -> None:
        self._paths = MemoryPaths.of(workspace)
        self._plugins = plugins
        self._clock = clock
        self._file = PrivacyFile(self._paths)
        # What had been broken off, and was finished here.
        self.finished: ErasurePlan | None = None

    async def plan(self, erasure: Erasure) -> ErasurePlan:
        """Return what an erasure would do; nothing is written."""
        return ErasurePlan(erasure, tuple(await self._carry_out(erasure, None)))

    async def erase(self, erasure: Erasure, *, wait: float = _WAIT_SECONDS) -> ErasurePlan:
        """Erase, and return what became of it. Where nothing is found the index is written anew all the same.

        One that was not open at an earlier purge may hold it in freed pages. What was broken off before is finished
        first. Raises `MemoryFileError`, also when another erasure takes longer than ``wait`` seconds.
        """
        with await self._alone(wait):
            earlier = await self._finish()
            left = earlier.unfinished if earlier else None
            return await self._recorded(await self.plan(erasure), exact_time(self._clock.now()), left)

    async def forget(self, erasure: Erasure) -> bool:
        """Erase, and say whether no file holds it any more: for one that is ordered by a plugin. Raises as `erase`."""
        left = (await self.erase(erasure)).unfinished
        return left is None or not left.has_targets

    async def finish(self) -> ErasurePlan | None:
        """Finish an erasure that was broken off, and return what became of it; None where another process does."""
        if await run_in_daemon_thread(self._file.unfinished) is None:
            return None
        try:
            with await self._alone(0):
                return await self._finish()
        except MemoryFileError as error:
            logger.warning("what was to be forgotten is not forgotten yet: {}", error.cause)
            return None

    async def findings(self) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` what was broken off."""
        unfinished = (await run_in_daemon_thread(self._file.read)).unfinished
        if unfinished is None:
            return [Finding(_SUBJECT, "one that was broken off is finished now")] if self.finished else []
        waits = [f"{one.where}: {one.why}" for one in self.finished.traces if one.waits] if self.finished else []
        holds = Sentence("{file} holds the words until it is", file=self._paths.relative(self._file.path))
        if unfinished.erasure == Erasure():
            holds = Sentence("the files are clean, and what is made of them is not yet")
        since = Sentence(" begun at {time}", time=unfinished.time)
        state = Sentence("one{since} is not finished; {holds}", since=since, holds=holds)
        return [Finding(_SUBJECT, Sentence.joined([state, *waits], "; "), Health.DEGRADED, _GOES_ON)]

    async def _alone(self, wait: float) -> AbstractContextManager[object]:
        try:
            return await run_in_daemon_thread(acquire_lock, self._paths, "work", wait)
        except FileBusyError as error:
            raise MemoryFileError(
                "Something else is being forgotten in this workspace just now.",
                hint="Try again when that is over; it goes on at the next start when its process ends.",
            ) from error

    async def _finish(self) -> ErasurePlan | None:
        unfinished = await run_in_daemon_thread(self._file.unfinished)
        if unfinished is None:
            return None
        self.finished = await self._recorded(ErasurePlan(unfinished.erasure, ()), unfinished.time)
        return self.finished

    async def _recorded(self, plan: ErasurePlan, ordered: str, earlier: Erasure | None = None) -> ErasurePlan:
        """Carry a plan out that was ordered at a time. What an ``earlier`` one has left to do stays written down."""
        begun = plan.erasure.union(earlier) if earlier else plan.erasure
        await run_in_daemon_thread(lambda: self._file.note_purge(UnfinishedPurge(begun, ordered)))
        cleaned = finished_plan(plan, await self._carry_out(plan.erasure, read_time(ordered) or self._clock.now()))
        left = cleaned.unfinished.union(earlier or Erasure()) if cleaned.unfinished else earlier
        unfinished = UnfinishedPurge(left, ordered) if left is not None else None
        await run_in_daemon_thread(lambda: self._file.note_purge(unfinished))
        return cleaned

    async def _carry_out(self, erasure: Erasure, ordered: datetime | None) -> list[Trace]:
        """Do what is asked for, or without a time look what there is."""
        dry_run, cleaner = ordered is None, words_cleaner(erasure)
        found: list[Trace] = []
        if erasure.has_targets:
            found = await run_in_daemon_thread(lambda: clean_files(self._paths, cleaner, dry_run=dry_run))
        if ordered is not None and erasure.has_targets:
            # A host that goes on with such a conversation may still have it, and would bring it back.
            names = [Path(one.where).name for one in found if one.where.endswith(".jsonl")]
            names += map(session_file_name, erasure.sessions)
            await run_in_daemon_thread(lambda: self._file.mark(["", *names], ordered))
        store = self._plugins.store
        if store is not None and not dry_run:
            for where in {trace.where for trace in found}:
                store.notify(self._paths.workspace / where)
        answers = await self._plugins.call("on_purge", erasure.hook_arguments(dry_run=dry_run))
        reported = values_of(answers, Trace)
        for name in self._plugins.failing_plugins("on_purge"):
            plugin = Sentence("plugin {name}", name=name)
            reported.append(Trace(plugin, 0, removed=False, why="it failed; purge again"))
        reported += await run_in_daemon_thread(lambda: self._purge_indexes(dry_run=dry_run))
        if erasure.has_targets:
            reported += await run_in_daemon_thread(lambda: self._clean_state(erasure, dry_run=dry_run))
        # What seemed to be text of people may have been a plugin's, which has taken it out since, or reports it.
        if not dry_run and any(one.foreign for one in found):
            again = await run_in_daemon_thread(lambda: clean_files(self._paths, cleaner, dry_run=True))
            found = [one for one in found if not one.foreign] + [one for one in again if one.foreign]
        return _without_reported_lines(found, reported) + reported

    def _clean_state(self, erasure: Erasure, *, dry_run: bool) -> list[Trace]:
        cleaner = words_cleaner(replace(erasure, records=(), sessions=()))

        def remainder(text: str) -> str | None:
            said = exported_text(text) if text.startswith("### [") else text
            in_json = cleaner.clean_rows(said.encode())
            return None if cleaner.take(said, Origin.USER)[1] or in_json.found or in_json.named else text

        return clean_state(self._paths, remainder, (*erasure.ids, *erasure.sessions), dry_run=dry_run)

    def _purge_indexes(self, *, dry_run: bool) -> list[Trace]:
        """Delete the indexes that no plugin opens, as they can be made again."""
        if _INDEX_OWNER in self._plugins.plugins_with("on_purge"):
            return []
        files = self._paths.database.parent.glob("*.db*")
        indexes = {path.with_name(re.sub(_SIDE_FILE, "", path.name)) for path in files} - {self._paths.state}
        left = list(filter(is_index, sorted(indexes)))
        for path in () if dry_run else left:
            remove_database(path)
        return [Trace(self._paths.relative(path), 0, why=_DELETED) for path in left]


def _without_reported_lines(found: Sequence[Trace], reported: Sequence[Trace]) -> list[Trace]:
    """Return what was found in text of people without the lines that a plugin reports itself."""
    lines = {(trace.where, held.line) for trace in reported for held in trace.lines}
    kept = []
    for trace in found:
        left = tuple(held for held in trace.lines if (trace.where, held.line) not in lines)
        if not trace.foreign or len(left) == len(trace.lines):
            kept.append(trace)
        elif left:
            kept.append(replace(trace, lines=left, count=len(left)))
    return kept
