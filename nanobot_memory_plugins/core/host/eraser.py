"""Permanent erasure: plans, carries out and finishes the removal of data from files, plugins and state."""

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
_UNFINISHED_HINT = "Stop what prevents it, and run `nanobot-memory doctor` again: every start continues it."
# Seconds that one erasure waits for another.
_WAIT_SECONDS = 60.0
# The plugin that owns the indexes in the workspace.
_INDEX_OWNER = "storage"
_SIDE_FILE = f"(?:{'|'.join(SIDE_FILES)})$"
_DELETED = "no plugin opens it; it is deleted, and rebuilt when it is used"


class Eraser:
    """Erases data in one workspace: in its files, its plugins, its store and its state."""

    def __init__(self, workspace: Path, plugins: PluginSet, clock: Clock) -> None:
        self._paths = MemoryPaths.of(workspace)
        self._plugins = plugins
        self._clock = clock
        self._file = PrivacyFile(self._paths)
        # An interrupted erasure that this object finished.
        self.finished: ErasurePlan | None = None

    async def plan(self, erasure: Erasure) -> ErasurePlan:
        """Return what an erasure would do, without writing anything."""
        return ErasurePlan(erasure, tuple(await self._carry_out(erasure, None)))

    async def erase(self, erasure: Erasure, *, wait: float = _WAIT_SECONDS) -> ErasurePlan:
        """Erase, and return the result. The index is rewritten even if nothing is found.

        An index that was not open at an earlier purge may still contain the data in freed pages. An interrupted erasure
        is finished first. Raises `MemoryFileError`, also if another erasure takes longer than ``wait`` seconds.
        """
        with await self._lock(wait):
            earlier = await self._finish()
            unfinished = earlier.unfinished if earlier else None
            return await self._execute(await self.plan(erasure), exact_time(self._clock.now()), unfinished)

    async def forget(self, erasure: Erasure) -> bool:
        """Erase on behalf of a plugin, and return whether the data is gone from all files. Raises as `erase`."""
        unfinished = (await self.erase(erasure)).unfinished
        return unfinished is None or not unfinished.has_targets

    async def finish(self) -> ErasurePlan | None:
        """Finish an interrupted erasure and return its result; None if there is none, or another process has it."""
        if await run_in_daemon_thread(self._file.unfinished) is None:
            return None
        try:
            with await self._lock(0):
                return await self._finish()
        except MemoryFileError as error:
            logger.warning("an erasure could not be finished: {}", error.cause)
            return None

    async def findings(self) -> list[Finding]:
        """Return what ``nanobot-memory doctor`` says about an interrupted erasure."""
        unfinished = (await run_in_daemon_thread(self._file.read)).unfinished
        if unfinished is None:
            return [Finding(_SUBJECT, "an interrupted one is finished now")] if self.finished else []
        waits = [f"{one.where}: {one.why}" for one in self.finished.traces if one.waits] if self.finished else []
        holds = Sentence("{file} holds the words until it is", file=self._paths.relative(self._file.path))
        if unfinished.erasure == Erasure():
            holds = Sentence("the files are clean, but not yet the index and other data made from them")
        since = Sentence(" begun at {time}", time=unfinished.time)
        state = Sentence("one{since} is not finished; {holds}", since=since, holds=holds)
        return [Finding(_SUBJECT, Sentence.joined([state, *waits], "; "), Health.DEGRADED, _UNFINISHED_HINT)]

    async def _lock(self, wait: float) -> AbstractContextManager[object]:
        try:
            return await run_in_daemon_thread(acquire_lock, self._paths, "work", wait)
        except FileBusyError as error:
            raise MemoryFileError(
                "Another purge, or the import of a history, is running in this workspace.",
                hint="Try again when it is over; if its process ends before, the next start finishes it.",
            ) from error

    async def _finish(self) -> ErasurePlan | None:
        unfinished = await run_in_daemon_thread(self._file.unfinished)
        if unfinished is None:
            return None
        self.finished = await self._execute(ErasurePlan(unfinished.erasure, ()), unfinished.time)
        return self.finished

    async def _execute(self, plan: ErasurePlan, start: str, earlier: Erasure | None = None) -> ErasurePlan:
        """Carry out a plan, recorded as unfinished since ``start`` until it is done, with the rest of another."""
        erasure = plan.erasure.union(earlier) if earlier else plan.erasure
        await run_in_daemon_thread(lambda: self._file.note_purge(UnfinishedPurge(erasure, start)))
        result = finished_plan(plan, await self._carry_out(plan.erasure, read_time(start) or self._clock.now()))
        rest = result.unfinished.union(earlier or Erasure()) if result.unfinished else earlier
        unfinished = UnfinishedPurge(rest, start) if rest is not None else None
        await run_in_daemon_thread(lambda: self._file.note_purge(unfinished))
        return result

    async def _carry_out(self, erasure: Erasure, start: datetime | None) -> list[Trace]:
        """Erase, or without a ``start`` time only report what would be erased."""
        dry_run, cleaner = start is None, words_cleaner(erasure)
        found: list[Trace] = []
        if erasure.has_targets:
            found = await run_in_daemon_thread(lambda: clean_files(self._paths, cleaner, dry_run=dry_run))
        if start is not None and erasure.has_targets:
            # A host that continues such a conversation may still have the data, and would bring it back.
            names = [Path(one.where).name for one in found if one.where.endswith(".jsonl")]
            names += map(session_file_name, erasure.sessions)
            await run_in_daemon_thread(lambda: self._file.mark(["", *names], start))
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
        # What looked like a person's text may belong to a plugin, which has removed it by now, or reports it.
        if not dry_run and any(one.foreign for one in found):
            again = await run_in_daemon_thread(lambda: clean_files(self._paths, cleaner, dry_run=True))
            found = [one for one in found if not one.foreign] + [one for one in again if one.foreign]
        return _without_reported_lines(found, reported) + reported

    def _clean_state(self, erasure: Erasure, *, dry_run: bool) -> list[Trace]:
        cleaner = words_cleaner(replace(erasure, records=(), sessions=()))

        def unless_erased(text: str) -> str | None:
            words = exported_text(text) if text.startswith("### [") else text
            in_json = cleaner.clean_rows(words.encode())
            return None if cleaner.remove(words, Origin.USER)[1] or in_json.removed or in_json.in_names else text

        return clean_state(self._paths, unless_erased, (*erasure.ids, *erasure.sessions), dry_run=dry_run)

    def _purge_indexes(self, *, dry_run: bool) -> list[Trace]:
        """Delete the indexes that no plugin opens; they can be rebuilt."""
        if _INDEX_OWNER in self._plugins.plugins_with("on_purge"):
            return []
        files = self._paths.database.parent.glob("*.db*")
        indexes = {path.with_name(re.sub(_SIDE_FILE, "", path.name)) for path in files} - {self._paths.state}
        unopened = list(filter(is_index, sorted(indexes)))
        for path in () if dry_run else unopened:
            remove_database(path)
        return [Trace(self._paths.relative(path), 0, why=_DELETED) for path in unopened]


def _without_reported_lines(found: Sequence[Trace], reported: Sequence[Trace]) -> list[Trace]:
    """Return the traces found in files without the lines of people's text that a plugin reports itself."""
    lines = {(trace.where, one.line) for trace in reported for one in trace.lines}
    kept = []
    for trace in found:
        others = tuple(one for one in trace.lines if (trace.where, one.line) not in lines)
        if not trace.foreign or len(others) == len(trace.lines):
            kept.append(trace)
        elif others:
            kept.append(replace(trace, lines=others, count=len(others)))
    return kept
