"""The daily consolidation: the notes are read, the model is asked, and what it wants is done in one run."""

import asyncio
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.scoring import as_of
from nanobot_memory_plugins.consolidation.nightly.material import Material, make_prompt, materials, read_material
from nanobot_memory_plugins.consolidation.nightly.operations import Answered, apply
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
# The row of the state database.
_TASK = "consolidation"
# Seconds between looks at the clock: it may be set, and the machine may have slept.
_LOOK_SECONDS = 300.0
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

    async def every_day(self) -> None:
        """Consolidate each day at the hour that the options say, and soon after the start where that was missed.

        A command of one message is over then: it would pay for an answer that it does not wait for.
        """
        await asyncio.sleep(self._options.consolidation_delay)
        while True:
            try:
                await self._run_if_due()
            except Exception as error:  # a night that fails must not be the last one
                logger.warning("consolidation: it could not be done: {}", type(error).__name__)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _run_if_due(self) -> None:
        """Consolidate when it is due and nobody else does: no process here, and no other machine."""
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

    def _note_run(self, now: datetime) -> None:
        self._repository.state.set_task(_TASK, _TASK, {"when": exact_time(now)})

    def _is_due(self) -> bool:
        now, last = self._context.clock.now(), self._last_run()
        if last is None or last > now:
            # From here on days are counted: at the first start ever, and when a clock that was ahead is set back.
            self._note_run(now)
            return False
        return is_due(last, now, self._options.consolidation_hour)

    async def run(self) -> Outcome:
        """Consolidate once. Without a model, or when it fails, entries fade and expire. Raises `MemoryFileError`.

        A run counts from its beginning: one that is broken off, or has no answer, is made up for with what is said
        next, since seven days are read.
        """
        now = self._context.clock.now().replace(microsecond=0)
        last = await run_in_daemon_thread(self._last_run)
        await run_in_daemon_thread(self._note_run, now)
        materials_now = await run_in_daemon_thread(self._materials, now)
        fresh = [material for material in materials_now.values() if material.is_worth_asking(last)]
        answers = [answer for material in fresh if (answer := await self._operations_of(material, now))]
        return await run_in_daemon_thread(self._write, answers, now)  # at once: a process that ends waits for it

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
        return materials(read, _as_of(snapshot.entries, now), self._context.scopes.visible)

    async def _operations_of(self, material: Material, now: datetime) -> Answered | None:
        """Return what the model wants; None where it gives nothing."""
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
        answer = Answered(material, shown, text)
        if await run_in_daemon_thread(answer.read, now) is None:
            logger.warning("consolidation: the model's answer is no list of operations")
            return None
        return answer

    def _write(self, answers: Sequence[Answered], now: datetime) -> Outcome:
        """Do what the model wants; texts stay out of the log."""
        # What it was shown may have been forgotten for good while it was asked.
        found = self._materials(now) if answers else {}
        fresh = [
            replace(answer, material=found[answer.material.visible])
            for answer in answers
            if answer.material.visible in found
        ]

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            return apply(_as_of(entries, now), fresh, now=now, owner_of=self._context.scopes.owner)

        outcome = self._repository.update(change, who=WHO, why="daily consolidation")
        counts = Counter(change.action.value for change in outcome.changes)
        done = ", ".join(f"{count} {action}" for action, count in sorted(counts.items())) or "nothing to do"
        logger.info("consolidation: {}", done)
        if self._options.git_commit and outcome.run is not None:
            paths, message = self._repository.paths, f"consolidation: {done} ({now.astimezone():%Y-%m-%d})"
            _commit(paths.entries, (paths.workspace, paths.memory), message)
        return outcome


def is_due(last: datetime, now: datetime, hour: int, timezone: tzinfo | None = None) -> bool:
    """Return whether it has been ``hour`` o'clock since the last run, in local time."""

    def day(moment: datetime) -> datetime:
        return moment.astimezone(timezone).replace(tzinfo=None) - timedelta(hours=hour)

    return day(last).date() < day(now).date()


def _as_of(entries: Mapping[str, Entry], now: datetime) -> dict[str, Entry]:
    return {id_: as_of(entry, now) for id_, entry in entries.items()}


def _commit(path: Path, roots: tuple[Path, ...], message: str) -> None:
    """Commit a file as it is, when the top of its repository is one of ``roots``.

    What else is staged stays staged and is not committed. No failure raises: it is logged, and the file stays as it is.
    """
    try:
        if Path(git(path.parent, "rev-parse", "--show-toplevel")).resolve() in {root.resolve() for root in roots}:
            git(path.parent, "add", "--", path.name)  # it fails where the file is ignored
            git(path.parent, *_COMMIT, message, "--", path.name)
    except (OSError, subprocess.SubprocessError) as error:
        logger.info("consolidation: {} is not committed: {}", path.name, type(error).__name__)
