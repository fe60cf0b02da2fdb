"""The parts of one memory, its start and its end, and what all calls share: calling plugins and writing notes.

A write that has begun is always finished, no matter what happens to the caller: no time limit applies to it.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Self
from weakref import WeakValueDictionary

from nanobot_memory_plugins.core.clock import Clock, SystemClock
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.context import HostServices
from nanobot_memory_plugins.core.erasure.retention import run_retention
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.host.eraser import Eraser
from nanobot_memory_plugins.core.host.off_record import OffRecordTool
from nanobot_memory_plugins.core.host.offered_tools import OfferedTools
from nanobot_memory_plugins.core.host.plugin_host import Answers, values_of
from nanobot_memory_plugins.core.host.plugin_set import PluginSet
from nanobot_memory_plugins.core.host.privacy import NOT_KEPT, Privacy
from nanobot_memory_plugins.core.host.prompt_texts import PromptTexts
from nanobot_memory_plugins.core.isolation.threads import OwnedTasks, run_in_daemon_thread
from nanobot_memory_plugins.core.language_model.access import hook_deadline
from nanobot_memory_plugins.core.protocols import Complete, EntryAccess, Store
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.scopes.people import UNKNOWN_SENDERS, Senders
from nanobot_memory_plugins.core.scopes.safe_keys import redact_scope
from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION, ScopeLike, workspace_scopes
from nanobot_memory_plugins.core.session_reading.reader import SessionReader
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import Note, Receipt, Scope
from nanobot_memory_plugins.core.values.session_reading import ReadingPart
from nanobot_memory_plugins.redaction.script.printable import printable


class HostParts:
    """The base of `MemoryHost`: its parts, its start and its end. The calls are in the derived classes."""

    def __init__(
        self,
        workspace: str | Path,
        *,
        config: MemoryConfig | None = None,
        llm: Complete | None = None,
        clock: Clock | None = None,
        senders: Callable[[], Senders] = lambda: UNKNOWN_SENDERS,
        project: str = "",
        hookspecs: Sequence[ModuleType] = (),
    ) -> None:
        self.workspace = Path(workspace).expanduser().absolute()
        self.config = config or load_config()
        self._clock = clock or SystemClock()
        self._scopes = workspace_scopes(self.workspace, self.config, senders, project=project)
        self._redaction = ContactRedaction(self.config.redaction.contacts)
        self._files = MemoryFiles(
            self.workspace,
            redact=self._redaction.redact,
            clock=self._clock,
            on_append=self._notify,
        )

        self.plugins = PluginSet(
            self.workspace,
            config=self.config,
            llm=llm,
            clock=self._clock,
            scopes=self._scopes,
            services=HostServices(
                keep=lambda note, key: self.keep(note, session_key=key or NO_SESSION),
                erase=lambda erasure: self.eraser.forget(erasure),
                tools_offered=lambda: self._tools.were_offered,
            ),
            redaction=self._redaction,
            specifications=hookspecs,
        )
        """The installed plugins, with their states."""
        self.eraser = Eraser(self.workspace, self.plugins, self._clock)
        self._tools = OfferedTools(is_on=self.config.core.tools)
        self.privacy = Privacy(self._files.paths, self._clock)
        self._reader = SessionReader(
            self._files.paths,
            collect_parts=self._reading_parts,
            keep_notes=self._keep_notes,
            complete=self.plugins.language_model("core"),
            wishes=self.config.core.wishes,
            clock=self._clock,
        )
        self._prompt = PromptTexts(self.plugins)
        self._redacted_base = lru_cache(maxsize=1)(lambda text: printable(self._redaction.redact_people(text)))
        # Histories are recorded one after the other; an asyncio lock belongs to one event loop.
        self._history_locks: WeakValueDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakValueDictionary()
        self._writes = OwnedTasks()
        self._background = OwnedTasks()
        self._starting: asyncio.Task[None] | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Load the plugins, open the store and call ``on_start``. Further calls, also concurrent ones, only wait."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        await asyncio.shield(self._starting)

    async def _start(self) -> None:
        await self.plugins.load()
        await self._redaction.load()
        await self.plugins.open()
        await self.plugins.call("on_start", {})
        off_record = OffRecordTool(
            self.privacy, drain=self._drain, erase=self.eraser.forget, entries=lambda: self.entries
        )
        await self._tools.load(self.plugins, self.privacy, off_record)
        await self.eraser.finish()
        self._background.begin(run_retention(self.config.core, self.workspace, self._clock, self._notify))

    async def close(self) -> None:
        """Finish pending writes, stop the plugins and close the store; nothing runs afterwards."""
        if self._closed:
            return
        self._closed = True
        await self._background.cancel()
        if self._starting is not None:
            if not self._starting.done():  # a finished task may belong to a loop that has ended
                await asyncio.gather(self._starting, return_exceptions=True)
            await self.plugins.call("on_stop", {})
        await self._drain()
        await self._files.close()
        await self.plugins.close()

    async def _owner_of(self, session_key: str, scope: ScopeLike) -> Scope:
        await self.start()
        return self._scopes.of(session_key, scope)

    async def keep(self, note: Note, *, session_key: str = "", scope: ScopeLike = None) -> Receipt:
        """Keep one note, without private parts, as if a plugin had returned it.

        ``session_key`` is that of the note's conversation: nothing is kept of one that is off the record.
        """
        note_scope = note.scope and redact_scope(note.scope)
        note = replace(note, tldr=without_private(note.tldr), details=without_private(note.details), scope=note_scope)
        owner = await self._owner_of(session_key, scope)
        if self.privacy.is_off_record(owner.session):
            return NOT_KEPT
        return await asyncio.shield(self._writes.begin(self._files.keep_note(note, scope=owner)))

    async def _ask(self, hook: str, arguments: Mapping[str, Any], scope: Scope) -> Answers:
        """Call a hook of all plugins and return their answers, in order.

        The hook's time limit becomes the deadline for uses of the language model.
        """
        token = hook_deadline.set(time.monotonic() + self.plugins.time_limit(hook))
        try:
            return await self.plugins.call(hook, {**arguments, "scope": scope})
        finally:
            hook_deadline.reset(token)

    async def _ask_for_notes(self, hook: str, arguments: Mapping[str, Any], scope: Scope) -> Receipt:
        return await self._keep_answers(await self._ask(hook, arguments, scope), scope)

    async def _reading_parts(self, arguments: Mapping[str, Any], scope: Scope) -> list[ReadingPart]:
        return values_of(await self._ask("contribute_reading", arguments, scope), ReadingPart)

    async def _keep_answers(self, answers: Answers, scope: Scope) -> Receipt:
        """Keep the notes among the answers to a hook, and return their combined receipt."""
        return combined_receipt(await self._keep_notes(values_of(answers, Note), scope))

    async def _keep_notes(self, notes: Sequence[Note], scope: Scope) -> tuple[Receipt, ...]:
        """Keep the notes that plugins made of a session; in a group chat they belong to the group, not to a user."""
        owner = replace(scope, user="") if scope.group_chat else scope
        tasks = [self._writes.begin(self._files.keep_note(note, scope=owner)) for note in notes]
        return tuple(await asyncio.shield(asyncio.gather(*tasks))) if tasks else ()

    def _write_in_thread(self, write: Callable[[], None]) -> None:
        """Start a blocking write in a thread of its own."""

        async def run() -> None:
            await run_in_daemon_thread(write)

        self._writes.begin(run())

    async def _drain(self) -> None:
        """Return once all pending writes are done, including messages that are still being redacted."""
        await self._writes.finish()
        await self._files.drain()

    def child_scope(self, parent: str, session_key: str) -> Scope:
        """Return the scope of a session that another session started: a sub-agent's or a fork's."""
        return replace(self._scopes.of_session(parent), session=session_key)

    def _notify(self, path: Path) -> None:
        if self.store is not None:
            self.store.notify(path)

    @property
    def store(self) -> Store | None:
        """The open index, or None."""
        return self.plugins.store

    @property
    def entries(self) -> EntryAccess | None:
        """Access to the scored entries, or None if no plugin keeps entries."""
        return self.plugins.entries


def combined_receipt(receipts: tuple[Receipt, ...]) -> Receipt:
    """Return one receipt for several notes: that of the first, with all of them in ``notes``."""
    if not receipts:
        return Receipt(stored=False, reason="no plugin took a note")
    reason = next((receipt.reason for receipt in receipts if receipt.reason), "")
    stored = all(receipt.stored for receipt in receipts)
    return replace(receipts[0], stored=stored, reason=reason, notes=receipts)
