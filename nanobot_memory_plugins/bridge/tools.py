"""The memory's tools as nanobot sees them.

The two classes of the entry points stand for tools that exist before the memory has started; whatever else plugins
contribute is registered when it has.
"""

import json
from typing import Any, ClassVar

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import current_request_session_key

from nanobot_memory_plugins.bridge.attach import attach
from nanobot_memory_plugins.bridge.connection import Bridge
from nanobot_memory_plugins.bridge.memory import Memory
from nanobot_memory_plugins.core.protocols import MemoryTool

_NOT_READY = "Error: the memory is not available now. Answer without it, and say so if it matters."
_PRIVATE = "Error: this chat is temporary, nothing of it is kept."


class ContributedTool(Tool):  # type: ignore[misc]  # nanobot publishes no types
    """One tool of the memory, wrapped. What the memory's own tool says about itself holds."""

    _plugin_discoverable = False
    # Subagents have registries of their own and no memory.
    _scopes: ClassVar[set[str]] = {"core"}
    #: Description and arguments until the memory has started and its own are known.
    _description = "A tool of the long-term memory."
    _parameters: ClassVar[dict[str, Any]] = {"type": "object", "properties": {}}

    def __init__(self, bridge: Bridge | None, name: str) -> None:
        self._bridge = bridge
        self._name = name
        if bridge is not None:
            bridge.own_tool(name)

    @property
    def name(self) -> str:
        """The tool's name, as the model calls it."""
        return self._name

    @property
    def description(self) -> str:
        """When to use the tool, for the model."""
        tool = self._tool()
        return tool.description if tool is not None else self._description

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the arguments, as plain dicts and lists."""
        tool = self._tool()
        plain: dict[str, Any] = json.loads(json.dumps(tool.parameters if tool else self._parameters, default=dict))
        return plain

    def runtime_context_provider(self) -> Any:
        """Return no context: one of the two tools of the entry points does."""
        return None

    async def execute(self, **kwargs: Any) -> Any:
        """Run the tool in the memory's thread; what goes wrong is the answer."""
        if self._bridge is None:
            return Tool.error(_NOT_READY)
        session_key = current_request_session_key() or ""
        if not self.read_only and self._bridge.is_private(session_key):
            return Tool.error(_PRIVATE)

        async def run(memory: Memory) -> str | None:
            tool = next((one for one in memory.tools() if one.name == self._name), None)
            return await tool.run(kwargs, session_key=session_key) if tool is not None else None

        answer = await self._bridge.thread.call(run, limit=self._bridge.configuration.bridge.tool_limit)
        if answer is None:
            return Tool.error(_NOT_READY)
        return Tool.error(answer) if answer.startswith("Error:") else answer

    def _tool(self) -> MemoryTool | None:
        return self._bridge.tool(self._name) if self._bridge is not None else None


class _EntryPointTool(ContributedTool):
    """A tool that nanobot finds by itself, and through which the bridge attaches."""

    _tool_name: ClassVar[str]

    def __init__(self, bridge: Bridge | None) -> None:
        super().__init__(bridge, self._tool_name)
        self._provider = bridge.take_provider() if bridge is not None else None

    @classmethod
    def enabled(cls, ctx: Any) -> bool:
        """Attach, and say whether the configuration wants the tool. Never raises."""
        return attach(ctx) is not None

    @classmethod
    def create(cls, ctx: Any) -> Tool:
        """Make the tool for the loop that is starting. Never raises."""
        return cls(attach(ctx))

    def runtime_context_provider(self) -> Any:
        """Return what recalls beside each user message, from the first of our tools."""
        return self._provider


class MemorySearchTool(_EntryPointTool):
    """``memory_search``, contributed by the recall plugin."""

    _plugin_discoverable = True
    _tool_name = "memory_search"
    _description = (
        "Search your long-term memory: earlier conversations, notes, decisions and what tools returned. Use it before "
        "you say that you do not know or do not remember something."
    )
    _parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
    }

    @classmethod
    def enabled(cls, ctx: Any) -> bool:
        """Attach, and say whether there is a recall plugin to search with. Never raises."""
        bridge = attach(ctx)
        try:
            return bridge is not None and bridge.recall_enabled
        except Exception:
            return False

    @property
    def read_only(self) -> bool:
        """Searching changes nothing, so it may run beside other tools."""
        return True


class MemoryNoteTool(_EntryPointTool):
    """``memory_note``, core's own."""

    _plugin_discoverable = True
    _tool_name = "memory_note"
    _description = (
        "Keep something in your memory beyond this conversation: a preference, a decision, a fact about the user or "
        "their project. One note a fact."
    )
    _parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"tldr": {"type": "string", "description": "The note in one sentence."}},
        "required": ["tldr"],
    }
