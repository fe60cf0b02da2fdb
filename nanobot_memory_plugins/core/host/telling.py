"""What is handed over when a host tells of a turn, and who asks what runs inside one of its tools."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

# Messages before one, or how to get at them: reading them is left to the memory's thread then.
History = Sequence[object] | Callable[[], Sequence[object]]
Raised = type[BaseException] | tuple[type[BaseException], ...]


_asking: ContextVar[str] = ContextVar("nanobot_memory_asking_session", default="")


def asking_session() -> str:
    """Return the session in one of whose tools this code runs, or nothing: an agent that begins here is a sub-agent."""
    return _asking.get()


@contextmanager
def asked_by(session_key: str) -> Iterator[None]:
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
        try:
            read: object = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            read = given
        given = read
    return given if isinstance(given, Mapping) else {"arguments": given}
