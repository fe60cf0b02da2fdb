"""A running nanobot to which tests send messages on its channels."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.support.nanobot import Installation

Install = Callable[..., Installation]


class Chat:
    """A running nanobot that receives messages as its channels would deliver them."""

    def __init__(self, loop: Any, server: ScriptedServer) -> None:
        self.loop = loop
        self.server = server

    async def say(self, text: str, channel: str = "cli", sender: str = "user", chat: str = "", **metadata: Any) -> str:
        """Send a message, and return the requests to the model in that turn as text."""
        from nanobot.bus.events import InboundMessage

        before = len(self.server.requests)
        message = InboundMessage(channel, sender, chat or sender, text, metadata=metadata)
        await self.loop._process_message(message)
        return "\n".join(request.text for request in self.server.requests[before:])


@asynccontextmanager
async def chatting(nanobot: Installation, server: ScriptedServer) -> AsyncIterator[Chat]:
    from nanobot.bus.queue import MessageBus

    loop = nanobot.loop(bus=MessageBus())
    try:
        yield Chat(loop, server)
    finally:
        await loop.aclose()
