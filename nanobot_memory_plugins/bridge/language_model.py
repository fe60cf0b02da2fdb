"""The host's language model, as plugins ask for it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from nanobot.utils.helpers import strip_think

from nanobot_memory_plugins.core import LanguageModelError
from nanobot_memory_plugins.redaction.script.messages import Sentence


class HostLanguageModel:
    """``complete()`` over the provider that nanobot is configured with.

    Plugins call it in the memory's thread; the provider belongs to the host's event loop, where its connections
    were opened, so the call is made there.
    """

    def __init__(self, loop: Any) -> None:
        self._agent_loop = loop
        self._host: asyncio.AbstractEventLoop | None = None

    def attend(self) -> None:
        """Remember the running event loop as the host's. Called where the host calls the bridge."""
        self._host = asyncio.get_running_loop()

    async def __call__(self, messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        """Return the model's answer.

        Raises `LanguageModelError` when the host's event loop is not running or the provider failed. The provider
        has tried again by itself before it fails.
        """
        host = self._host
        if host is None or not host.is_running():
            raise LanguageModelError(
                Sentence("nanobot's event loop is not running: no answer for {purpose!r}.", purpose=purpose)
            )
        answer = self._answer([dict(message) for message in messages], max_tokens)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(answer, host))

    async def _answer(self, messages: list[dict[str, Any]], max_tokens: int) -> str:
        loop = self._agent_loop
        response = await loop.provider.chat_with_retry(
            messages=messages, tools=None, model=loop.model, max_tokens=max_tokens
        )
        if response.finish_reason == "error":
            # The text of the response can carry the prompt: only the kind of the failure is passed on.
            kind = getattr(response, "error_kind", None) or getattr(response, "error_type", None) or "unknown"
            raise LanguageModelError(Sentence("nanobot's provider failed: {kind}.", kind=kind))
        # Without the reasoning that some models write into their answer, as nanobot itself drops it.
        return str(strip_think(response.content or ""))
