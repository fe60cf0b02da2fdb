"""What the bridge needs of a memory: the part of `MemoryHost` that it calls."""

from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from nanobot_memory_plugins.core import MemoryTool, PromptEntries, Receipt, Scope, Summary


class Recalled(Protocol):
    """What a user's message brought back."""

    @property
    def block(self) -> str | None:
        """The fenced text to inject, or None."""
        ...


class Forgotten(Protocol):
    """What was forgotten for good, and must not come back by way of nanobot's own messages."""

    async def messages(self, session: str, messages: Sequence[object]) -> list[Mapping[str, Any]]:
        """Return chat messages without it, as many."""
        ...


class Memory(Protocol):
    """The calls of `MemoryHost` that a host makes. Those of the hooks start the memory when it is not running."""

    @property
    def forgotten(self) -> Forgotten:
        """What was forgotten for good."""
        ...

    async def start(self) -> None:
        """Open the store and start the plugins."""

    async def close(self) -> None:
        """Finish what was accepted and end everything."""

    def tools(self) -> list[MemoryTool]:
        """Return the tools that the model is offered."""
        ...

    def tool(self, name: str) -> MemoryTool | None:
        """Return the tool that a call of the model means, or None."""
        ...

    async def message_received(
        self, *, session_key: str, text: str, history: Sequence[object] = (), scope: Scope | None = None
    ) -> Recalled:
        """Keep a user's message and recall what belongs to it."""
        ...

    async def message_sent(self, *, session_key: str, text: str, scope: Scope | None = None) -> Receipt:
        """Keep the assistant's reply."""
        ...

    async def tool_executed(
        self,
        *,
        session_key: str,
        tool_name: str,
        arguments: Mapping[str, Any],
        result: object = None,
        error: str | None = None,
        duration_ms: float = 0.0,
        scope: Scope | None = None,
    ) -> Receipt:
        """Note a tool that finished or failed."""
        ...

    def redact(self, text: str) -> str:
        """Return a text as the memory would write it."""
        ...

    async def session_idle(
        self,
        *,
        session_key: str,
        history: Sequence[object] = (),
        ended: bool = False,
        scope: Scope | None = None,
    ) -> Receipt:
        """Tell the plugins that a session is quiet or has ended."""
        ...

    def turn_finished(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        context_tokens: int | None = None,
        scope: Scope | None = None,
    ) -> Awaitable[Receipt]:
        """Tell the plugins that a turn is over."""
        ...

    async def before_compaction(
        self,
        *,
        session_key: str,
        messages: Sequence[object],
        context_window: int,
        reason: str,
        room: int | None = None,
        scope: Scope | None = None,
    ) -> Summary | None:
        """Save what matters before history is cut; return what replaces it, or None."""
        ...

    def trim_bootstrap(
        self, files: Mapping[str, str | Path | None], *, overhead: Mapping[str, int] | None = None
    ) -> Mapping[str, str]:
        """Return what of each bootstrap file goes into the prompt, synchronously."""
        ...

    def prompt_entries(
        self, long_term: str = "", *, session_key: str = "", scope: Scope | None = None
    ) -> PromptEntries:
        """Return what is known of the user for long, synchronously, and the rest of the long-term file."""
        ...
