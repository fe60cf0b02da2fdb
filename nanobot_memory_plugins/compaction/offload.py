"""Where our own work is done: on the spot when it is short, in a thread when it would hold up the event loop."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ParamSpec, Protocol, TypeVar

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread

P = ParamSpec("P")
T = TypeVar("T")

# From here on one piece of the work takes more than some 10 ms.
_LARGE_MESSAGES = 1_500
_LARGE_CHARS = 1_000_000


class Offload(Protocol):
    """Calls a function with its arguments, somewhere."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """Return what can be awaited for the function's result."""
        ...


async def directly(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call the function here."""
    return function(*args, **kwargs)


def runner_for(messages: Sequence[Message]) -> Offload:
    """Return where the work on these messages is done."""
    large = len(messages) > _LARGE_MESSAGES or sum(len(message.text) for message in messages) > _LARGE_CHARS
    return run_in_daemon_thread if large else directly
