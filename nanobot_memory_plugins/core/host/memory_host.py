"""The one object that a host holds: what it is made of, its start and its end.

Its calls are by subject in `message_calls` (a turn), `history_calls` (what comes behind it) and `prompt_calls`. A
message's path: `message_received` -> transcript (`files`) and, at the same time, the plugins' hook (`plugin_host`) ->
their notes (`files`) -> one fenced block (`fence`).
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
from nanobot_memory_plugins.core.host.history_calls import HistoryCalls
from nanobot_memory_plugins.core.host.hook_calls import HookCalls
from nanobot_memory_plugins.core.host.offered_tools import OfferedTools
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.privacy import Privacy
from nanobot_memory_plugins.core.host.recorder import TurnRecorder
from nanobot_memory_plugins.core.host.sessions import Sessions
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import Complete, EntryAccess, MemoryTool, Store
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.people import UNSAID, Senders
from nanobot_memory_plugins.core.scopes.safe_keys import with_redacted_keys
from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION
from nanobot_memory_plugins.core.scopes.workspace_scopes import workspace_scopes
from nanobot_memory_plugins.core.session_reading.reader import SessionReader
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import (
    Note,
    Query,
    Receipt,
    SearchResult,
)
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.redaction.script.messages import Sentence


@with_redacted_keys
class MemoryHost(HistoryCalls):
    """Long-term memory for one workspace.

    ``llm`` is ``async complete(messages, *, max_tokens, purpose) -> str``, or None: plugins do without. Without
    ``config`` it is `load_config`'s. ``senders`` says who may write; ``project`` is for calls without one.
    ``hookspecs`` are modules of pluggy hookspecs of the host's own, called by `call_hook`. One that ``looks_only``,
    next to the agents of the workspace, opens the index and the entries and starts no plugin. None raises.
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
        super().__init__()
        self.eraser = Eraser(self.workspace, self._plugins, self._clock)
        self._tools = OfferedTools(is_on=self.config.core.tools)
        keeps = self.config.core.keep_transcripts
        self._recorder = TurnRecorder(self._files, keep_transcripts=keeps, clock=self._clock)
        drain, forget = self._recorder.drain, self.eraser.forget
        self.privacy = Privacy(self._files.paths, self._clock, self._sessions, drain=drain, erase=forget)
        self._hooks = HookCalls(self._plugins, self._recorder, self._sessions, self.privacy)
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
        await self._plugins.call("on_start", {})
        await self._tools.load(self._plugins, self.privacy)
        await self.eraser.finish()
        self._background.begin(keep_within(self.config.core, self.workspace, self._clock, self._notify))
        self._background.begin(self._reader.read_waiting())

    async def close(self) -> None:
        """Finish the writes that were accepted, stop the plugins, close the store. Nothing of ours runs afterwards."""
        if self._closed:
            return
        self._closed = True
        await self._background.cancel()
        if self._starting is not None:
            if not self._starting.done():  # one that is done may be of an event loop that has ended
                await asyncio.gather(self._starting, return_exceptions=True)
            if not self._looks_only:
                await self._plugins.call("on_stop", {})
        await self._recorder.drain()
        await self._files.close()
        if (store := self._plugins.store) is not None:
            self._plugins.store = None
            try:
                await store.close()
            except Exception as error:  # a third party's store may fail in any way; the host goes on closing
                logger.warning("the store could not be closed cleanly: {}", type(error).__name__)
        await self._plugins.close()

    async def call_hook(
        self, hook: str, arguments: Mapping[str, object], *, accept: tuple[type, ...] | None = None, limit: float = 60.0
    ) -> dict[str, tuple[Any, ...]]:
        """Call a hook of the host's own ``hookspecs``; return the answers by plugin, in the order of the calls.

        Plugins are held as at every hook, each for ``limit`` seconds at most. ``accept`` are the types of values that
        count, by default those that the specification returns; nothing is kept of them. Texts are handed over without
        their private parts. Raises `PluginError` for a hook that is in no specification, and for other
        arguments than it has.
        """
        await self.start()
        names = self._plugins.arguments_of(hook)
        if names != arguments.keys():
            raise PluginError(
                Sentence("{hook} was called with {given}.", hook=hook, given=", ".join(sorted(arguments)) or "nothing"),
                hint=Sentence("The hook has: {names}.", names=", ".join(sorted(names))),
            )
        public = {
            name: without_private(value) if isinstance(value, str) else value for name, value in arguments.items()
        }
        answers = await self._plugins.call(hook, public, accept=accept, limit=limit)
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

    def _notify(self, path: Path) -> None:
        """Tell the index that a file has grown."""
        if self.store is not None:
            self.store.notify(path)

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
        """Return the state of the memory: what core sees and what each plugin reports."""
        await self.start()
        return [*await self._plugins.diagnose(), *await self.eraser.findings()]
