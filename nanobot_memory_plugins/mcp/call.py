"""What a method of the protocol is called with, and what it may answer instead of a result."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.mcp.clients import Client

# Of JSON-RPC, and of the protocol where a resource is not there.
INVALID_PARAMS, INTERNAL_ERROR, NO_SUCH_RESOURCE = -32602, -32603, -32002

# A number that grows, and what is being done.
Progress = Callable[[float, str], Awaitable[None]]
# The fields of a result, as the protocol writes them.
Result = dict[str, Any]


async def no_progress(_done: float, _activity: str) -> None:
    """Tell nobody: the client has not asked."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. ``params`` are as they came; ``progress`` tells a client that wants to know how far it is."""

    client: Client
    params: Mapping[str, Any]
    progress: Progress = no_progress


Method = Callable[[Call], Awaitable[Result]]


class RequestError(Exception):
    """A request that has no result. ``message`` is for the client, and names no value of the memory."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)
