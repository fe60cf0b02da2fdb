"""A tool of the memory, as an adapter offers it to its model: it runs in the memory's thread."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.host.answer import Steps, answers
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.scopes.scopes import ScopeLike

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost
    from nanobot_memory_plugins.core.host.memory_service import MemoryService

_NO_ARGUMENTS = "Error: the arguments are no JSON object. Call the tool again with one."
NOT_READY = "Error: the memory is not available now. Answer without it, and say so if it matters."
"""What a model is told whose call has no answer."""

# What stands between a prefix of a client's and the name of a tool: mcp__memory__remember, memory.remember.
_SEPARATORS = ("__", ".", ":", "/")


@dataclass(frozen=True, slots=True)
class ServiceTool:
    """One tool: what it is called, when to use it, its JSON schema, and running it from any event loop or thread.

    ``reads_only`` says that it changes nothing, ``destroys`` that it takes away what was kept.
    """

    service: "MemoryService"
    name: str
    description: str
    parameters: Mapping[str, Any]
    reads_only: bool = False
    destroys: bool = False

    @classmethod
    def of(cls, service: "MemoryService", tool: MemoryTool) -> "ServiceTool":
        """Wrap a tool of the memory's. One that does not say what it does may change something."""
        return cls(
            service,
            tool.name,
            tool.description,
            tool.parameters,
            reads_only=getattr(tool, "reads_only", False) is True,
            destroys=getattr(tool, "destroys", False) is True,
        )

    @answers
    def run(self, arguments: Mapping[str, Any] | str, *, session_key: str, scope: ScopeLike = None) -> Steps[str]:
        """Run the tool; what goes wrong is the answer.

        The arguments may be the JSON text of the model. ``scope`` says whose the session is, where nothing else of it
        has told the memory so.
        """
        given = _read(arguments) if isinstance(arguments, str) else arguments
        if not isinstance(given, Mapping):
            return _NO_ARGUMENTS
        running = self.service.thread.submit(self._use(given, session_key, scope))
        answer: str | None = yield self.service.waiting(running, self.service.tool_limit)
        return NOT_READY if answer is None else answer

    def _use(self, arguments: Mapping[str, Any], session_key: str, scope: ScopeLike) -> Any:
        async def run(memory: "MemoryHost") -> str | None:
            if scope is not None:
                memory.hold_scope(session_key=session_key, scope=scope)
            tool = memory.tool(self.name)
            return await tool.run(arguments, session_key=session_key) if tool is not None else None

        return run


def _read(arguments: str) -> object:
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return None


def own_tool(memory: "MemoryHost", name: str) -> MemoryTool | None:
    """Return the tool of the memory's that a name means, also behind a client's prefix, or None."""
    names = [name, *(name.rpartition(separator)[2] for separator in _SEPARATORS if separator in name)]
    return next((tool for one in names if (tool := memory.tool(one)) is not None), None)
