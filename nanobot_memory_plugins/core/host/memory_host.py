"""The one object that a host holds: it calls the plugins, keeps what they return, and fences what they inject.

A message's path: `message_received` -> transcript (`files`) and, at the same time, the plugins' hook (`plugin_host`)
-> their notes (`files`) -> one fenced block (`fence`). A tool result's: `tool_executed` -> the hook -> their notes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.reading import given_or_usual
from nanobot_memory_plugins.core.context import HostServices
from nanobot_memory_plugins.core.erasure.retention import keep_within
from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.host.bounded_store import hits_of
from nanobot_memory_plugins.core.host.eraser import Eraser
from nanobot_memory_plugins.core.host.history import LiveHistory, tokens_of
from nanobot_memory_plugins.core.host.hook_calls import HookCalls, values_of
from nanobot_memory_plugins.core.host.offered_tools import OfferedTools
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.privacy import NOT_KEPT, Privacy
from nanobot_memory_plugins.core.host.prompt_calls import PromptCalls
from nanobot_memory_plugins.core.host.receiving import HostParts, Receiving
from nanobot_memory_plugins.core.host.recorder import TurnRecorder, combined_receipt
from nanobot_memory_plugins.core.host.resuming import Resuming
from nanobot_memory_plugins.core.host.sessions import Sessions
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete, EntryAccess, MemoryTool, Store
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.people import UNSAID, Senders
from nanobot_memory_plugins.core.scopes.safe_keys import with_redacted_keys
from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION, ScopeLike
from nanobot_memory_plugins.core.scopes.workspace_scopes import workspace_scopes
from nanobot_memory_plugins.core.session_reading.part import ReadingRequest
from nanobot_memory_plugins.core.session_reading.reader import SessionReader
from nanobot_memory_plugins.core.text.fence import remove_fenced
from nanobot_memory_plugins.core.values import (
    ContextBlock,
    Message,
    Note,
    Origin,
    Query,
    Receipt,
    Scope,
    SearchResult,
    Summary,
)
from nanobot_memory_plugins.core.values.bounded import bounded_copy
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.core.values.message_key import message_key
from nanobot_memory_plugins.core.values.notes import MessageContext
from nanobot_memory_plugins.redaction.script.messages import Sentence


@with_redacted_keys
class MemoryHost(PromptCalls):
    """Long-term memory for one workspace.

    ``llm`` is ``async complete(messages, *, max_tokens, purpose) -> str``, or None: plugins do without. Without
    ``config`` it is `load_config`'s. ``senders`` says who may write; ``project`` is for calls without one.
    ``hookspecs`` are modules of pluggy hookspecs of the host's own, called by `call_hook`. One that ``looks_only``,
    beside the agents of the workspace, opens the index and the entries and starts no plugin. None raises.
    """

    def __init__(
        self,
        workspace: str | Path,
        *,
        config: MemoryConfig | None = None,
        llm: Complete | None = None,
        clock: Clock | None = None,
        problems: Sequence[ConfigProblem] = (),
        senders: Callable[[], Senders] = lambda: UNSAID,
        project: str = "",
        hookspecs: Sequence[ModuleType] = (),
        looks_only: bool = False,
    ) -> None:
        self.workspace = Path(workspace).expanduser().absolute()
        self.config, problems = given_or_usual(config, problems)
        self._looks_only = looks_only
        self._clock = clock or SystemClock()
        self._scopes = workspace_scopes(self.workspace, self.config, senders, project=project)
        self._redaction = ContactRedaction(self.config.redaction.contacts)
        self._files = MemoryFiles(
            self.workspace,
            redact=self._redaction.of_others,
            redact_by_origin=self._redaction.by_origin,
            clock=self._clock,
            on_append=self._notify,
        )

        def keep(note: Note, key: str) -> Awaitable[Receipt]:
            return self.keep(note, session_key=key or NO_SESSION)

        self._sessions = Sessions(self._files.paths)
        self._plugins = PluginSet(
            self.workspace,
            config=self.config,
            llm=llm,
            clock=self._clock,
            problems=problems,
            scopes=self._scopes,
            services=HostServices(
                keep=keep,
                erase=lambda erasure: self.eraser.forget(erasure),
                tools_offered=lambda: self._tools.were_offered,
                made=lambda session_key, id_: self._sessions[session_key].made.append(id_),
            ),
            redaction=self._redaction,
            specifications=hookspecs,
        )
        PromptCalls.__init__(self, self._plugins.host, self._scopes, self._files, self._redaction)
        self.eraser = Eraser(self.workspace, self._plugins.host, lambda: self.store, self._clock)
        self._tools = OfferedTools(is_on=self.config.core.tools)
        keeps = self.config.core.keep_transcripts
        self._recorder = TurnRecorder(self._files, keep_transcripts=keeps, clock=self._clock)
        self.privacy = Privacy(self._files.paths, self._clock, self._sessions, self.eraser.forget)
        self._hooks = HookCalls(self._plugins, self._recorder, self._sessions, self.privacy)
        parts = HostParts(
            self.config.core, self._clock, self._files, self._recorder, self._redaction,
            self._plugins, self._sessions, self.privacy, self._hooks,
        )  # fmt: skip
        self._receiving = Receiving(parts)
        self._resuming = Resuming(parts)
        self._reader = SessionReader(
            self._files.paths,
            contribute=self._hooks.reading_parts,
            keep=self._hooks.keep,
            complete=self._plugins.language_model("core"),
            prompts=self._plugins.prompts,
            clock=self._clock,
        )
        self._background = OwnedTasks()
        self._starting: asyncio.Task[None] | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Discover the plugins, open the store and start both. Doing it again, or from two tasks, does nothing more."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        await self._plugins.load()
        await self._redaction.load()
        await self._plugins.open_store()
        await self._plugins.open_entries()
        if self._looks_only:
            return
        await self._plugins.host.call("on_start", {})
        await self._tools.load(self._plugins.host, self.privacy)
        await self.eraser.finish()
        self._background.begin(keep_within(self.config.core, self.workspace, self._clock, self._notify))
        self._background.begin(self._reader.read_waiting())

    async def close(self) -> None:
        """Finish the writes that were accepted, stop the plugins, close the store. Nothing of ours runs afterwards."""
        if self._closed:
            return
        self._closed = True
        self._resuming.stop()
        await self._background.cancel()
        if self._starting is not None:
            if not self._starting.done():  # one that is done may be of an event loop that has ended
                await asyncio.gather(self._starting, return_exceptions=True)
            if not self._looks_only:
                await self._plugins.host.call("on_stop", {})
        await self._recorder.drain()
        await self._files.close()
        if (store := self._plugins.store) is not None:
            self._plugins.store = None
            try:
                await store.close()
            except Exception as error:  # a third party's store may fail in any way; the host goes on closing
                logger.warning("the store could not be closed cleanly: {}", type(error).__name__)
        await self._plugins.host.close()

    async def _owner_of(self, session_key: str, scope: ScopeLike) -> Scope:
        """Start where that was not done yet, and return whose a session is."""
        await self.start()
        return self._scopes.of(session_key, scope)

    async def message_received(
        self,
        *,
        session_key: str,
        text: str,
        history: Sequence[object] = (),
        scope: ScopeLike = None,
        spoken: bool = True,
        known: bool = False,
    ) -> MessageContext:
        """Keep a user's message, and return what memory says; ``history`` stands in the live context before it.

        What a host says in the user's place (a task's notification, a prompt to a sub-agent, a schedule) is not
        ``spoken``: it is recalled for, and neither kept nor believed as the user's word. ``known``: it was kept before.
        """
        owner = await self._owner_of(session_key, scope)
        context, blocks = await self._receiving.receive(
            session_key, text, history, owner, spoken=spoken, known=known, prompt=self._in_prompt(owner)
        )
        self._note_recall(blocks)
        return context

    async def review_draft(
        self, *, session_key: str, text: str, draft: str, history: Sequence[object] = (), scope: ScopeLike = None
    ) -> str | None:
        """Look at the draft of an answer to ``text``; return a fenced block with which to make it again, or None."""
        owner = await self._owner_of(session_key, scope)
        block, blocks = await self._receiving.review(session_key, text, draft, history, owner)
        if blocks:
            self._note_recall(blocks)
        return block

    def _notify(self, path: Path) -> None:
        """Tell the index that a file has grown."""
        if self.store is not None:
            self.store.notify(path)

    def _note_recall(self, blocks: Sequence[ContextBlock]) -> None:
        if self.store is not None:
            self._recorder.note_recall(blocks, tool_tokens=self._tools.tokens, entries=self.entries_text)

    async def message_sent(self, *, session_key: str, text: str, scope: ScopeLike = None) -> Receipt:
        """Keep the assistant's reply."""
        await self.start()
        text = remove_fenced(text)
        if self.privacy.keeps_nothing(session_key):
            return NOT_KEPT
        session = self._sessions[session_key]
        if (taken := session.taken_in.pop(message_key("assistant", text), None)) is not None:
            return taken
        session.hear("assistant", text)
        owner = self._scopes.of(session_key, scope)
        capture = self._recorder.begin_message
        return await asyncio.shield(capture(session_key, text, role="assistant", origin=Origin.ASSISTANT, scope=owner))

    async def tool_executed(
        self,
        *,
        session_key: str,
        tool_name: str,
        arguments: Mapping[str, Any],
        result: object = None,
        error: str | None = None,
        duration_ms: float = 0.0,
        scope: ScopeLike = None,
    ) -> Receipt:
        """Let the plugins take notes of a tool that finished, or that failed with ``error``.

        The receipt is that of the first note, with all of them in ``notes``; it is not stored when no plugin took one.
        """
        await self.start()
        frozen = bounded_copy(result)
        if self.privacy.keeps_nothing(session_key):
            return NOT_KEPT
        if isinstance(frozen, str) and self.tool(tool_name) is not None:
            self._redaction.hear(frozen)  # what memory shows was said by whom it is shown to
        return await self._hooks.noted(
            "on_tool_executed",
            {
                "session_key": session_key,
                "tool_name": tool_name,
                "arguments": bounded_copy(arguments),
                "result": remove_fenced(frozen) if isinstance(frozen, str) else frozen,
                "error": error,
                "duration_ms": duration_ms,
            },
            self._scopes.of(session_key, scope),
        )

    async def session_idle(
        self, *, session_key: str, history: Sequence[object] = (), ended: bool = False, scope: ScopeLike = None
    ) -> Receipt:
        """Tell the plugins that a session has been quiet for a while, or has ended; keep their notes.

        What is new in it is read by the language model, once for all plugins. What of ``history`` memory never saw is
        taken in first.
        """
        owner = await self._owner_of(session_key, scope)
        if history:
            await self._resuming.take_in_lately(session_key, history, owner)
        messages = await self._receiving.history(session_key, history)
        self._redaction.hear_user(messages)
        arguments = {"session_key": session_key, "history": messages, "ended": ended}
        noted = await self._hooks.noted("on_session_idle", arguments, owner)
        reading = self._read(session_key, owner, "ended" if ended else "idle", noted, messages)
        return await asyncio.shield(self._background.begin(reading))

    def turn_finished(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        context_tokens: int | None = None,
        scope: ScopeLike = None,
    ) -> "asyncio.Task[Receipt]":
        """Tell the plugins that a turn is over, and return at once: what they do about it runs in the background.

        ``messages`` stand in the live context now. ``context_tokens`` is what the last request to the model held, where
        the host knows it; else the messages are estimated. The task, which need not be awaited, ends with the receipt
        of the notes. It is cancelled at the close.
        """
        owner = self._scopes.of(session_key, scope)
        following = self._follow_turn(session_key, tuple(messages), context_window, context_tokens, owner)
        return self._background.begin(following)

    async def resume(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        parent: str = "",
        scope: ScopeLike = None,
        behind_turn: bool = False,
    ) -> int:
        """Keep what is missing of a host's history, once, and return how many messages that were.

        ``messages`` may carry their ``timestamp``. ``parent`` is the session from which this one was forked off. What
        is taken in ``behind_turn`` is older than a turn that was begun before.
        """
        await self.start()
        owner = self._scopes.of(session_key, scope or (self.child_scope(parent, session_key) if parent else None))
        return await self._resuming.take_in(session_key, messages, owner, parent=parent, behind_turn=behind_turn)

    async def before_compaction(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        reason: str,
        room: int | None = None,
        replaceable: bool = True,
        known: int = 0,
        scope: ScopeLike = None,
    ) -> Summary | None:
        """Let the plugins save what matters before history is cut; return what replaces it.

        What of it memory never saw is kept first; the first ``known`` messages are told again. ``room`` is what the
        summary and the messages that stay may take, in tokens. A host that makes its own summary says that it is not
        ``replaceable``: then the answer's text is advice for that. None: no plugin has a summary.
        """
        owner = await self._owner_of(session_key, scope)
        room = context_window if room is None else room
        more = {"context_window": context_window, "room": room, "reason": reason, "replaceable": replaceable}
        summary = await self._resuming.before_compaction(session_key, messages, owner, more, known=known)
        given: Sequence[Message] = ()
        if not self.config.core.keep_transcripts:  # else what is read is the transcript
            given = await self.privacy.readable(session_key, await self._receiving.history(session_key, messages))
        await self._reader.expect(session_key, owner)
        self._background.begin(self._reader.read(session_key, owner, "compaction", given=given))
        return summary

    async def keep(self, note: Note, *, session_key: str = "", scope: ScopeLike = None) -> Receipt:
        """Keep one note, as a plugin would by returning it."""
        await self.start()
        if self.privacy.keeps_nothing(session_key):
            return NOT_KEPT
        (kept,) = await self._hooks.keep([note], self._scopes.of(session_key, scope), of_group=False)
        return kept

    async def call_hook(
        self, hook: str, arguments: Mapping[str, object], *, accept: tuple[type, ...] = (object,), limit: float = 60.0
    ) -> dict[str, tuple[Any, ...]]:
        """Call a hook of the host's own ``hookspecs``; return the answers by plugin, in the order of the calls.

        Plugins are held as at every hook, each for ``limit`` seconds at most. ``accept`` are the types of values that
        count; nothing is kept of them. Raises `PluginError` for a hook that is in no specification, and for other
        arguments than it has.
        """
        await self.start()
        names = self._plugins.host.arguments_of(hook)
        if names != arguments.keys():
            raise PluginError(
                Sentence("{hook} was called with {given}.", hook=hook, given=", ".join(sorted(arguments)) or "nothing"),
                hint=Sentence("The hook has: {names}.", names=", ".join(sorted(names))),
            )
        answers = await self._plugins.host.call(hook, arguments, accept=accept, limit=limit)
        return {one.plugin_name: one.values for one in answers}

    async def search(self, query: Query) -> SearchResult:
        """Search the index.

        Raises `StoreError` when no store is open, or when it cannot answer.
        """
        await self.start()
        return await hits_of(self.store, query)

    async def flush_index(self) -> None:
        """Return once everything that has been kept so far is searchable; without a store that is at once."""
        await self.start()
        await self._recorder.drain()
        if self.store is not None:
            await self.store.flush()

    def tools(self) -> list[MemoryTool]:
        """Return the tools to offer to the model; before the start there are none."""
        return self._tools.offered()

    def tool(self, name: str) -> MemoryTool | None:
        """Return the tool that a call of the model means, also behind a client's prefix, or None."""
        return self._tools.called(name)

    @property
    def store(self) -> Store | None:
        """The open index, or None."""
        return self._plugins.store

    @property
    def entries(self) -> EntryAccess | None:
        """Access to the scored entries, or None: no plugin keeps any."""
        return self._plugins.entries

    @property
    def plugins(self) -> PluginSet:
        """The plugins that were found, with their states."""
        return self._plugins

    async def diagnose(self) -> list[Finding]:
        """Return how things stand: what core sees and what each plugin reports."""
        await self.start()
        return [*await self._plugins.diagnose(), *await self.eraser.findings()]

    async def _follow_turn(
        self, session_key: str, messages: Sequence[object], window: int, tokens: int | None, scope: Scope
    ) -> Receipt:
        await self.start()
        if tokens is None:
            tokens = await run_in_daemon_thread(lambda: sum(map(tokens_of, messages)))
        live = LiveHistory(messages, await self._sessions.unspoken(session_key))
        arguments = {
            "session_key": session_key,
            "messages": live,
            "context_tokens": tokens,
            "context_window": window,
        }
        answers = await self._hooks.answers("on_turn_finished", arguments, scope=scope)
        noted = await self._hooks.keep_answers("on_turn_finished", answers, scope)
        wants_reading = bool(values_of(answers, ReadingRequest))
        return await self._read(session_key, scope, "turn", noted, live) if wants_reading else noted

    async def _read(
        self, session_key: str, scope: Scope, reason: str, noted: Receipt, given: Sequence[Message]
    ) -> Receipt:
        """Read a session once all that was said in it is written; return what was ``noted`` with the notes of that."""
        await self._reader.expect(session_key, scope)
        await self._recorder.drain()
        notes = await self._reader.read(
            session_key, scope, reason, given=await self.privacy.readable(session_key, given)
        )
        return combined_receipt((*noted.notes, *notes)) if notes else noted
