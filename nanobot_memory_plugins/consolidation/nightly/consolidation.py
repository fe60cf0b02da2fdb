"""The daily consolidation: the notes are read, the model is asked, and what it wants is done in one run."""

import asyncio
import contextvars
import os
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.scoring import as_of
from nanobot_memory_plugins.consolidation.nightly.material import Material, make_prompt, materials, read_material
from nanobot_memory_plugins.consolidation.nightly.operations import (
    Answered,
    Applied,
    apply,
)
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import LanguageModelError, PluginContext, logger
from nanobot_memory_plugins.core.files.appending import FileBusyError, acquired_lock
from nanobot_memory_plugins.core.files.fields import exact_time, read_time
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import LeasingStore
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.redaction.script.messages import Sentence

PURPOSE = "consolidation"
_ANSWER_TOKENS = 1_500
WHO = "consolidation"
# The row of the state database, and the work that machines share.
_TASK, _WORK = "consolidation", "entries"
# Seconds for which a machine that has died keeps the others waiting: longer than a consolidation takes.
_HELD = 900.0
# Seconds between looks at the clock: it may be set, and the machine may have slept.
_LOOK_SECONDS = 300.0
# Seconds for one git command; it waits for nobody.
_GIT_SECONDS = 10.0
_GIT_OPTIONS = (
    *("-c", "user.name=nanobot-memory consolidation", "-c", "user.email=consolidation@nanobot-memory.invalid"),
    *("-c", "commit.gpgSign=false"),
)
_DONE = {"add": "added", "merge": "merged", "update": "updated", "archive": "archived"}


@dataclass(slots=True)
class Report:
    """What a consolidation came to.

    ``calls`` counts the uses of the model. ``applied`` is what came of the answers, ``failed`` says why the model gave
    nothing usable.
    """

    calls: int = 0
    applied: Applied = field(default_factory=lambda: Applied({}))
    failed: str = ""
    outcome: Outcome | None = None
    commit: str = ""

    def in_words(self) -> str:
        """Return what was done, for a commit and the log; no text of an entry is in it."""
        counts = Counter(operation.kind for operation in self.applied.done)
        words = ", ".join(f"{counts[kind]} {word}" for kind, word in _DONE.items() if counts[kind])
        changed = len(self.outcome.changes) if self.outcome is not None else 0
        return words or (f"{changed} entries brought up to date" if changed else "nothing to do")

    def log(self) -> None:
        """Say what was done and what was not; texts stay out of the log."""
        if self.applied.refused:
            logger.warning("consolidation: the model's answer is refused: {}", self.applied.refused)
        if self.failed:
            logger.warning("consolidation: the model gave nothing: {}", self.failed)
        for reason in self.applied.dropped:
            logger.info("consolidation: dropped, {}", reason)
        logger.info("consolidation: {}, {} calls of the model", self.in_words(), self.calls)


@dataclass(frozen=True, slots=True)
class LastRun:
    """When a consolidation last came to its end, and until when the model has answered to what was said.

    ``missed`` are those for whom it gave nothing then, with the time until which it had answered before.
    """

    when: datetime | None = None
    answered: datetime | None = None
    missed: Mapping[str, str] = field(default_factory=dict)

    def answered_to(self, visible: Visibility) -> datetime | None:
        """Return until when the model has answered to what these may see."""
        before = self.missed.get(str(visible))
        return self.answered if before is None else read_time(before)


class NightlyConsolidation:
    """Consolidates the entries of one workspace."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._options: ConsolidationOptions = context.options
        self._repository = EntryRepository(context.workspace, clock=context.clock, redact=context.redact_said)

    def last_run(self) -> LastRun:
        """Return what is known of the last run. It blocks."""
        row = self._repository.state.task(_TASK, _TASK) or {}
        when, answered = (read_time(str(row.get(name, ""))) for name in ("when", "answered"))
        return LastRun(when, answered, row.get("missed", {}))

    def note_run(self, last: LastRun) -> None:
        """Write down a run. It blocks."""
        times = {"when": last.when, "answered": last.answered}
        row = {name: exact_time(time) for name, time in times.items() if time is not None}
        self._repository.state.set_task(_TASK, _TASK, {**row, "missed": dict(last.missed)})

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[bool]:
        """Return whether nobody else consolidates, no process here and no other machine, and keep it so inside.

        Raises `MemoryFileError`.
        """
        paths, store = self._repository.paths, self._context.store
        leasing = store if isinstance(store, LeasingStore) else None
        held, is_alone = None, False
        with suppress(FileBusyError):
            held = acquired_lock(paths, "consolidation", 0.0)
        try:
            is_alone = held is not None and (leasing is None or await leasing.lease(_WORK, _HELD))
            yield is_alone
        finally:
            if held is not None:
                held.lock.release()
            if is_alone and leasing is not None:
                await leasing.lease(_WORK, 0.0)

    async def run(self) -> Report:
        """Consolidate once. Without a model, or when it fails, entries fade and expire. Raises `MemoryFileError`."""
        now = self._context.clock.now().replace(microsecond=0)
        last = await run_in_daemon_thread(self.last_run)
        entries, read = await run_in_daemon_thread(lambda: self._read_entries_and_material(now))
        every = self._materials(read, entries).values()
        fresh = [material for material in every if material.is_worth_asking(last.answered_to(material.visible))]
        report = Report()
        answers = [answer for material in fresh if (answer := await self._operations_of(material, now, report))]
        # What the model did not answer to stays new, and that alone.
        missed = {material.visible for material in fresh} - {answer.material.visible for answer in answers}
        before = {str(one): exact_time(time) if (time := last.answered_to(one)) else "" for one in missed}
        done = LastRun(now, now, before) if answers or not fresh else replace(last, when=now)

        def write() -> None:  # at once: a process that ends waits for it
            self._write(report, answers, now)
            self.note_run(done)

        await run_in_daemon_thread(write)
        return report

    def _read_entries_and_material(self, now: datetime) -> tuple[dict[str, Entry], Material]:
        snapshot = self._repository.load()
        read = read_material(
            self._repository.paths,
            snapshot.document.foreign,
            now=now,
            days=self._options.consolidation_days,
            redact=self._context.redact_said,
            background=self._options.background_sessions,
        )
        return _as_of(snapshot.entries, now), read

    def _materials(self, read: Material, entries: dict[str, Entry]) -> dict[Visibility, Material]:
        return materials(read, entries, self._context.scopes.visible)

    async def _operations_of(self, material: Material, now: datetime, report: Report) -> Answered | None:
        """Return what the model wants; None where it gives nothing."""
        complete, today = self._context.complete, now.astimezone().date()
        if complete is None:
            return None
        messages, shown = await run_in_daemon_thread(
            make_prompt, material, self._context.wishes, today=today, tokens=self._options.consolidation_tokens
        )
        report.calls += 1
        try:
            text = await complete(messages, max_tokens=_ANSWER_TOKENS, purpose=PURPOSE)
        except LanguageModelError as error:
            report.failed = error.cause
            return None
        answer = Answered(material, shown, text)
        if await run_in_daemon_thread(answer.read, now) is None:
            report.failed = Sentence("its answer is no list of operations")
            return None
        return answer

    def _write(self, report: Report, answers: Sequence[Answered], now: datetime) -> None:
        """Do what the model wants."""

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            current, fresh = _as_of(entries, now), list(answers)
            if answers:
                # What the model was shown may have been forgotten for good while it was asked.
                found = self._materials(self._read_entries_and_material(now)[1], current)
                shown = [(answer, found.get(answer.material.visible)) for answer in answers]
                fresh = [replace(answer, material=material) for answer, material in shown if material is not None]
            report.applied = apply(current, fresh, now=now, owner_of=self._context.scopes.owner)
            return report.applied.entries

        report.outcome = outcome = self._repository.update(change, who=WHO, why="daily consolidation")
        if self._options.git_commit and outcome.run is not None:
            paths = self._repository.paths
            message = f"consolidation: {report.in_words()} ({now.astimezone():%Y-%m-%d})"
            report.commit = _commit(paths.entries, (paths.workspace, paths.memory), message)


def is_due(last: datetime, now: datetime, hour: int, timezone: tzinfo | None = None) -> bool:
    """Return whether it has been ``hour`` o'clock since the last run, in local time."""

    def day(moment: datetime) -> datetime:
        return moment.astimezone(timezone).replace(tzinfo=None) - timedelta(hours=hour)

    return day(last).date() < day(now).date()


class Schedule:
    """Consolidates daily at ``hour`` o'clock, and what was missed some seconds after the start, as the options say."""

    def __init__(self, context: PluginContext) -> None:
        self._consolidation = NightlyConsolidation(context)
        self._options: ConsolidationOptions = context.options
        self._clock = context.clock
        # In a context of its own: the time limit of the hook that happens to start the memory is not ours.
        self._task = asyncio.create_task(self._run(), name="consolidation", context=contextvars.Context())

    async def stop(self) -> None:
        """End; a use of the model that is under way is given up, a write that has begun is finished."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        await asyncio.sleep(self._options.consolidation_delay)
        while True:
            try:
                await self._run_if_due()
            except Exception as error:  # a night that fails must not be the last one
                logger.warning("consolidation: it could not be done: {}", type(error).__name__)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _run_if_due(self) -> None:
        """Consolidate when it is due and nobody else does."""
        if await self._is_due():
            async with self._consolidation.alone() as is_alone:
                if is_alone and await self._is_due():  # another process may just have done it
                    (await self._consolidation.run()).log()

    async def _is_due(self) -> bool:
        return await run_in_daemon_thread(self._look_at_the_clock)

    def _look_at_the_clock(self) -> bool:
        now, last = self._clock.now(), self._consolidation.last_run()
        if last.when is None or last.when > now:
            # From here on days are counted: at the first start ever, and when a clock that was ahead is set back.
            self._consolidation.note_run(LastRun(now))
            return False
        return is_due(last.when, now, self._options.consolidation_hour)


def _as_of(entries: Mapping[str, Entry], now: datetime) -> dict[str, Entry]:
    return {id_: as_of(entry, now) for id_, entry in entries.items()}


def _commit(path: Path, roots: tuple[Path, ...], message: str) -> str:
    """Commit a file as it is, when the top of its repository is one of ``roots``; return the commit, or nothing.

    What else is staged stays staged and is not committed. No failure raises: it is logged, and the file stays as it is.
    """
    # Variables of a git that calls us (a hook, a rebase) would lead to its repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(path.parent), *_GIT_OPTIONS, *arguments]
        done = subprocess.run(  # noqa: S603  # no shell, and the arguments are ours
            command, capture_output=True, timeout=_GIT_SECONDS, env=environment, stdin=subprocess.DEVNULL, check=True
        )
        return done.stdout.decode("utf-8", "replace").strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() not in {root.resolve() for root in roots}:
            return ""
        git("add", "--", path.name)  # it fails where the file is ignored
        git("commit", "--quiet", "--no-verify", "--only", "--message", message, "--", path.name)
        return git("rev-parse", "HEAD")
    except (OSError, subprocess.SubprocessError) as error:
        logger.info("consolidation: {} is not committed: {}", path.name, type(error).__name__)
        return ""
