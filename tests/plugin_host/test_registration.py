"""What is taken in, and what is refused with cause and hint."""

from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginState
from nanobot_memory_plugins.core.values import Note
from tests.plugin_host.conftest import ACCEPT, arguments_for, plugin, texts

HOOK = "on_message_received"


def answer() -> Note:
    return Note("answer")


def refused(host, context, candidate: object) -> PluginError:
    with pytest.raises(PluginError) as caught:
        host.register("one", candidate, context("one"))
    assert host.state("one") is PluginState.FAILED
    return caught.value


def test_registering_returns_the_hooks(make_host, context):
    host = make_host()
    assert host.register("one", plugin(on_start=lambda: None, diagnose=lambda: None), context("one")) == (
        "diagnose",
        "on_start",
    )
    assert host.state("one") is PluginState.ACTIVE


def test_a_plugin_without_hooks_is_refused(make_host, context):
    error = refused(make_host(), context, SimpleNamespace(on_message_received=lambda: None))
    assert "implements no hook" in str(error)
    assert "hookimpl" in error.hint


async def test_an_unknown_argument_is_named_and_nothing_is_taken_in(make_host, context):
    host = make_host()
    error = refused(host, context, plugin(on_start=lambda: None, on_message_received=lambda message: Note("x")))
    assert "on_message_received of plugin one asks for message" in error.cause
    assert "session_key" in error.hint
    assert await host.call(HOOK, arguments_for(HOOK), accept=ACCEPT) == []
    assert host.register("one", plugin(on_start=lambda: None), context("one")) == ("on_start",)
    assert host.state("one") is PluginState.ACTIVE


@pytest.mark.parametrize("option", ["wrapper", "hookwrapper"])
def test_a_hook_wrapper_is_refused(make_host, context, option: str):
    def wrapper():
        return (yield)

    candidate = SimpleNamespace(on_message_received=hookimpl(**{option: True})(wrapper))
    assert "wrapper" in refused(make_host(), context, candidate).cause


def test_an_unknown_hook_is_refused_unless_it_is_optional(make_host, context):
    host = make_host()
    error = refused(host, context, plugin(on_mesage_received=lambda: None))
    assert "there is no such hook" in error.cause
    assert HOOK in error.hint
    of_tomorrow = hookimpl(optionalhook=True)(lambda: None)
    candidate = SimpleNamespace(of_tomorrow=of_tomorrow, on_start=hookimpl(lambda: None))
    assert host.register("one", candidate, context("one")) == ("on_start",)


def test_a_name_is_given_once(make_host, context):
    host = make_host()
    host.register("one", plugin(on_start=lambda: None), context("one"))
    with pytest.raises(PluginError, match="registered already"):
        host.register("one", plugin(on_start=lambda: None), context("one"))
    assert host.state("one") is PluginState.ACTIVE


async def test_plugins_that_are_equal_are_two_plugins(make_host, context):
    host = make_host()
    for name in ("one", "two"):
        host.register(name, SimpleNamespace(on_message_received=hookimpl(answer)), context(name))
    assert len(await host.call(HOOK, arguments_for(HOOK), accept=ACCEPT)) == 2


class Poisoned:
    """Looks like a plugin until it is compared or listed."""

    def __init__(self, listing: BaseException | None = None) -> None:
        self.listing = listing

    def __eq__(self, other: object) -> bool:
        raise SystemExit("compared")

    __hash__ = None  # type: ignore[assignment]

    def __dir__(self):
        if self.listing is not None:
            raise self.listing
        return super().__dir__()

    @hookimpl
    def on_message_received(self) -> Note:
        return Note("poisoned")


async def test_a_plugin_that_cannot_be_compared_keeps_nobody_out(make_host, context):
    host = make_host()
    host.register("one", Poisoned(), context("one"))
    host.register("two", Poisoned(), context("two"))
    host.register("three", plugin(on_message_received=lambda: Note("good")), context("three"))
    host.unregister("one")
    answers = await host.call(HOOK, arguments_for(HOOK), accept=ACCEPT)
    assert texts(answers) == [("three", "good"), ("two", "poisoned")]


@pytest.mark.parametrize("error", [ValueError("secret"), SystemExit("secret"), KeyboardInterrupt("secret")])
def test_a_plugin_that_raises_when_it_is_looked_at_is_refused(make_host, context, error: BaseException):
    message = str(refused(make_host(), context, Poisoned(error)))
    assert type(error).__name__ in message
    assert "secret" not in message


def test_one_hook_twice_in_a_plugin_is_refused(make_host, context):
    candidate = SimpleNamespace(on_start=hookimpl(lambda: None), other=hookimpl(specname="on_start")(lambda: None))
    assert "twice" in refused(make_host(), context, candidate).cause


async def test_a_class_with_properties_that_raise_is_no_trouble(make_host, context):
    class Plugin:
        @property
        def connection(self) -> object:
            raise SystemExit("not connected")

        @hookimpl
        async def on_message_received(self, text: str) -> Note:
            return Note(text)

    host = make_host()
    host.register("one", Plugin(), context("one"))
    answers = await host.call(HOOK, arguments_for(HOOK), accept=ACCEPT)
    assert texts(answers) == [("one", "remember the milk")]


async def test_after_unregistering_it_is_not_called(make_host, context):
    host = make_host()
    host.register("one", plugin(on_message_received=lambda: Note("x")), context("one"))
    host.unregister("one")
    host.unregister("never there")
    assert await host.call(HOOK, arguments_for(HOOK), accept=ACCEPT) == []
    assert host.state("one") is PluginState.DISABLED
    assert host.failures() == {}


async def test_an_unknown_hook_cannot_be_called(make_host):
    with pytest.raises(PluginError, match="no hook on_nothing"):
        await make_host().call("on_nothing", {}, accept=ACCEPT)
