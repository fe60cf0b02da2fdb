"""The tools of one memory: what the model is offered, and what a call of it means."""

import json

from nanobot_memory_plugins.core.host.bounded_tool import HoldsForgotten, bounded_tools
from nanobot_memory_plugins.core.host.off_record import OffTheRecord
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from nanobot_memory_plugins.core.host.remember_tool import REMEMBER, IsUsersWord, KeepNote, RememberNote
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.text.tokens import estimate_tokens


class OfferedTools:
    """Our own tool, until a plugin contributes one of its name, and the plugins' own. None where ``wanted`` is off."""

    def __init__(self, keep: KeepNote, is_users_word: IsUsersWord, *, wanted: bool) -> None:
        self._tools: dict[str, MemoryTool] = {REMEMBER: RememberNote(keep, is_users_word)} if wanted else {}
        self._wanted = wanted
        self._tokens: int | None = None

    @property
    def tokens(self) -> int:
        """The estimated tokens of what is offered, in each request that it stands in."""
        if self._tokens is None:
            self._tokens = sum(map(_tokens_of, self.offered()))
        return self._tokens

    async def load(self, plugins: PluginHost, holds_forgotten: HoldsForgotten, off_record: OffTheRecord) -> None:
        """Ask the plugins for theirs."""
        if self._wanted:
            answers = await plugins.call("contribute_tools", {}, accept=(MemoryTool,))
            self._tokens = None
            self._tools |= {tool.name: tool for tool in bounded_tools(answers, holds_forgotten, off_record)}

    def offered(self) -> list[MemoryTool]:
        """Return what the model is offered."""
        return list(self._tools.values())

    def called(self, name: str) -> MemoryTool | None:
        """Return the tool that a call means, or None."""
        return self._tools.get(name)


def _tokens_of(tool: MemoryTool) -> int:
    shown = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return estimate_tokens(json.dumps({"type": "function", "function": shown}, ensure_ascii=False, default=str))
