"""The daily consolidation: the read are read, the model is asked, and what it wants is done in one run."""

import os
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher, encoding
from nanobot_memory_plugins.consolidation.nightly.answer import Operation, read_answer
from nanobot_memory_plugins.consolidation.nightly.apply import (
    SAYS_IT_ALREADY,
    Answered,
    Applied,
    AppliedOperation,
    apply,
)
from nanobot_memory_plugins.consolidation.nightly.material import Material, materials, read_material
from nanobot_memory_plugins.consolidation.nightly.prompt import make_prompt
from nanobot_memory_plugins.consolidation.operations.merge_entries import tidied
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import LanguageModelError, PluginContext, logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import make_folder
from nanobot_memory_plugins.core.files.fields import exact_time, read_time
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import LeasingStore
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.redaction.script.messages import Sentence

PURPOSE = "consolidation"
WHO = "consolidation"
# The row of the state database, and the work that machines share.
_TASK, _WORK = "consolidation", "entries"
# Seconds for which a machine that has died keeps the others waiting: longer than a consolidation takes.
_HELD = 900.0
# Seconds for one git command; it waits for nobody.
_GIT_SECONDS = 10.0
_GIT_IDENTITY = {
    "GIT_AUTHOR_NAME": "nanobot-memory consolidation",
    "GIT_AUTHOR_EMAIL": "consolidation@nanobot-memory.invalid",
}
_DONE = {"add": "added", "merge": "merged", "update": "updated", "archive": "archived"}


@dataclass(frozen=True, slots=True)
class Report:
    """What a consolidation came to.

    ``calls`` counts the uses of the model. ``idle`` says that nothing was new. ``failed`` says why the model gave
    nothing usable, ``refused`` why what it gave was not done. ``outcome`` is None for a dry run.
    """

    calls: int = 0
    idle: bool = False
    done: tuple[AppliedOperation, ...] = ()
    dropped: tuple[str, ...] = ()
    refused: str = ""
    failed: str = ""
    outcome: Outcome | None = None
    commit: str = ""

    def in_words(self) -> str:
        """Return what was done, for a commit and the log; no text of an entry is in it."""
        counts = Counter(operation.kind for operation in self.done)
        words = ", ".join(f"{counts[kind]} {word}" for kind, word in _DONE.items() if counts[kind])
        changed = len(self.outcome.changes) if self.outcome is not None else 0
        return words or (f"{changed} entries brought up to date" if changed else "nothing to do")

    def log(self) -> None:
        """Say what was done and what was not; texts stay out of the log."""
        if self.refused:
            logger.warning("consolidation: the model's answer is refused: {}", self.refused)
        if self.failed:
            logger.warning("consolidation: the model gave nothing: {}", self.failed)
        for reason in self.dropped:
            logger.info("consolidation: dropped, {}", reason)
        logger.info("consolidation: {}, {} calls of the model", self.in_words(), self.calls)


@dataclass(frozen=True, slots=True)
class LastRun:
    """When a consolidation last came to its end, and fingerprints of what it had seen by then."""

    when: datetime | None = None
    seen: frozenset[str] = frozenset()


@dataclass(slots=True)
class _ModelAnswers:
    """What the model answered, what of it could not be used, and which scopes got no answer."""

    answers: list[Answered] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    unanswered: set[Visibility] = field(default_factory=set)
    failed: str = ""
    calls: int = 0


class NightlyConsolidation:
    """Consolidates the entries of one workspace."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._options: ConsolidationOptions = context.options
        self._repository = EntryRepository(context.workspace, clock=context.clock, redact=context.redact_said)
        self._matcher = Matcher(encoding(context))

    def last_run(self) -> LastRun:
        """Return what is known of the last run. It blocks."""
        row = self._repository.state.task(_TASK, _TASK) or {}
        return LastRun(read_time(str(row.get("when", ""))), frozenset(map(str, row.get("seen", ()))))

    def note_run(self, last: LastRun) -> None:
        """Write down a run. It blocks."""
        when = exact_time(last.when) if last.when else ""
        self._repository.state.set_task(_TASK, _TASK, {"when": when, "seen": sorted(last.seen)})

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[bool]:
        """Return whether nobody else consolidates, no process here and no other machine, and keep it so inside.

        Raises `MemoryFileError`.
        """
        paths, store = self._repository.paths, self._context.store
        leasing = store if isinstance(store, LeasingStore) else None
        lock = private_lock(paths.locks / "consolidation.lock", thread_local=False)
        try:
            make_folder(paths, paths.locks)
            with suppress(TimeoutError):
                lock.acquire(blocking=False)
        except OSError as error:
            raise MemoryFileError(Sentence("The entries cannot be locked: {why}.", why=error.strerror)) from error
        is_alone = False
        try:
            is_alone = lock.is_locked and (leasing is None or await leasing.lease(_WORK, _HELD))
            yield is_alone
        finally:
            lock.release()
            if is_alone and leasing is not None:
                await leasing.lease(_WORK, 0.0)

    async def run(self, *, dry_run: bool = False) -> Report:
        """Consolidate once. With ``dry_run`` the model is asked, and nothing is written.

        Without a model, or when it fails, entries fade, expire, and those of the same words become one. Raises
        `MemoryFileError`.
        """
        now = self._context.clock.now().replace(microsecond=0)
        last = await run_in_daemon_thread(self.last_run)
        entries, read = await run_in_daemon_thread(lambda: self._read_entries_and_material(now))
        fresh = [
            material for material in self._materials(read, entries).values() if _is_worth_asking(material, last.seen)
        ]
        model_answers = await self._ask_model(fresh, now)
        if dry_run:
            applied = apply(entries, model_answers.answers, now=now, owner_of=self._context.scopes.owner)
            return _report(applied, model_answers, idle=not fresh)
        return await run_in_daemon_thread(lambda: self._write(model_answers, read, last, now, idle=not fresh))

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
        return tidied(snapshot.entries, now, self._context.scopes.owner), read

    def _materials(self, read: Material, entries: dict[str, Entry]) -> dict[Visibility, Material]:
        return materials(read, entries, self._context.scopes.visible)

    async def _ask_model(self, fresh: Sequence[Material], now: datetime) -> _ModelAnswers:
        model_answers = _ModelAnswers()
        for material in fresh:
            operations, shown = await self._operations_of(material, now, model_answers)
            if operations is None:
                model_answers.unanswered.add(material.visible)
                continue
            added = [operation for operation in operations if operation.op == "add"]
            matches = await self._matcher.same([operation.content for operation in added], material.entries)
            known = {operation for operation, match in zip(added, matches, strict=True) if match is not None}
            model_answers.dropped += [operation.dropped(SAYS_IT_ALREADY) for operation in known]
            new = [operation for operation in operations if operation not in known]
            model_answers.answers.append(Answered(material, shown, new))
        return model_answers

    async def _operations_of(
        self, material: Material, now: datetime, model_answers: _ModelAnswers
    ) -> tuple[list[Operation] | None, dict[str, Entry]]:
        """Return what the model wants, None where it gives nothing, and the entries that it was shown."""
        complete, options = self._context.complete, self._options
        if complete is None:
            return None, {}
        messages, shown = await run_in_daemon_thread(
            make_prompt,
            material,
            self._context.prompts,
            today=now.astimezone().date(),
            tokens=options.consolidation_tokens,
        )
        model_answers.calls += 1
        try:
            text = await complete(messages, max_tokens=options.consolidation_answer_tokens, purpose=PURPOSE)
        except LanguageModelError as error:
            model_answers.failed = error.cause
            return None, shown
        answer = await run_in_daemon_thread(read_answer, text if isinstance(text, str) else "")
        if answer is None:
            model_answers.failed = Sentence("its answer is no list of operations")
            return None, shown
        model_answers.dropped += answer[1]
        return answer[0], shown

    def _write(
        self, model_answers: _ModelAnswers, read: Material, last: LastRun, now: datetime, *, idle: bool
    ) -> Report:
        applied = Applied({})

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal applied
            current, answers = tidied(entries, now, self._context.scopes.owner), model_answers.answers
            if answers:
                # What the model was shown may have been forgotten for good while it was asked.
                fresh_materials = self._materials(self._read_entries_and_material(now)[1], current)
                answers = [
                    replace(answered, material=fresh_materials[answered.material.visible])
                    for answered in answers
                    if answered.material.visible in fresh_materials
                ]
            applied = apply(current, answers, now=now, owner_of=self._context.scopes.owner)
            return applied.entries

        day = now.astimezone().date().isoformat()
        outcome = self._repository.update(change, who=WHO, why=f"daily consolidation, {day}")
        seen: set[str] = set()
        for material in self._materials(read, outcome.entries).values():
            # What the model did not answer to stays new.
            digests = material.digests()
            seen |= digests & last.seen if material.visible in model_answers.unanswered else digests
        self.note_run(LastRun(now, frozenset(seen)))
        if self._options.history_days:
            self._repository.history.drop_before(now - timedelta(days=self._options.history_days))
        report = replace(_report(applied, model_answers, idle=idle), outcome=outcome)
        if self._options.git_commit and outcome.run is not None:
            paths = self._repository.paths
            message = f"consolidation: {report.in_words()} ({day})"
            return replace(report, commit=_commit(outcome.path, (paths.workspace, paths.memory), message))
        return report


def _is_worth_asking(material: Material, seen: frozenset[str]) -> bool:
    """Return whether there is something new, and something to compare it with."""
    enough = material.notes or material.texts or material.said or len(material.entries) > 1
    return bool(enough) and not material.digests() <= seen


def _report(applied: Applied, model_answers: _ModelAnswers, *, idle: bool) -> Report:
    dropped = (*model_answers.dropped, *applied.dropped)
    return Report(model_answers.calls, idle, applied.done, dropped, applied.refused, model_answers.failed)


def _commit(path: Path, roots: tuple[Path, ...], message: str) -> str:
    """Commit a file as it is, when the top of its repository is one of ``roots``; return the commit, or nothing.

    What else is staged stays staged and is not committed. No failure raises: it is logged, and the file stays as it is.
    """
    try:
        top = _git(path.parent, "rev-parse", "--show-toplevel")
        if Path(top).resolve() not in {root.resolve() for root in roots}:
            return ""
        _git(path.parent, "add", "--", path.name)  # it fails where the file is ignored
        only = ("--only", "--message", message, "--", path.name)
        _git(path.parent, "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", *only)
        return _git(path.parent, "rev-parse", "HEAD")
    except (OSError, subprocess.SubprocessError) as error:
        logger.info("consolidation: {} is not committed: {}", path.name, type(error).__name__)
        return ""


def _git(folder: Path, *arguments: str) -> str:
    """Return what a git command prints. Raises `OSError` and `subprocess.SubprocessError`."""
    # Variables of a git that calls us (a hook, a rebase) would lead to its repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"} | _GIT_IDENTITY
    environment |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in _GIT_IDENTITY.items()}
    done = subprocess.run(  # noqa: S603  # no shell, and the arguments are ours
        ["git", "-C", str(folder), *arguments],  # noqa: S607  # the user's git
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=_GIT_SECONDS,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return done.stdout.strip()
