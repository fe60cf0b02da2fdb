"""The memory's tools as nanobot sees them.

The two classes of the entry points represent tools that exist before the memory has started; whatever else plugins
contribute is registered when it has.
"""

from typing import Any, ClassVar

from nanobot.agent.tools.base import Tool

from nanobot_memory_plugins.bridge.attach import attach
from nanobot_memory_plugins.bridge.connection import Bridge
from nanobot_memory_plugins.bridge.contributed_tool import ContributedTool


class _EntryPointTool(ContributedTool):
    """A tool that nanobot finds by itself, and through which the bridge attaches."""

    _tool_name: ClassVar[str]
    _plugin: ClassVar[str]

    def __init__(self, bridge: Bridge | None) -> None:
        super().__init__(bridge, self._tool_name)
        self._provider = bridge.take_provider() if bridge is not None else None

    @classmethod
    def enabled(cls, ctx: Any) -> bool:
        """Attach, and say whether there is a plugin that brings the tool. Never raises."""
        bridge = attach(ctx)
        try:
            return bridge is not None and bridge.offers_tool_of(cls._plugin)
        except Exception:
            return False

    @classmethod
    def create(cls, ctx: Any) -> Tool:
        """Make the tool for the loop that is starting. Never raises."""
        return cls(attach(ctx))

    def runtime_context_provider(self) -> Any:
        """Return what recalls for each user message, from the first of the memory's tools."""
        return self._provider


class MemorySearchTool(_EntryPointTool):
    """``memory_search``, contributed by the recall plugin."""

    _plugin_discoverable = True
    _tool_name = "memory_search"
    _plugin = "recall"
    _description = (
        "Search your long-term memory: earlier conversations, notes, decisions and what tools returned. Use it before "
        "you say that you do not know or do not remember something."
    )
    _parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
    }

    @property
    def read_only(self) -> bool:
        """Searching changes nothing, so it may run at the same time as other tools."""
        return True


class RememberTool(_EntryPointTool):
    """``remember``, contributed by the plugin that keeps entries."""

    _plugin_discoverable = True
    _tool_name = "remember"
    _plugin = "consolidation"
    _description = (
        "Keep one thing in your memory beyond this conversation: a preference, a decision, a fact about the user or "
        "their work."
    )
    _parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "One fact in one sentence."}},
        "required": ["text"],
    }
