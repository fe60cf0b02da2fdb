"""`MemoryHost`, the one object through which a host uses the memory.

Its calls are split by subject: `message_calls` (a turn), `history_calls` (whole sessions), and the rest here;
`host_parts` creates its parts. A message's path: `message_received` -> the plugins' hook (`plugin_host`), then the
transcript (`files`) -> the plugins' notes (`files`) -> one fenced block (`fence`).
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

    ``llm`` is ``async complete(messages, *, max_tokens, purpose) -> str``, or None if there is no model. The default
    ``config`` is that of `load_config`. ``senders`` returns who may write to the host, ``project`` is the default
    project of calls. ``hookspecs`` are modules with the host's own pluggy hookspecs, for `call_hook`. The constructor
    raises `ValueError` for such a module without a specification.
    """

    async def call_hook(
        self, hook: str, arguments: Mapping[str, object], *, limit: float = 60.0
    ) -> dict[str, tuple[Any, ...]]:
        """Call a hook of the host's own ``hookspecs``, and return the answers by plugin, in the order of the calls.

        Plugins are isolated as in every hook, and may take ``limit`` seconds each. Values must have the types that the
        specification returns; none of them are kept. Private parts are removed from arguments that are texts. Raises
        `PluginError` for an unknown hook, and if the arguments are not those of the specification.
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
        """Search the index. Raises `StoreError` if no store is open or it cannot answer."""
        await self.start()
        scope = redact_scope(query.scope) if isinstance(query.scope, Scope) else query.scope
        return await self.plugins.required_store().search(replace(query, scope=scope))

    async def flush_index(self) -> None:
        """Return once everything kept so far is searchable; immediately if there is no store."""
        await self.start()
        await self._drain()
        if self.store is not None:
            await self.store.flush()

    def tools(self) -> list[MemoryTool]:
        """Return the tools to offer to the model; none before the start."""
        return self._tools.offer()

    def tool(self, name: str) -> MemoryTool | None:
        """Return the tool that the model calls by a name, which may have a client's prefix, or None."""
        return self._tools.find(name)

    async def diagnose(self) -> list[Finding]:
        """Return the state of the memory: what core sees and what each plugin reports."""
        await self.start()
        return [*await self.plugins.diagnose(), *await self.eraser.findings()]

    # For building a prompt: synchronous, from any thread, with the same result for the same files.

    def trim_bootstrap(
        self, files: Mapping[str, str | Path | None], *, overhead: Mapping[str, int] | None = None
    ) -> dict[str, str]:
        """Return the text of each bootstrap file for the prompt; a file that is left out is missing.

        ``overhead`` is the number of characters that the host adds to each file, by default ``## NAME`` and a rule.
        """
        return self._prompt.trim_files(files, overhead or {})

    def prompt_entries(self, long_term: str = "", *, session_key: str = "", scope: ScopeLike = None) -> PromptEntries:
        """Return the entries about the user for the system prompt, as ``text``.

        If the host also shows the long-term file, ``long_term`` is its text; that of the answer is what remains of it
        next to the entries. The text only changes when the entries do.
        """
        owner = self._scopes.of_session(session_key, scope)
        entries = self._prompt.entries(printable(long_term), owner)
        self._redaction.learn(entries.text, entries.long_term)
        return entries

    def history(self, session_key: str, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the last messages of a session from its transcript: role, content and time, oldest first."""
        return self._files.history(redact_key(session_key), limit=limit)

    def base_context(self) -> str:
        """Return the Markdown text of MEMORY.md and ENTRIES.md without secrets; it never contains recall results."""
        text = self._redacted_base(self._files.base_context())
        self._redaction.learn(text)
        return text

    def redact(self, text: str) -> str:
        """Return a text as it would be written: without secrets, and without contact data that no user wrote."""
        return self._redaction.redact_generated(text)

    def learn_scope(self, *, session_key: str, scope: ScopeLike) -> Scope:
        """Store the owner of a session for calls of tools, which only have its key; return its whole scope."""
        return self._scopes.of(session_key, scope)
