"""A tool of the memory as nanobot sees it."""

import json
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from nanobot.agent.tools.base import Tool
from nanobot.agent.tools.context import current_request_session_key

from nanobot_memory_plugins.bridge.configuration import Configuration
from nanobot_memory_plugins.core import MemoryTool
from nanobot_memory_plugins.core.host.memory_thread import MemoryThread

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

_NOT_READY = "Error: the memory is not available now. Answer without it, and say so if it matters."
_PRIVATE = "Error: this chat is temporary, nothing of it is kept."


class ToolOwner(Protocol):
    """What a tool needs of the bridge that offers it."""

    configuration: Configuration
    thread: MemoryThread

    def own_tool(self, name: str) -> None:
        """Take a tool for one of the memory's, whose results are not memories."""
        ...

    def tool(self, name: str) -> MemoryTool | None:
        """Return the memory's own tool of a name, once the memory has started."""
        ...

    def is_private(self, session_key: str) -> bool:
        """Return whether nothing of a session is kept."""
        ...


class ContributedTool(Tool):  # type: ignore[misc]  # nanobot publishes no types
    """One tool of the memory, wrapped. What the memory's own tool says about itself holds."""

    _plugin_discoverable = False
    # Subagents have registries of their own and no memory.
    _scopes: ClassVar[set[str]] = {"core"}
    #: Description and arguments until the memory has started and its own are known.
    _description = "A tool of the long-term memory."
    _parameters: ClassVar[dict[str, Any]] = {"type": "object", "properties": {}}

    def __init__(self, bridge: ToolOwner | None, name: str) -> None:
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

        async def run(memory: "MemoryHost") -> str | None:
            tool = memory.tool(self._name)
            return await tool.run(kwargs, session_key=session_key) if tool is not None else None

        answer = await self._bridge.thread.call(run, limit=self._bridge.configuration.bridge.tool_limit)
        if answer is None:
            return Tool.error(_NOT_READY)
        return Tool.error(answer) if answer.startswith("Error:") else answer

    def _tool(self) -> MemoryTool | None:
        return self._bridge.tool(self._name) if self._bridge is not None else None
