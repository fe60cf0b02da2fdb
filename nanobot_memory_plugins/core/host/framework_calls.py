"""Helpers for adapters of frameworks: sub-agents, tool arguments and metadata, and callbacks that never raise."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from nanobot_memory_plugins.core.errors import log_text
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.protocols import MemoryTool

# The messages before another one, or a function that returns them and is called in the memory's thread.
History = Sequence[object] | Callable[[], Sequence[object]]
ExceptionTypes = type[BaseException] | tuple[type[BaseException], ...]


_calling: ContextVar[str] = ContextVar("nanobot_memory_calling_session", default="")


def calling_session() -> str:
    """Return the session whose tool runs this code, or "": an agent that starts inside a tool is a sub-agent."""
    return _calling.get()


@contextmanager
def tool_call_of(session_key: str) -> Iterator[None]:
    """Mark the code inside as a tool call of a session, with its tasks, and its threads if they get the context."""
    token = _calling.set(session_key)
    try:
        yield
    finally:
        with suppress(ValueError):  # a generator may be closed in another context than it started in
            _calling.reset(token)


def arguments_of(given: object) -> Mapping[str, Any]:
    """Return a tool's arguments as a mapping, even if the host passes them as JSON text."""
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            given = json.loads(given or "{}")
    return given if isinstance(given, Mapping) else {"arguments": given}


_T = TypeVar("_T")
_P = ParamSpec("_P")


@contextmanager
def log_failures() -> Iterator[None]:
    """Log an exception and continue after the block: most frameworks end the run if a callback raises."""
    try:
        yield
    except Exception as error:
        logger.warning("a call from the host failed in the memory: {}", log_text(error))


def none_on_failure(callback: Callable[_P, Awaitable[_T]]) -> Callable[_P, Awaitable[_T | None]]:
    """Make a callback return None when it fails; a cancellation is passed on."""

    @wraps(callback)
    async def call(*arguments: _P.args, **named: _P.kwargs) -> _T | None:
        with log_failures():
            return await callback(*arguments, **named)
        return None

    return call


class ToolMetadata:
    """What a model and its host see of a tool: its name, description and JSON schema, and whether it changes anything.

    ``reads_only`` means that it changes nothing, ``destroys`` that it removes stored data. A tool that declares neither
    may change something.
    """

    def __init__(self, tool: MemoryTool) -> None:
        self.name = tool.name
        self.description = tool.description
        self.parameters = tool.parameters
        self.reads_only = getattr(tool, "reads_only", False) is True
        self.destroys = getattr(tool, "destroys", False) is True
