"""Plugins that do harm, in a stock nanobot: its user sees what he would see without them."""

import asyncio
import time

import pytest


@pytest.mark.accept("PL-04")
async def test_a_plugin_that_blocks_its_event_loop_does_not_block_nanobots(install, plugins, server):
    plugins(
        "blocker",
        """
        import time
        from nanobot_memory_plugins.core.hookspecs import hookimpl

        @hookimpl
        async def on_message_received():
            time.sleep(12)
        """,
    )
    loop = install({"core": {"messageLimit": 0.2}, "nanobot": {"startLimit": 0.5}}).loop()
    lags: list[float] = []

    async def measure_lag() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.01)
            lags.append(time.perf_counter() - began - 0.01)

    measuring = asyncio.create_task(measure_lag())
    began = time.perf_counter()
    response = await loop.process_direct("hello")
    answered = time.perf_counter() - began
    await loop.aclose()
    closed = time.perf_counter() - began - answered
    measuring.cancel()
    assert response.content == "Understood."
    assert answered < 10  # the first turn waits for the start as well, and never for the plugin
    assert closed < 10  # 2 s, and a margin
    assert max(lags) < 8  # a blocked loop would show all 12 s
