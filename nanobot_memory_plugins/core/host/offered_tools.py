"""The tools of one memory: what the model is offered, what a call of it means, and what it may say at a time."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginAnswer, PluginHost
from nanobot_memory_plugins.core.host.privacy import NOT_KEPT, OffRecordTool, Privacy
from nanobot_memory_plugins.core.host.remember_tool import REMEMBER, KeepNote, RememberNote
from nanobot_memory_plugins.core.isolation.answers import TOOL_ANSWER
from nanobot_memory_plugins.core.isolation.failure import log_traceback
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.scopes.safe_keys import with_redacted_keys
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.redaction.script.printable import printable


class OfferedTools:
    """Our own tool, until a plugin contributes one of its name, and the plugins' own. None where ``wanted`` is off."""

    def __init__(self, keep: KeepNote, *, wanted: bool) -> None:
        self._tools: dict[str, MemoryTool] = {REMEMBER: RememberNote(keep)} if wanted else {}
        self._wanted = wanted
        self._tokens: int | None = None
        self.were_offered = False

    @property
    def tokens(self) -> int:
        """The estimated tokens of what is offered, in each request that it stands in."""
        if self._tokens is None:
            self._tokens = sum(map(_tokens_of, self._tools.values()))
        return self._tokens

    async def load(self, plugins: PluginHost, privacy: Privacy) -> None:
        """Ask the plugins for theirs."""
        if self._wanted:
            answers = await plugins.call("contribute_tools", {}, accept=(MemoryTool,))
            self._tokens = None
            self._tools |= {tool.name: tool for tool in bounded_tools(answers, privacy)}
            self._tools |= {OffRecordTool.name: OffRecordTool(privacy)}

    def offered(self) -> list[MemoryTool]:
        """Return what the model is offered."""
        self.were_offered = True
        return list(self._tools.values())

    def called(self, name: str) -> MemoryTool | None:
        """Return the tool that a call means, or None."""
        return self._tools.get(name)


def _tokens_of(tool: MemoryTool) -> int:
    shown = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return estimate_tokens(json.dumps({"type": "function", "function": shown}, ensure_ascii=False, default=str))


def bounded_tools(answers: Iterable[PluginAnswer], privacy: Privacy) -> list[MemoryTool]:
    """Return the tools that plugins contribute, each inside the bound."""
    return [
        BoundedTool(tool, answer.plugin_name, privacy)
        for answer in answers
        for tool in answer.values
        if isinstance(tool, MemoryTool)
    ]


@with_redacted_keys
class BoundedTool:
    """A `MemoryTool` that lets another one speak. ``plugin`` is whose it is."""

    def __init__(self, tool: MemoryTool, plugin: str, privacy: Privacy) -> None:
        self._tool = tool
        self._plugin = plugin
        self._privacy = privacy

    @property
    def name(self) -> str:
        """The tool's name."""
        return self._tool.name

    @property
    def description(self) -> str:
        """When to use the tool."""
        return self._tool.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """JSON schema of the arguments."""
        return self._tool.parameters

    @property
    def reads_only(self) -> bool:
        """Whether it changes nothing, as far as it says so."""
        return getattr(self._tool, "reads_only", False) is True

    @property
    def destroys(self) -> bool:
        """Whether it takes away what was kept, as far as it says so."""
        return getattr(self._tool, "destroys", False) is True

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Run the tool; an answer that is too long, or no text, is left out, and the answer says so."""
        if self._privacy.keeps_out(session_key, self.name):
            return f"Error: {self.name} was not run. {NOT_KEPT.reason}"
        try:
            answer: object = await self._tool.run(arguments, session_key=session_key)
        except Exception as error:
            log_traceback(self._plugin, error)
            raise
        if not isinstance(answer, str):
            return self._left_out("it is no text")
        if len(answer) > TOOL_ANSWER:
            return self._left_out(f"an answer of {len(answer):,} characters, where {TOOL_ANSWER:,} are allowed")
        return printable(answer)

    def _left_out(self, why: str) -> str:
        logger.warning("the answer of the tool {} of plugin {} is left out: {}", self.name, self._plugin, why)
        return f"Error: the answer of {self.name} is left out: {why}"
