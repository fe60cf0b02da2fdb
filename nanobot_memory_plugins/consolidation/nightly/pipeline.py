"""One consolidation, from reading to the history."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

from nanobot_memory_plugins.consolidation.model.entry import Entry, new_id, whole_scope
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.nightly.answer import Add, NightlyAnswer, Operation, read_answer
from nanobot_memory_plugins.consolidation.nightly.apply import (
    Applied,
    AppliedOperation,
    Job,
    ProposedOperation,
    apply,
)
from nanobot_memory_plugins.consolidation.nightly.git_commit import commit_file
from nanobot_memory_plugins.consolidation.nightly.inputs import Narrow, NightlyMaterial, Owner, digest, gather
from nanobot_memory_plugins.consolidation.nightly.prompt import make_prompt
from nanobot_memory_plugins.consolidation.operations.merge_entries import tidied
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.nightly_records import LastRun, Records
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome, Snapshot
from nanobot_memory_plugins.core import Clock, Complete, LanguageModelError, logger
from nanobot_memory_plugins.core.files.prompts import Prompts
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Visibility, Whose
from nanobot_memory_plugins.core.values.scopes import owner
from nanobot_memory_plugins.redaction.script.messages import Sentence

PURPOSE = "consolidation"
# Who is named in the history.
WHO = "consolidation"
_OURS = Prompts()
_NOTHING = NightlyMaterial(Visibility(), (), {})
# Failures of the model after which the day is given up.
_TRIES = 3


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


@dataclass(frozen=True, slots=True)
class _Begun:
    now: datetime
    materials: tuple[NightlyMaterial, ...]
    last: LastRun
    entries: dict[str, Entry]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the model said to the materials: the jobs, and whose materials it gave nothing for."""

    jobs: tuple[Job, ...] = ()
    unusable: tuple[str, ...] = ()
    failed: frozenset[Visibility] = frozenset()
    why: str = ""
    calls: int = 0


class NightlyConsolidation:
    """Consolidates the entries of one workspace. ``complete`` is None where there is no model.

    ``timezone`` is the zone of the day notes, the machine's own by default.
    """

    def __init__(
        self,
        repository: EntryRepository,
        *,
        clock: Clock,
        redact: Callable[[str], str],
        complete: Complete | None,
        options: ConsolidationOptions,
        narrow: Narrow = lambda scope: Visibility(whose=(Whose(),)),
        owner_of: Owner = owner,
        matcher: Matcher | None = None,
        timezone: tzinfo | None = None,
        prompts: Prompts = _OURS,
    ) -> None:
        self.records = Records(repository.state)
        self._repository = repository
        self._prompts = prompts
        self._clock = clock
        self._redact = redact
        self._complete = complete
        self._options = options
        # Projects are no borders between people: what one person said in two of them is looked at together.
        self._narrow: Narrow = lambda scope: replace(narrow(scope), project="")
        self._owner_of = owner_of
        self._matcher = matcher
        self._timezone = timezone

    async def run(self, *, dry_run: bool = False) -> Report:
        """Consolidate once. With ``dry_run`` the model is asked, and nothing is written.

        Without a model, or when it fails, entries fade, expire, and those of the same words become one. Raises
        `MemoryFileError`.
        """
        begun = await run_in_daemon_thread(self._begin)
        fresh = [one for one in begun.materials if self._is_new(one, begun.last)]
        asked = await self._ask(fresh, begun)
        if dry_run:
            applied = apply(begun.entries, asked.jobs, now=begun.now, owner_of=self._owner_of)
            return _report(applied, asked, idle=not fresh)
        return await run_in_daemon_thread(lambda: self._write(asked, begun, idle=not fresh))

    def _begin(self) -> _Begun:
        now = self._clock.now().replace(microsecond=0)
        snapshot = self._repository.load()
        entries = tidied(snapshot.entries, now, self._owner_of)
        return _Begun(now, self._gather(entries, now, snapshot), self.records.last_run(), entries)

    def _gather(
        self, entries: dict[str, Entry], now: datetime, snapshot: Snapshot | None = None
    ) -> tuple[NightlyMaterial, ...]:
        return gather(
            self._repository.paths,
            snapshot or self._repository.load(),
            entries,
            now=now,
            days=self._options.consolidation_days,
            redact=self._redact,
            narrow=self._narrow,
            timezone=self._timezone,
            background=self._options.background_sessions,
        )

    def _is_new(self, material: NightlyMaterial, last: LastRun) -> bool:
        enough = material.notes or material.rest or material.spoken or len(material.entries) > 1
        return bool(enough) and not material.digests() <= last.seen

    async def _ask(self, materials: Sequence[NightlyMaterial], begun: _Begun) -> _Asked:
        asked = _Asked()
        for material in materials if self._complete is not None else ():
            local = begun.now.astimezone(self._timezone).date()
            prompt = await run_in_daemon_thread(
                make_prompt, material, self._prompts, today=local, tokens=self._options.consolidation_tokens
            )
            answer, why = await self._answer(prompt.messages)
            asked = replace(asked, calls=asked.calls + 1)
            if answer is None:
                asked = replace(asked, failed=asked.failed | {material.visible}, why=why)
                continue
            wishes = await self._wishes(answer.operations, prompt.shown, begun)
            asked = replace(
                asked,
                jobs=(*asked.jobs, Job(material, prompt.shown.entries, wishes)),
                unusable=asked.unusable + answer.unusable,
            )
        return asked

    async def _answer(self, messages: Sequence[Mapping[str, Any]]) -> tuple[NightlyAnswer | None, str]:
        assert self._complete is not None  # noqa: S101  # `_ask` has looked
        try:
            text = await self._complete(messages, max_tokens=self._options.consolidation_answer_tokens, purpose=PURPOSE)
        except LanguageModelError as error:
            return None, error.cause
        answer = await run_in_daemon_thread(read_answer, text if isinstance(text, str) else "")
        return answer, "" if answer is not None else Sentence("its answer is no list of operations")

    async def _wishes(
        self, operations: Sequence[Operation], shown: NightlyMaterial, begun: _Begun
    ) -> tuple[ProposedOperation, ...]:
        """Return operations with ids for what they add, and the entries that say it already."""
        texts = [one.content for one in operations if isinstance(one, Add)]
        known: dict[str, str] = {}
        own = {id_: one for id_, one in begun.entries.items() if self._narrow(whole_scope(one)) == shown.visible}
        if self._matcher is not None and texts:
            matches = await self._matcher.same(texts, own)
            known = {text: match.entry_id for text, match in zip(texts, matches, strict=True) if match is not None}
        taken = set(begun.entries)
        wishes: list[ProposedOperation] = []
        for one in operations:
            id_ = new_id(taken)
            taken.add(id_)
            wishes.append(ProposedOperation(one, id_, known.get(one.content, "") if isinstance(one, Add) else ""))
        return tuple(wishes)

    def _write(self, asked: _Asked, begun: _Begun, *, idle: bool) -> Report:
        applied = Applied({})

        def change(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal applied
            current = tidied(entries, begun.now, self._owner_of)
            # What the model was shown may have been forgotten for good while it was asked.
            there = {one.visible: one for one in self._gather(current, begun.now)} if asked.jobs else {}
            jobs = [replace(job, material=there.get(job.material.visible, _NOTHING)) for job in asked.jobs]
            applied = apply(current, jobs, now=begun.now, owner_of=self._owner_of)
            return applied.entries

        day = begun.now.astimezone(self._timezone).date().isoformat()
        outcome = self._repository.update(change, who=WHO, why=f"daily consolidation, {day}")
        report = replace(_report(applied, asked, idle=idle), outcome=outcome)
        self.records.note_run(self._noted(asked, begun, outcome))
        if self._options.history_days:
            self._repository.history.drop_before(begun.now - timedelta(days=self._options.history_days))
        if self._options.git_commit and outcome.run is not None:
            paths = self._repository.paths
            message = f"consolidation: {_in_words(report)} ({day})"
            return replace(report, commit=commit_file(outcome.path, (paths.workspace, paths.memory), message))
        return report

    def _noted(self, asked: _Asked, begun: _Begun, outcome: Outcome) -> LastRun:
        """Return what to remember of this run. What the model did not answer to stays new."""
        current = {one for material in begun.materials for one in material.digests()}
        if self._complete is None:
            return LastRun(begun.now, begun.last.seen & frozenset(current))
        settled = [one for one in begun.materials if one.visible not in asked.failed]
        seen_by = {one.visible for one in settled}
        seen = {one for material in settled for one in material.digests()} | (begun.last.seen & current)
        for entry in outcome.entries.values():
            visible = self._narrow(whole_scope(entry))
            if visible in seen_by or not begun.materials:
                seen.add(digest("entry", visible, f"{entry.id} {entry.content}"))
        if not asked.failed:
            return LastRun(begun.now, frozenset(seen))
        failures = begun.last.failures + 1
        if failures >= _TRIES:
            return LastRun(begun.now, frozenset(seen))
        return LastRun(begun.last.when, frozenset(seen), failures, begun.now)


def _report(applied: Applied, asked: _Asked, *, idle: bool) -> Report:
    dropped = (*asked.unusable, *applied.dropped)
    return Report(asked.calls, idle, applied.done, dropped, applied.refused, asked.why)


def log_report(report: Report) -> None:
    """Say what was done and what was not; texts stay out of the log."""
    if report.refused:
        logger.warning("consolidation: the model's answer is refused: {}", report.refused)
    if report.failed:
        logger.warning("consolidation: the model gave nothing: {}", report.failed)
    for what in report.dropped:
        logger.info("consolidation: dropped, {}", what)
    logger.info("consolidation: {}, {} calls of the model", _in_words(report), report.calls)


def _in_words(report: Report) -> str:
    words = {"add": "added", "merge": "merged", "update": "updated", "archive": "archived"}
    counts = [(sum(one.kind == kind for one in report.done), word) for kind, word in words.items()]
    told = [f"{count} {word}" for count, word in counts if count]
    if report.outcome is not None and not told:
        return f"{len(report.outcome.changes)} entries brought up to date"
    return ", ".join(told) or "nothing to do"
