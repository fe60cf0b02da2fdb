"""A provider that says the prompt is too long.

nanobot shows that error to the user and compacts nothing, so every later message of the session would fail as well. The
bridge has the session compacted when the turn is over, the way nanobot compacts one that is idle.
"""

import re
from typing import Any

from nanobot.agent.hook import AgentHook

from nanobot_memory_plugins.bridge.seams import require
from nanobot_memory_plugins.bridge.sessions import is_for_people
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|max(?:imum)?[_ ](?:input|prompt)"
    r"|(?:prompt|input|request)[^.]{0,20}too (?:long|large)|too many (?:input )?tokens"
    r"|exceeds?[^.]{0,40}(?:context|token limit|n_ctx)"
    r"|上下文[^。]{0,10}(?:超|过长)|超[过出][^。]{0,10}(?:上下文|长度)",
    re.IGNORECASE,
)
_LOOKED_AT = 600


class Overflows:
    """Notices overflows, and has their sessions compacted after the turn."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop
        self._noticed: set[str] = set()
        self._compacting: set[str] = set()

    def attach(self, subscribe: Any, saved: type) -> str:
        """Take hold of the turn's hook, of the event that ends a turn, and of idle compaction."""
        require(self._loop, "auto_compact", "_archive")
        require(self._loop, "auto_compact", "_archiving", "add")
        require(self._loop, "schedule_background")
        require(self._loop, "runtime_for_session")
        self._loop._hook_factories = [*require(self._loop, "_hook_factories"), self._hook]
        subscribe(self._on_saved, saved)
        return "AgentLoop._hook_factories, AutoCompact._archive"

    def is_compacting(self, session_key: str) -> bool:
        """Return whether a session is being compacted because it overflowed."""
        return session_key in self._compacting

    def _hook(self, context: Any) -> AgentHook | None:
        key = str(context.session_key or "")
        return _OverflowHook(key, self._noticed) if is_for_people(key) and not context.ephemeral else None

    async def _on_saved(self, event: Any) -> None:
        key = str(event.context.session_key or "")
        if key not in self._noticed:
            return
        self._noticed.discard(key)
        logger.info("the provider reported an overflow: {} is compacted", redact_key(key))
        auto = self._loop.auto_compact
        auto._archiving.add(key)
        self._loop.schedule_background(self._compact(auto, key))

    async def _compact(self, auto: Any, key: str) -> None:
        self._compacting.add(key)
        try:
            runtime = self._loop.runtime_for_session(self._loop.sessions.get_or_create(key))
            await auto._archive(key, runtime=runtime)
        finally:
            auto._archiving.discard(key)
            self._compacting.discard(key)


class _OverflowHook(AgentHook):  # type: ignore[misc]  # nanobot publishes no types
    """Looks at how each request of a turn ended."""

    def __init__(self, key: str, noticed: set[str]) -> None:
        super().__init__()
        self._key = key
        self._noticed = noticed

    async def after_iteration(self, context: Any) -> None:
        """Note the session when its request was too long."""
        if is_overflow(context.response):
            self._noticed.add(self._key)


def is_overflow(response: Any) -> bool:
    """Return whether a provider's answer is the error of a prompt that is too long."""
    if getattr(response, "finish_reason", None) != "error":
        return False
    if getattr(response, "error_status_code", None) in (401, 403, 429) or getattr(response, "error_kind", None) in (
        "timeout", "connection",
    ):  # fmt: skip
        return False
    told = (getattr(response, name, None) for name in ("error_code", "error_type", "content"))
    return any(_OVERFLOW.search(simplified(text[:_LOOKED_AT])) for text in told if isinstance(text, str))
