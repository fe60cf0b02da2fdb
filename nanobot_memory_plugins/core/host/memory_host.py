"""The one object that a host holds.

Its calls are by subject: `message_calls` (a turn), `history_calls` (what comes behind it), and here the rest;
`host_parts` says what it is made of. A message's path: `message_received` -> the plugins' hook (`plugin_host`),
and behind that the transcript (`files`) -> their notes (`files`) -> one fenced block (`fence`).
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.host.history_calls import HistoryCalls
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key, redact_scope
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike
from nanobot_memory_plugins.core.text.private import without_private
from nanobot_memory_plugins.core.values import PromptEntries, Query, Scope, SearchResult
from nanobot_memory_plugins.core.values.diagnosis import Finding
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.redaction.script.printable import printable


class MemoryHost(HistoryCalls):
    """Long-term memory for one workspace.

    ``llm`` is ``async complete(messages, *, max_tokens, purpose) -> str``, or None: plugins do without. Without
    ``config`` it is `load_config`'s. ``senders`` says who may write; ``project`` is for calls without one.
    ``hookspecs`` are modules of pluggy hookspecs of the host's own, called by `call_hook`. The constructor raises
    `ValueError` for a module of ``hookspecs`` without a specification.
    """

    async def call_hook(
        self, hook: str, arguments: Mapping[str, object], *, limit: float = 60.0
    ) -> dict[str, tuple[Any, ...]]:
        """Call a hook of the host's own ``hookspecs``; return the answers by plugin, in the order of the calls.

        Plugins are held as at every hook, each for ``limit`` seconds at most. Values count that are of the types which
        the specification returns; nothing is kept of them. Arguments that are texts are handed over without their
        private parts, others as they are. Raises `PluginError` for a hook that is in no specification, and for other
        arguments than it has.
        """
        await self.start()
        names = self.plugins.arguments_of(hook)
        if names != arguments.keys():
            raise PluginError(
                Sentence("{hook} was called with {given}.", hook=hook, given=", ".join(sorted(arguments)) or "nothing"),
                hint=Sentence("The hook has: {names}.", names=", ".join(sorted(names))),
            )
        public = {
            name: without_private(value) if isinstance(value, str) else value for name, value in arguments.items()
        }
        return dict(await self.plugins.call(hook, public, limit=limit))

    async def search(self, query: Query) -> SearchResult:
        """Search the index.

        Raises `StoreError` when no store is open, or when it cannot answer.
        """
        await self.start()
        scope = redact_scope(query.scope) if isinstance(query.scope, Scope) else query.scope
        return await self.plugins.required_store().search(replace(query, scope=scope))

    async def flush_index(self) -> None:
        """Return once everything that has been kept so far is searchable; without a store that is at once."""
        await self.start()
        await self._drain()
        if self.store is not None:
            await self.store.flush()

    def tools(self) -> list[MemoryTool]:
        """Return the tools to offer to the model; before the start there are none."""
        return self._tools.offered()

    def tool(self, name: str) -> MemoryTool | None:
        """Return the tool that a call of the model means, also behind a client's prefix, or None."""
        return self._tools.called(name)

    async def diagnose(self) -> list[Finding]:
        """Return the state of the memory: what core sees and what each plugin reports."""
        await self.start()
        return [*await self.plugins.diagnose(), *await self.eraser.findings()]

    # While a prompt is built: at once, from any thread, and the same for the same files.

    def trim_bootstrap(
        self, files: Mapping[str, str | Path | None], *, overhead: Mapping[str, int] | None = None
    ) -> dict[str, str]:
        """Return what of each bootstrap file goes into the prompt, at once; one that is to be left out is not in it.

        ``overhead`` is the characters that the host puts around each: by default ``## NAME`` and a rule.
        """
        return self._prompt.trimmed(files, overhead or {})

    def prompt_entries(self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None) -> PromptEntries:
        """Return what is known of the user for long, at once: ``text``, for the system prompt.

        ``long_term`` is the text of the long-term file where the host shows that too: the answer's ``long_term`` is
        what is left of it next to the block. The text stays the same until what is known changes.
        """
        owner = self._scopes.of_session(session_key, scope)
        found = self._prompt.entries(printable(long_term), owner)
        self._redaction.learn(found.text, found.long_term)
        return found

    def history(self, session_key: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the last messages of a session from its transcript: role, content and time, oldest first."""
        return self._files.history(redact_key(session_key), limit=limit)

    def base_context(self) -> str:
        """Return the text of MEMORY.md and ENTRIES.md without secrets: the Markdown alone, never a recall result."""
        text = self._shown_base(self._files.base_context())
        self._redaction.learn(text)
        return text

    def redact(self, text: str) -> str:
        """Return a text as it would be written: without secrets, and without contact data that no user said."""
        return self._redaction.redact_generated(text)

    def learn_scope(self, *, session_key: str, scope: ScopeLike) -> Scope:
        """Learn the owner of a session, and return its whole scope; tools get nothing but the session's key."""
        return self._scopes.of(session_key, scope)
