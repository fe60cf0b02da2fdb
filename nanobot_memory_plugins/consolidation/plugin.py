"""The consolidation plugin: its hook implementations, which delegate to the other modules."""

import asyncio
import contextvars
import shlex
from collections.abc import Mapping, Sequence

from nanobot_memory_plugins.consolidation.explicit_requests import explicit_request, is_answered, requested_operations
from nanobot_memory_plugins.consolidation.learning import EntryLearner
from nanobot_memory_plugins.consolidation.nightly.consolidation import NightlyConsolidation
from nanobot_memory_plugins.consolidation.operations.entry_access import CONFLICT, RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt import PromptSource
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Snapshot
from nanobot_memory_plugins.consolidation.tools import ForgetTool, RecentMessages, RememberTool
from nanobot_memory_plugins.core import (
    ContextBlock,
    EntryAccess,
    Finding,
    Health,
    MemoryTool,
    Message,
    NanobotMemoryError,
    PluginContext,
    PromptEntries,
    Scope,
    hookimpl,
    logger,
)
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.host.offered_tools import answer_of
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.entries import Section
from nanobot_memory_plugins.core.values.session_reading import ReadingPart, ReadingRequest
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SUBJECT = "scored entries"
_MOST_NAMED = 5


class _WorkspaceEntries:
    """The repository, tools, learner and prompt source of one workspace's entries."""

    def __init__(self, context: PluginContext) -> None:
        self.repository = EntryRepository(
            context.workspace, clock=context.clock, redact=context.redact, redact_said=context.redact_said
        )
        self.recent = RecentMessages(self.repository.paths, context.clock)
        self.tools: list[MemoryTool] = [
            RememberTool(self.repository, self.recent, context),
            ForgetTool(self.repository, self.recent, context),
        ]
        self.learner = EntryLearner(self.repository, context)
        self.prompt = PromptSource(self.repository, context)

    def refresh(self) -> None:
        """Adopt changes that others made to the file, and load it, so that the first prompt contains the entries."""
        try:
            self.repository.adopt_edits()
            self.repository.load_cached()
        except MemoryFileError as error:
            logger.warning("the file of the entries stays as it is: {}", error.cause)

    async def call_tool(self, name: str, arguments: Mapping[str, object], session_key: str) -> str:
        """Call a tool the way the model does; return its answer, or "" when there is no such tool."""
        tool = next((candidate for candidate in self.tools if candidate.name == name), None)
        return str(await answer_of(tool, arguments, session_key)) if tool is not None else ""


class ConsolidationPlugin:
    """Learns, shows and consolidates the scored long-term entries."""

    Options = ConsolidationOptions

    def __init__(self) -> None:
        self._entries: _WorkspaceEntries | None = None
        self._nightly_task: asyncio.Task[None] | None = None

    def _entries_of(self, context: PluginContext) -> _WorkspaceEntries:
        if self._entries is None:
            self._entries = _WorkspaceEntries(context)
        return self._entries

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Load the entries before the first prompt, and start the daily consolidation."""
        await run_in_daemon_thread(self._entries_of(context).refresh)
        options: ConsolidationOptions = context.options
        if options.consolidation_schedule and self._nightly_task is None:
            loop = NightlyConsolidation(context).run_daily()
            # A new context: the time limit of the hook that starts the memory must not apply to this task.
            self._nightly_task = asyncio.create_task(loop, name="consolidation", context=contextvars.Context())

    @hookimpl
    async def on_stop(self) -> None:
        """Stop the daily consolidation: a pending model call is cancelled, a write that has begun is finished."""
        task, self._nightly_task = self._nightly_task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    @hookimpl
    async def on_message_received(
        self, session_key: str, text: str, scope: Scope, context: PluginContext, spoken: bool = True
    ) -> ContextBlock | None:
        """Record the message for quotation checks; without a model and tools, carry out an explicit request."""
        if not spoken:
            return None
        self._entries_of(context).recent.add(session_key, text, scope)
        has_model = context.complete is not None or context.host.tools_offered()
        request = None if has_model else explicit_request(text)
        return (
            ContextBlock(await self._entries_of(context).call_tool(*request, session_key))
            if request is not None
            else None
        )

    @hookimpl
    def contribute_tools(self, context: PluginContext) -> list[MemoryTool]:
        """Offer ``remember`` and ``forget``."""
        return self._entries_of(context).tools

    @hookimpl
    def prompt_entries(self, long_term: str, scope: Scope, context: PluginContext) -> PromptEntries:
        """Return the entries' block of the system prompt, and the long-term text without the entries."""
        return self._entries_of(context).prompt.answer(long_term, context.scopes.visible(scope))

    @hookimpl
    def open_entries(self, context: PluginContext) -> EntryAccess:
        """Return the interface through which people view and change the entries."""
        return RepositoryAccess(self._entries_of(context).repository, owner=context.scopes.of_owner)

    @hookimpl
    def contribute_reading(
        self,
        session_key: str,
        messages: tuple[Message, ...],
        unread: Mapping[str, int],
        scope: Scope,
        context: PluginContext,
    ) -> ReadingPart | None:
        """Ask for entries from the new messages of a session."""
        fresh = messages[-unread["entries"] :] if unread.get("entries") else messages if "entries" not in unread else ()
        return self._entries_of(context).learner.reading_part(session_key, fresh, scope)

    @hookimpl
    async def on_turn_finished(
        self, session_key: str, messages: Sequence[Message], context: PluginContext
    ) -> ReadingRequest | None:
        """Have background turns read, and check the user's message again when no tool was called for it.

        While the message has no answer yet, its turn is not over: the turn that finished is an earlier one.
        """
        options: ConsolidationOptions = context.options
        if session_key.startswith(options.background_sessions):
            return ReadingRequest()
        entries = self._entries_of(context)
        text = entries.recent.unhandled_messages.get(session_key, "")
        if text and is_answered(messages, text):
            del entries.recent.unhandled_messages[session_key]
            for operation in await requested_operations(context, text):
                await entries.call_tool(str(operation.get("op")), operation, session_key)
        return None

    @hookimpl
    async def on_purge(
        self,
        texts: tuple[str, ...],
        words: tuple[str, ...],
        ids: tuple[str, ...],
        dry_run: bool,
        records: tuple[str, ...],
        sessions: tuple[str, ...],
        context: PluginContext,
    ) -> list[Trace]:
        """Erase entries, and texts in the history and the backup."""
        repository = self._entries_of(context).repository
        erasure = Erasure(ids, texts, words, records=records, sessions=sessions)
        try:
            return await run_in_daemon_thread(lambda: erase_entries(repository, erasure, dry_run=dry_run))
        except MemoryFileError as error:
            file = repository.paths.relative(repository.path)
            return [Trace(file, 0, removed=False, why=error.cause, waits=True)]

    @hookimpl
    async def diagnose(self, context: PluginContext) -> list[Finding]:
        """Report how many entries there are, unreadable lines, and removed, conflicting and ownerless entries."""
        repository = self._entries_of(context).repository
        try:
            snapshot, removed = await run_in_daemon_thread(lambda: (repository.load(), repository.removed_ids()))
        except NanobotMemoryError as error:
            return [Finding(_SUBJECT, error.cause, Health.BAD, error.hint)]
        found = [_file_finding(snapshot, repository.path.name)]
        entries = snapshot.entries.values()
        if ownerless := sum(context.scopes.is_nobodys(entry.session_scope) for entry in entries):
            cause = Sentence(
                "{count} from a time when everything was shared have no owner:"
                " each is seen only in its own conversation",
                count=ownerless,
            )
            hint = Sentence(
                'The names that core.people lists as "owner" see them, as in {example};'
                " `nanobot-memory people` shows the names.",
                example='{"owner": ["cli"]}',
            )
            found.append(Finding("entries of nobody", cause, Health.DEGRADED, hint))
        if conflicts := sum(entry.group == CONFLICT for entry in entries):
            cause = Sentence("{count} conflict with what another machine wrote at the same time", count=conflicts)
            hint = Sentence(
                "`nanobot-memory entries list --group conflict` shows them;"
                " forget one of the two, or give it another group."
            )
            found.append(Finding("entries of two machines", cause, Health.DEGRADED, hint))
        damaged = repository.path.with_name(f"{repository.path.name}.damaged")
        if damaged.exists():
            hint = Sentence("Copy what is missing from it, then `rm {path}`.", path=shlex.quote(str(damaged)))
            cause = Sentence("{name} is kept: it may contain somebody's last edit", name=damaged.name)
            found.append(Finding("entries damaged", cause, Health.DEGRADED, hint))
        if removed:
            ids = ", ".join(removed[:_MOST_NAMED]) + ("…" if len(removed) > _MOST_NAMED else "")
            name = repository.path.name
            cause = Sentence(
                "{count} recently removed from {name} by others: {ids}", count=len(removed), name=name, ids=ids
            )
            hint = Sentence("`nanobot-memory entries restore ID` brings one back.")
            found.append(Finding("entries gone", cause, Health.DEGRADED, hint))
        return found


def _file_finding(snapshot: Snapshot, name: str) -> Finding:
    archived = sum(entry.section is Section.ARCHIVED for entry in snapshot.entries.values())
    state = Sentence(
        "{active} active, {archived} archived in {name}" if snapshot.entries else "none yet",
        active=len(snapshot.entries) - archived,
        archived=archived,
        name=name,
    )
    if snapshot.damage:
        state = Sentence(
            "{counts}; the file is damaged ({damage}), so its last written version is used",
            counts=state,
            damage=snapshot.damage,
        )
        return Finding(
            _SUBJECT,
            state,
            Health.DEGRADED,
            "any change (such as `nanobot-memory entries remember`), or the next start of a host, repairs the file; "
            "the damaged one is kept.",
        )
    if not snapshot.problems:
        return Finding(_SUBJECT, state)
    state = Sentence("{counts}; {problem}", counts=state, problem=Sentence.of(snapshot.problems[0]))
    if len(snapshot.problems) > 1:
        state = Sentence("{told} (and {more} more)", told=state, more=len(snapshot.problems) - 1)
    return Finding(
        _SUBJECT, state, Health.DEGRADED, "`nanobot-memory entries list` names these lines; correct them in an editor."
    )
