"""The cost of a hook call through the plugin host, compared to a direct await and to raw pluggy."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

import pluggy

from benchmarks.measure import report
from nanobot_memory_plugins.core import hookspecs
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.testing import plugin_context
from nanobot_memory_plugins.core.values import Note, Scope

HOOK = "on_message_received"
ARGUMENTS = {"session_key": "s", "text": "t", "history": (), "scope": Scope()}
ROUNDS = 15
CALLS = 300


async def _answer_async(text: str) -> Note | None:
    return None


def _answer(text: str) -> Note | None:
    return None


async def _answer_note(text: str) -> Note | None:
    return Note(text)


def _context(name: str) -> PluginContext:
    return plugin_context(plugin_name=name, clock=SystemClock(), redact=str)


def _host(plugins: int, function: Callable[..., object]) -> PluginHost:
    host = PluginHost(time_limits={HOOK: 5.0})
    for number in range(plugins):
        name = f"plugin-{number}"
        host.register(name, SimpleNamespace(name=name, **{HOOK: hookimpl(function)}), _context(name))
    return host


def _pluggy(plugins: int) -> pluggy.PluginManager:
    manager = pluggy.PluginManager(hookspecs.PROJECT_NAME)
    manager.add_hookspecs(hookspecs)
    for number in range(plugins):
        # A separate function for each, since pluggy rejects equal plugins.
        function = hookimpl(lambda text: None)
        manager.register(SimpleNamespace(**{HOOK: function}), name=str(number))
    return manager


async def _microseconds(call: Callable[[], Awaitable[object]], calls: int = CALLS) -> float:
    """Return the median over rounds of the microseconds of a call."""
    await call()
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(calls):
            await call()
        rounds.append((time.perf_counter() - started) / calls * 1e6)
    return statistics.median(rounds)


async def _run() -> None:
    for plugins in (1, 5):
        manager = _pluggy(plugins)

        async def direct(plugins: int = plugins) -> None:
            for _ in range(plugins):
                await _answer_async("t")

        async def raw(manager: pluggy.PluginManager = manager) -> None:
            manager.hook.on_message_received(**ARGUMENTS, context=None)

        async def bare_tasks(plugins: int = plugins) -> None:
            async with asyncio.timeout(5.0):
                await asyncio.gather(*(asyncio.create_task(_answer_async("t")) for _ in range(plugins)))

        base, pluggys = await _microseconds(direct), await _microseconds(raw)
        report(f"{plugins} direct await", base, "us")
        report(f"{plugins} raw pluggy, sync", pluggys, "us")
        report(f"{plugins} bare tasks under one asyncio.timeout", await _microseconds(bare_tasks), "us")
        for what, function, calls in (
            ("async", _answer_async, CALLS),
            ("async, with a note", _answer_note, CALLS),
            ("sync, in threads", _answer, CALLS // 3),
        ):
            host = _host(plugins, function)
            cost = await _microseconds(lambda host=host: host.call(HOOK, ARGUMENTS), calls)
            report(f"{plugins} through the host, {what}", cost, "us")
            report(f"{plugins} through the host, {what}: to direct await", cost / base, "times")
            report(f"{plugins} through the host, {what}: to raw pluggy", cost / pluggys, "times")
            report(f"{plugins} through the host, {what}: for one plugin", cost / plugins, "us")
            await host.close()
    empty = _host(0, _answer)
    report("0 through the host", await _microseconds(lambda: empty.call(HOOK, ARGUMENTS)), "us")


def main() -> None:
    """Measure and print."""
    asyncio.run(_run())


if __name__ == "__main__":
    main()
