"""Calls of hooks: answers, time limits, cancellation."""

import asyncio
import contextlib
import os
import signal
import threading
import time

import pytest

from nanobot_memory_plugins.core.host.plugin_host import PluginHost
from nanobot_memory_plugins.core.values import Note
from tests.plugin_host.conftest import ARGUMENTS, HOOK, plugin, texts


async def ask(host, **options):
    return await host.call(HOOK, ARGUMENTS, **options)


async def hang() -> None:
    await asyncio.Event().wait()


def register(host, context, **functions) -> None:
    """Register a plugin for each function, in this order."""
    for name, function in functions.items():
        host.register(name, plugin(on_message_received=function), context(name))


# Answers


async def test_every_kind_of_awaitable_is_awaited(make_host, context):
    class Awaitable:
        def __await__(self):
            yield from asyncio.sleep(0).__await__()
            return Note("awaitable")

    class Callable:
        async def __call__(self) -> Note:
            return Note("callable")

    loop = asyncio.get_running_loop()

    def future() -> asyncio.Future[Note]:
        one: asyncio.Future[Note] = loop.create_future()
        loop.call_soon_threadsafe(one.set_result, Note("future"))
        return one

    async def coroutine() -> Note:
        return Note("coroutine")

    host = make_host()
    called = Callable()
    register(host, context, a=lambda: Awaitable(), b=lambda: called(), c=future, d=lambda: coroutine())
    assert [text for _, text in texts(await ask(host))] == ["coroutine", "future", "callable", "awaitable"]


# Time limits


async def test_answers_that_are_ready_after_a_blocked_loop_still_count(make_host, context):
    async def wait_briefly() -> Note:
        await asyncio.sleep(0.02)
        return Note("ready")

    async def give_up_in_time() -> Note:
        try:
            async with asyncio.timeout(0.03):
                await asyncio.sleep(300)
        except TimeoutError:
            pass
        return Note("without content")

    host = make_host(limit=0.1)
    register(host, context, a=wait_briefly, b=give_up_in_time, c=hang)
    asyncio.get_running_loop().call_later(0.01, time.sleep, 0.3)
    assert sorted(texts(await ask(host))) == [("a", "ready"), ("b", "without content")]
    assert host.failing_plugins(HOOK) == {"c": "no answer within 0.1 s"}


# Cancellation


async def test_cancelling_the_caller_cancels_the_implementation(make_host, context):
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def hang_on() -> None:
        begun.set()
        try:
            await hang()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    host = make_host(limit=300.0)
    register(host, context, a=hang_on)
    task = asyncio.create_task(ask(host))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await cancelled.wait()
    assert host.failing_plugins(HOOK) == {}


async def test_a_plugin_that_swallows_its_cancellation_does_not_block_the_caller(make_host, context):
    begun = asyncio.Event()

    async def swallow() -> None:
        while True:
            begun.set()
            with contextlib.suppress(BaseException):
                await hang()

    host = make_host(limit=300.0)
    register(host, context, a=swallow)
    task = asyncio.create_task(ask(host))
    await begun.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


# Synchronous calls


@pytest.mark.usefixtures("interruptible")
def test_call_sync_raises_the_users_keyboard_interrupt(context, clock):
    def interrupt_the_user() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(60)

    host = PluginHost(time_limits={}, clock=clock)
    register(host, context, b=interrupt_the_user)
    with pytest.raises(KeyboardInterrupt):
        host.call_sync(HOOK, "b", ARGUMENTS)
    assert host.failing_plugins(HOOK) == {}


@pytest.mark.parametrize("steps", [1, 3])
async def test_close_ends_calls_that_have_just_begun_or_swallow_their_cancellation(make_host, context, steps):
    async def swallow() -> None:
        while True:
            with contextlib.suppress(BaseException):
                await hang()

    host = make_host(limit=60.0, grace_seconds=0.01)
    register(host, context, a=swallow)
    call = asyncio.create_task(host.call(HOOK, ARGUMENTS))
    for _ in range(steps):
        await asyncio.sleep(0)
    await host.close()
    assert await asyncio.wait_for(call, 5) == {}
