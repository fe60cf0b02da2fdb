"""What the tests of the plugin host share: a host with small limits, contexts, captured log lines."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from loguru import logger

from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.clock import Clock, ManualClock
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from nanobot_memory_plugins.core.testing import plugin_context
from nanobot_memory_plugins.core.values import ContextBlock, Message, Note, Scope, Summary
from nanobot_memory_plugins.core.values.diagnosis import Finding

ACCEPT: tuple[type, ...] = (Note, ContextBlock, Summary, Finding)

_SAMPLES: dict[str, object] = {
    "session_key": "cli:direct",
    "text": "remember the milk",
    "history": (Message(role="user", text="hello"),),
    "messages": (Message(role="user", text="hello"),),
    "scope": Scope(agent="a"),
    "tool_name": "exec",
    "arguments": MappingProxyType({"command": ("ls",)}),
    "result": "done",
    "error": None,
    "duration_ms": 1.5,
    "ended": False,
    "context_tokens": 900,
    "context_window": 1000,
    "reason": "token_pressure",
    "files": MappingProxyType({"AGENTS.md": "Be kind."}),
    "overhead": MappingProxyType({"AGENTS.md": 21}),
}


def arguments_for(hook: str) -> dict[str, object]:
    """Return arguments for a hook; a hook that is added later gets empty tuples for what is unknown here."""
    return {
        name: _SAMPLES.get(name, ())
        for name in inspect.signature(getattr(hookspecs, hook)).parameters
        if name != "context"
    }


def make_context(name: str, workspace: Path, clock: Clock) -> PluginContext:
    """Build a context for a plugin of this name."""
    return plugin_context(plugin_name=name, workspace=workspace, clock=clock, redact=str)


def plugin(**functions: Callable[..., Any]) -> object:
    """Build a plugin of functions that are named like hooks."""
    return SimpleNamespace(**{name: hookimpl(function) for name, function in functions.items()})


def good(hook: str, text: str, *, sync: bool = False) -> object:
    """Build a plugin that answers with one note."""

    def answer() -> Note:
        return Note(text)

    async def answer_async() -> Note:
        return Note(text)

    return plugin(**{hook: answer if sync else answer_async})


def texts(answers: list[Any]) -> list[tuple[str, str]]:
    """Return who answered, and with which notes."""
    return [(answer.plugin_name, value.tldr) for answer in answers for value in answer.values]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def context(tmp_path: Path, clock: ManualClock) -> Callable[[str], PluginContext]:
    return lambda name: make_context(name, tmp_path, clock)


@pytest.fixture
async def make_host(clock: ManualClock) -> AsyncIterator[Callable[..., PluginHost]]:
    """Build hosts with a short grace, and close them at the end."""
    hosts: list[PluginHost] = []

    def make(limit: float = 5.0, **options: Any) -> PluginHost:
        options = {"time_limits": {}, "default_limit": limit, "clock": clock, "grace_seconds": 0.05} | options
        hosts.append(PluginHost(**options))
        return hosts[-1]

    yield make
    for host in hosts:
        await host.close()


@pytest.fixture
def log() -> Iterator[list[Any]]:
    """Collect the log messages, each a string with its ``record``."""
    messages: list[Any] = []
    handler = logger.add(messages.append, level="DEBUG", format="{message}", backtrace=True, diagnose=True)
    yield messages
    logger.remove(handler)
