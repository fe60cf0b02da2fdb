"""The daily consolidation: reads the notes, asks the model, and applies its answers in one run of the history."""

import asyncio
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.scoring import entry_as_of
from nanobot_memory_plugins.consolidation.nightly.material import Material, group_by_viewer, make_prompt, read_material
from nanobot_memory_plugins.consolidation.nightly.operations import NightAnswer, apply
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import LanguageModelError, PluginContext, logger
from nanobot_memory_plugins.core.files.appending import FileBusyError, acquire_lock
from nanobot_memory_plugins.core.files.fields import exact_time, read_time
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import LeaderElection
from nanobot_memory_plugins.core.scopes.projects import git
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import Entry

PURPOSE = "consolidation"
_ANSWER_TOKENS = 1_500
WHO = "consolidation"
# The name and key of the task in the state database.
_TASK = "consolidation"
# Seconds between checks of the clock, which may be set, and the machine may sleep.
_CHECK_SECONDS = 300.0
_COMMIT = (
    *("-c", "user.name=nanobot-memory consolidation", "-c", "user.email=consolidation@nanobot-memory.invalid"),
    *("-c", "commit.gpgSign=false"),
    *("commit", "--quiet", "--no-verify", "--only", "--message"),
)


class NightlyConsolidation:
    """Consolidates the entries of one workspace."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._options: ConsolidationOptions = context.options
        self._repository = EntryRepository(context.workspace, clock=context.clock, redact=context.redact_said)

    async def run_daily(self) -> None:
        """Consolidate each day at the hour in the options, and soon after the start if a run was missed.

        The delay after the start keeps a command that handles one message from paying for an unused answer.
        """
        await asyncio.sleep(self._options.consolidation_delay)
        while True:
            try:
                await self._run_if_due()
            except Exception as error:  # one failed run must not stop the schedule
                logger.warning("consolidation: it could not be done: {}", type(error).__name__)
            await asyncio.sleep(_CHECK_SECONDS)

    async def _run_if_due(self) -> None:
        """Consolidate if it is due and no other process or machine does it."""
        if not await run_in_daemon_thread(self._is_due):
            return
        try:
            held = acquire_lock(self._repository.paths, "consolidation", 0.0)
        except FileBusyError:
            return
        store = self._context.store
        with held:
            if not isinstance(store, LeaderElection):
                await self._run_once()
            elif await store.lead():
                try:
                    await self._run_once()
                finally:
                    await store.resign()

    async def _run_once(self) -> None:
        if await run_in_daemon_thread(self._is_due):
            await self.run()

    def _last_run(self) -> datetime | None:
        return read_time(str((self._repository.state.task(_TASK, _TASK) or {}).get("when", "")))

    def _record_run(self, now: datetime) -> None:
        self._repository.state.set_task(_TASK, _TASK, {"when": exact_time(now)})

    def _is_due(self) -> bool:
        now, last = self._context.clock.now(), self._last_run()
        if last is None or last > now:
            # Start counting days: at the first start, and after a clock that was ahead was set back.
            self._record_run(now)
            return False
        return is_due(last, now, self._options.consolidation_hour)

    async def run(self) -> Outcome:
        """Consolidate once. Without a model, or when it fails, entries only fade and expire. Raises `MemoryFileError`.

        The run is recorded at its start: after one that is interrupted or gets no answer, a later run covers the same
        notes, because several days are read.
        """
        now = self._context.clock.now().replace(microsecond=0)
        last = await run_in_daemon_thread(self._last_run)
        await run_in_daemon_thread(self._record_run, now)
        by_viewer = await run_in_daemon_thread(self._materials, now)
        fresh = [material for material in by_viewer.values() if material.is_worth_asking(last)]
        answers = [answer for material in fresh if (answer := await self._ask_model(material, now))]
        # No await before the write: an ending process waits for it.
        return await run_in_daemon_thread(self._write, answers, now)

    def _materials(self, now: datetime) -> dict[Visibility, Material]:
        snapshot = self._repository.load()
        read = read_material(
            self._repository.paths,
            snapshot.document.foreign,
            now=now,
            days=self._options.consolidation_days,
            redact=self._context.redact_said,
            background=self._options.background_sessions,
        )
        return group_by_viewer(read, _entries_as_of(snapshot.entries, now), self._context.scopes.visible)

    async def _ask_model(self, material: Material, now: datetime) -> NightAnswer | None:
        """Return the model's answer, or None if there is no model or no readable answer."""
        complete, today = self._context.complete, now.astimezone().date()
        if complete is None:
            return None
        messages, shown = await run_in_daemon_thread(
            make_prompt, material, self._context.wishes, today=today, tokens=self._options.consolidation_tokens
        )
        try:
            text = await complete(messages, max_tokens=_ANSWER_TOKENS, purpose=PURPOSE)
        except LanguageModelError as error:
            logger.warning("consolidation: the model gave nothing: {}", error.cause)
            return None
        answer = NightAnswer(material, shown, text)
        if await run_in_daemon_thread(answer.read, now) is None:
            logger.warning("consolidation: the model's answer is no list of operations")
            return None
        return answer

    def _write(self, answers: Sequence[NightAnswer], now: datetime) -> Outcome:
        """Apply the answers and write the entries. The log contains counts, never texts."""
        # Material that the model was shown may have been purged while it answered.
        current = self._materials(now) if answers else {}
        fresh = [
            replace(answer, material=current[answer.material.visible])
            for answer in answers
            if answer.material.visible in current
        ]

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            return apply(_entries_as_of(entries, now), fresh, now=now, owner_of=self._context.scopes.owner)

        outcome = self._repository.update(change, who=WHO, why="daily consolidation")
        counts = Counter(change.action.value for change in outcome.changes)
        done = ", ".join(f"{count} {action}" for action, count in sorted(counts.items())) or "nothing to do"
        logger.info("consolidation: {}", done)
        if self._options.git_commit and outcome.run is not None:
            paths, message = self._repository.paths, f"consolidation: {done} ({now.astimezone():%Y-%m-%d})"
            _commit(paths.entries, (paths.workspace, paths.memory), message)
        return outcome


def is_due(last: datetime, now: datetime, hour: int, timezone: tzinfo | None = None) -> bool:
    """Return whether the clock has passed ``hour`` since the last run, in local time."""

    def day(moment: datetime) -> datetime:
        return moment.astimezone(timezone).replace(tzinfo=None) - timedelta(hours=hour)

    return day(last).date() < day(now).date()


def _entries_as_of(entries: Mapping[str, Entry], now: datetime) -> dict[str, Entry]:
    return {id_: entry_as_of(entry, now) for id_, entry in entries.items()}


def _commit(path: Path, roots: tuple[Path, ...], message: str) -> None:
    """Commit a file if the root of its git repository is one of ``roots``.

    Other staged changes stay staged and are not committed. Failures are logged, never raised.
    """
    try:
        if Path(git(path.parent, "rev-parse", "--show-toplevel")).resolve() in {root.resolve() for root in roots}:
            git(path.parent, "add", "--", path.name)  # fails if the file is ignored
            git(path.parent, *_COMMIT, message, "--", path.name)
    except (OSError, subprocess.SubprocessError) as error:
        logger.info("consolidation: {} is not committed: {}", path.name, type(error).__name__)
