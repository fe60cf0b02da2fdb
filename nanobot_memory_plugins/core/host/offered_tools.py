"""The tools that the memory offers to the model, with checked arguments and bounded answers."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from nanobot_memory_plugins.core.errors import NanobotMemoryError
from nanobot_memory_plugins.core.host.framework_calls import ToolMetadata
from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.host.privacy import NOT_KEPT, Privacy
from nanobot_memory_plugins.core.isolation.answers import MAX_TOOL_CHARS
from nanobot_memory_plugins.core.isolation.failure import exception_name, log_traceback
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.text.markdown import clean
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.script.printable import printable

# Clients put prefixes before the name of a tool, with one of these separators.
_SEPARATORS = ("__", ".", ":", "/")
# Tools that do not run while a session is off the record.
_STORING_TOOLS = ("remember",)


class OfferedTools:
    """The tools of the plugins and core's own; none if the configuration turns tools off."""

    def __init__(self, *, is_on: bool) -> None:
        self._tools: dict[str, MemoryTool] = {}
        self._is_on = is_on
        self.were_offered = False
        self.tokens = 0
        """The estimated tokens of all tools in a request."""

    async def load(self, plugins: PluginHost, privacy: Privacy, own: MemoryTool) -> None:
        """Collect the tools of the plugins, and add core's ``own`` tool."""
        if not self._is_on:
            return
        for plugin, values in (await plugins.call("contribute_tools", {})).items():
            for tool in (value for value in values if isinstance(value, MemoryTool)):
                try:
                    offered = BoundedTool(tool, plugin, privacy)
                    _tokens_of(offered)
                except Exception as error:  # no host could show it to its model
                    logger.warning("a tool of plugin {} is left out: {}", plugin, type(error).__name__)
                else:
                    self._tools[offered.name] = offered
        self._tools[own.name] = own
        self.tokens = sum(map(_tokens_of, self._tools.values()))

    def offer(self) -> list[MemoryTool]:
        """Return the tools, and note that they were offered."""
        self.were_offered = True
        return list(self._tools.values())

    def find(self, name: str) -> MemoryTool | None:
        """Return the tool with a name, which may have a client's prefix (``mcp__memory__remember``), or None."""
        names = [name, *(name.rpartition(separator)[2] for separator in _SEPARATORS if separator in name)]
        return next((self._tools[one] for one in names if one in self._tools), None)


def _tokens_of(tool: MemoryTool) -> int:
    """Return the estimated tokens of a tool in a request. Raises if the tool cannot be shown to a model."""
    if not (isinstance(tool.name, str) and isinstance(tool.description, str) and isinstance(tool.parameters, Mapping)):
        raise TypeError
    shown = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return estimate_tokens(json.dumps({"type": "function", "function": shown}, ensure_ascii=False, default=dict))


async def answer_of(tool: MemoryTool, arguments: Mapping[str, Any], session_key: str) -> object:
    """Return a tool's answer to a model's arguments, or an error text for the model if it refuses them.

    Models send null or "" for arguments that they leave out, and halves of surrogate pairs; a tool gets neither.
    """
    given = {name: clean(value) if isinstance(value, str) else value for name, value in arguments.items()}
    given = {name: value for name, value in given.items() if value not in (None, "")}
    try:
        return await tool.run(given, session_key=session_key)
    except ValidationError as error:
        faults = (
            ": ".join([".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, ")]).removeprefix(": ")
            for fault in error.errors(include_input=False)
        )
        why = "; ".join(faults)
    except NanobotMemoryError as error:
        why = str(error)
    return f"Error: nothing was done. {why}"


class BoundedTool(ToolMetadata):
    """A wrapper around a ``plugin``'s `MemoryTool` that reports its failures and bounds its answers."""

    def __init__(self, tool: MemoryTool, plugin: str, privacy: Privacy) -> None:
        super().__init__(tool)
        self._tool = tool
        self._plugin = plugin
        self._privacy = privacy

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Run the tool; if it fails, or its answer is too long or not a text, the answer says so."""
        session_key = redact_key(session_key)
        if self.name in _STORING_TOOLS and self._privacy.is_off_record(session_key):
            return f"Error: {self.name} was not run. {NOT_KEPT.reason}"
        try:
            answer = await answer_of(self._tool, arguments, session_key)
        except (Exception, SystemExit) as error:
            log_traceback(self._plugin, error)
            return self._omit_answer(exception_name(error))
        if not isinstance(answer, str):
            return self._omit_answer("it is no text")
        if len(answer) > MAX_TOOL_CHARS:
            return self._omit_answer(f"an answer of {len(answer):,} characters, where {MAX_TOOL_CHARS:,} are allowed")
        return printable(answer)

    def _omit_answer(self, why: str) -> str:
        logger.warning("the answer of the tool {} of plugin {} is left out: {}", self.name, self._plugin, why)
        return f"Error: the answer of {self.name} is left out: {why}"
