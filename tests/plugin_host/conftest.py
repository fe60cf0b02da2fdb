"""Fixtures for the tests of the plugin host: hosts with small limits, contexts, captured log messages."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from loguru import logger

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.testing import plugin_context
from nanobot_memory_plugins.core.testing.plugins import SAMPLES

HOOK = "on_message_received"
ARGUMENTS = {name: SAMPLES[name] for name in ("session_key", "text", "history", "spoken", "scope")}


def plugin(**functions: Callable[..., Any]) -> object:
    """Return a plugin with functions that are named like hooks."""
    return SimpleNamespace(**{name: hookimpl(function) for name, function in functions.items()})


def texts(answers: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the plugin name and the text of each note."""
    return [(name, value.tldr) for name, values in answers.items() for value in values]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def context(tmp_path: Path, clock: ManualClock) -> Callable[[str], PluginContext]:
    return lambda name: plugin_context(plugin_name=name, workspace=tmp_path, clock=clock, redact=str)


@pytest.fixture
async def make_host(clock: ManualClock) -> AsyncIterator[Callable[..., PluginHost]]:
    """Create hosts with a short grace time, and close them at the end."""
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
