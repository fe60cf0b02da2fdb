"""Forgetting for good: the plan, the memory files, then what plugins keep; and finishing what was broken off."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.erasure.files import purge_files
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.erasure.records import erase_records
from nanobot_memory_plugins.core.erasure.unfinished import BeingErasedError, ErasureRecord
from nanobot_memory_plugins.core.erasure.unopened_files import unopened, unopened_indexes
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.entries import exact_time, read_time
from nanobot_memory_plugins.core.files.privacy_marks import PrivacyFile
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import Clock
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost

_SUBJECT = "forgetting for good"
_GOES_ON = "Stop what keeps it from ending, and run `nanobot-memory doctor` again: every start goes on with it."
# Seconds that one erasure waits for another.
_WAIT_SECONDS = 60.0


class Eraser:
    """Erases in one workspace: its files, its plugins, its store."""

    def __init__(self, workspace: Path, plugins: PluginHost, store: Callable[[], Store | None], clock: "Clock") -> None:
        self._paths = MemoryPaths.of(workspace)
        self._plugins = plugins
        self._store = store
        self._clock = clock
        # What had been broken off, and was finished here.
        self.finished: ErasurePlan | None = None

    async def plan(self, erasure: Erasure) -> ErasurePlan:
        """Return what an erasure would do; nothing is written."""
        return ErasurePlan(erasure, tuple(await self._carry_out(erasure, dry_run=True)))

    async def erase(self, erasure: Erasure, *, wait: float = _WAIT_SECONDS) -> ErasurePlan:
        """Erase, and return what became of it; where nothing is found only the freed pages of the index are cleaned.

        What was broken off before is finished first. Raises `BeingErasedError` when another erasure takes longer than
        ``wait`` seconds, and `MemoryFileError`.
        """
        record = ErasureRecord(self._paths)
        locked = record.locked(wait)
        await run_in_daemon_thread(locked.__enter__)
        try:
            earlier = await self._finish(record)
            plan = await self.plan(erasure)
            if not plan.removed and not (plan.unfinished or Erasure()).names_anything:
                # An index that was not open at an earlier purge may hold it in freed pages.
                cleaned = earlier or await self._recorded(
                    record, ErasurePlan(Erasure(), ()), exact_time(self._clock.now())
                )
                waiting = {one.where: one for one in cleaned.traces if one.waits}
                found = [one for one in plan.traces if one.where not in waiting]
                return ErasurePlan(erasure, (*found, *waiting.values()), is_done=True)
            left = earlier.unfinished if earlier else None
            return await self._recorded(record, plan, exact_time(self._clock.now()), left)
        finally:
            locked.__exit__(None, None, None)

    async def forget(self, erasure: Erasure) -> bool:
        """Erase, and say whether no file holds it any more: for one that is ordered by a plugin. Raises as `erase`."""
        left = (await self.erase(erasure)).unfinished
        return left is None or not left.names_anything

    async def finish(self) -> ErasurePlan | None:
        """Finish an erasure that was broken off, unless another process is about it; return what became of it."""
        record = ErasureRecord(self._paths)
        if not record.exists():
            return None
        try:
            locked = record.locked(0)
            await run_in_daemon_thread(locked.__enter__)
            try:
                return await self._finish(record)
            finally:
                locked.__exit__(None, None, None)
        except BeingErasedError:
            return None
        except MemoryFileError as error:
            logger.warning("what was to be forgotten is not forgotten yet: {}", error.cause)
            return None

    async def findings(self) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` what was broken off."""
        record = ErasureRecord(self._paths)
        if not record.exists():
            return [Finding(_SUBJECT, "one that was broken off is finished now")] if self.finished else []
        try:
            unfinished = await run_in_daemon_thread(record.read)
        except MemoryFileError as error:
            return [Finding(_SUBJECT, error.cause, Health.BAD, error.hint)]
        since = Sentence(" begun at {time}", time=unfinished.time) if unfinished else ""
        waits = [f"{one.where}: {one.why}" for one in self.finished.traces if one.waits] if self.finished else []
        holds = Sentence("{file} holds the words until it is", file=self._paths.relative(record.path))
        if unfinished and unfinished.erasure == Erasure():
            holds = Sentence("the files are clean, and what is made of them is not yet")
        state = Sentence("one{since} is not finished; {holds}", since=since, holds=holds)
        return [Finding(_SUBJECT, Sentence.joined([state, *waits], "; "), Health.DEGRADED, _GOES_ON)]

    async def _finish(self, record: ErasureRecord) -> ErasurePlan | None:
        unfinished = await run_in_daemon_thread(record.read)
        if unfinished is None:
            await run_in_daemon_thread(record.end)  # nothing of it had begun
            return None
        self.finished = await self._recorded(record, ErasurePlan(unfinished.erasure, ()), unfinished.time)
        return self.finished

    async def _recorded(
        self, record: ErasureRecord, plan: ErasurePlan, ordered: str, earlier: Erasure | None = None
    ) -> ErasurePlan:
        """Carry a plan out that was ordered at a time. What an ``earlier`` one has left to do stays written down."""
        begun = plan.erasure.joined(earlier) if earlier else plan.erasure
        await run_in_daemon_thread(lambda: record.begin(begun, ordered))
        done = plan.done(await self._carry_out(plan.erasure, ordered=read_time(ordered), dry_run=False))
        left = done.unfinished.joined(earlier or Erasure()) if done.unfinished else earlier
        if left is None:
            await run_in_daemon_thread(record.end)
        elif left != begun:
            await run_in_daemon_thread(lambda: record.reduce(left, ordered))
        return done

    async def _carry_out(self, erasure: Erasure, *, ordered: datetime | None = None, dry_run: bool) -> list[Trace]:
        wanted = Wanted(erasure.texts, words=erasure.words, nearly=erasure.nearly)
        look = partial(purge_files, self._paths, wanted, everywhere=erasure.everywhere)
        found = await run_in_daemon_thread(lambda: look(dry_run=dry_run)) if wanted else []
        taken = partial(erase_records, self._paths, erasure.records, dry_run=dry_run)
        found += await run_in_daemon_thread(taken) if erasure.records else []
        if not dry_run and (wanted or erasure.records):
            # A host that goes on with such a conversation may still have it, and would bring it back.
            names = [Path(one.where).name for one in found if one.where.endswith(".jsonl")]
            when = ordered or self._clock.now()
            await run_in_daemon_thread(lambda: PrivacyFile(self._paths).mark(["", *names], when))
        store = self._store()
        if store is not None and not dry_run:
            for where in {trace.where for trace in found}:
                store.notify(self._paths.workspace / where)
        before = dict(self._plugins.failures())
        # One after the other: the store looks at the files last.
        answers = await self._plugins.call(
            "on_purge", arguments_of(erasure, dry_run=dry_run), accept=(Trace,), sequential=True
        )
        told = [one for answer in answers for one in answer.values if isinstance(one, Trace)]
        after = self._plugins.failures()
        failed = [
            name for (name, hook), count in after.items() if hook == "on_purge" and count > before.get((name, hook), 0)
        ]
        told += [
            Trace(Sentence("plugin {name}", name=name), 0, removed=False, why="it failed; purge again")
            for name in failed
        ]
        if self._store() is None:
            named = {one.where for one in told}
            indexes = await run_in_daemon_thread(lambda: unopened_indexes(self._paths))
            told += [unopened(where, dry_run=dry_run) for where in indexes if where not in named]
        # What seemed to be text of people may have been a plugin's, which has taken it out since, or tells of it.
        if not dry_run and any(one.foreign for one in found):
            again = await run_in_daemon_thread(lambda: look(dry_run=True))
            found = [one for one in found if not one.foreign] + [one for one in again if one.foreign]
        return _without_what_is_told(found, told) + told


def _without_what_is_told(found: Sequence[Trace], told: Sequence[Trace]) -> list[Trace]:
    lines = {(trace.where, held.line) for trace in told for held in trace.lines}
    kept = []
    for trace in found:
        left = tuple(held for held in trace.lines if (trace.where, held.line) not in lines)
        if not trace.foreign or len(left) == len(trace.lines):
            kept.append(trace)
        elif left:
            kept.append(replace(trace, lines=left, count=len(left)))
    return kept


def arguments_of(erasure: Erasure, *, dry_run: bool) -> dict[str, object]:
    """Return the arguments of ``on_purge``."""
    return {**{field.name: getattr(erasure, field.name) for field in fields(erasure)}, "dry_run": dry_run}


async def purge_texts(
    host: "MemoryHost", texts: Sequence[str], *, dry_run: bool = False, everywhere: bool = False
) -> list[Trace]:
    """Take texts, and the sentences that carry them, out of everything that is ours in the host's workspace.

    Text of people is reported and stays, unless ``everywhere``. With ``dry_run`` nothing is written. Returns what was
    found and what became of it. When it is broken off the next start finishes it.
    """
    erasure = Erasure(texts=tuple(texts), everywhere=everywhere)
    if not Wanted(texts):
        return []
    await host.start()
    plan = await (host.eraser.plan(erasure) if dry_run else host.eraser.erase(erasure))
    return list(plan.traces)
