"""What a framework's hooks hand over, who asks what runs inside a tool, what it sees of ours, and safe callbacks."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from nanobot_memory_plugins.core.errors import log_text
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import MemoryTool

# Messages before one, or how to get at them: reading them is left to the memory's thread then.
History = Sequence[object] | Callable[[], Sequence[object]]
ExceptionTypes = type[BaseException] | tuple[type[BaseException], ...]


_asking: ContextVar[str] = ContextVar("nanobot_memory_asking_session", default="")


def calling_session() -> str:
    """Return the session in one of whose tools this code runs, or nothing: an agent that begins here is a sub-agent."""
    return _asking.get()


@contextmanager
def tool_call_of(session_key: str) -> Iterator[None]:
    """Have what runs inside asked by a session: its tasks, and its threads where they are given the context."""
    token = _asking.set(session_key)
    try:
        yield
    finally:
        with suppress(ValueError):  # a generator may be closed in another context than it began in
            _asking.reset(token)


def arguments_of(given: object) -> Mapping[str, Any]:
    """Return a tool's arguments as a mapping, also where a host has them as JSON text."""
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            given = json.loads(given or "{}")
    return given if isinstance(given, Mapping) else {"arguments": given}


_T = TypeVar("_T")
_P = ParamSpec("_P")


@contextmanager
def log_failures() -> Iterator[None]:
    """Log what fails inside, and go on behind it: most frameworks end the run for what a callback raises."""
    try:
        yield
    except Exception as error:
        logger.warning("the memory could not deal with what the host told: {}", log_text(error))


def none_on_failure(callback: Callable[_P, Awaitable[_T]]) -> Callable[_P, Awaitable[_T | None]]:
    """Have a callback answer None where it fails. A cancellation is passed on."""

    @wraps(callback)
    async def call(*arguments: _P.args, **named: _P.kwargs) -> _T | None:
        with log_failures():
            return await callback(*arguments, **named)
        return None

    return call


class ToolMetadata:
    """What a model and its host see of a tool: what it is called, when to use it, its JSON schema, and what it does.

    ``reads_only`` says that it changes nothing, ``destroys`` that it takes away what was kept. One that does not say
    what it does may change something.
    """

    def __init__(self, tool: MemoryTool) -> None:
        self.name = tool.name
        self.description = tool.description
        self.parameters = tool.parameters
        self.reads_only = getattr(tool, "reads_only", False) is True
        self.destroys = getattr(tool, "destroys", False) is True
