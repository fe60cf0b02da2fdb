"""Whatever a plugin does to what it is handed, by force too, the others and the host have it as it was."""

import contextlib
import gc
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.host.live_history import LiveMessages
from nanobot_memory_plugins.core.isolation.defensive_copy import copy_argument
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values import Message, Note, Scope, freeze
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from tests import hostile
from tests.plugin_host.conftest import arguments_for
from tests.support.files_of import contents_of, text_of

CHAT = [
    {"role": "user", "content": [{"type": "text", "text": "list the folder"}]},
    {
        "role": "assistant",
        "content": "I will.",
        "tool_calls": [{"id": "1", "function": {"name": "exec", "arguments": '{"command": "ls"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "name": "exec", "content": "a.txt"},
]


def rich_arguments(hook: str) -> dict[str, Any]:
    """Return arguments for a hook, made anew, with all that a host may hand over."""
    made = {
        "history": messages_from_chat(CHAT),
        "messages": LiveMessages([*CHAT, *messages_from_chat(CHAT)])
        if hook == "on_turn_finished"
        else messages_from_chat(CHAT),
        "scope": Scope("agent", "user", "channel", "session"),
        "arguments": freeze({"path": "/x", "nested": {"list": [1, {"deep": True}]}}),
        "result": freeze({"rows": [{"id": 1}, [2, 3]], "bytes": bytearray(b"x")}),
        "files": MappingProxyType({"AGENTS.md": "Be kind."}),
        "overhead": MappingProxyType({"AGENTS.md": 21}),
        "texts": ("one", "two"),
    }
    return {name: made.get(name, value) for name, value in arguments_for(hook).items()}


def looks(value: Any) -> Any:
    """Return all that can be seen of a value."""
    if is_dataclass(value):
        return (type(value).__name__, *(looks(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, Mapping):
        return {key: looks(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, LiveMessages)):
        return [looks(item) for item in value]
    return value


def change_by_force(value: Any, depth: int = 8) -> None:
    """Change a value, and all that can be reached from it, in every way there is."""
    if depth == 0 or isinstance(value, (str, int, float, bytes, type(None))):
        return
    inside = [value] if isinstance(value, dict) else []
    with contextlib.suppress(Exception):
        inside += list(value.values() if isinstance(value, Mapping) else value)
    names = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) or ()}
    names |= set(getattr(value, "__dict__", ()))
    names -= {"__weakref__"}
    inside += [getattr(value, name, None) for name in names]
    if isinstance(value, MappingProxyType):
        inside += [one for one in gc.get_referents(value) if isinstance(one, dict)]
    for one in inside:
        if one is not value:
            change_by_force(one, depth - 1)
    for name in names:
        with contextlib.suppress(Exception):
            object.__setattr__(value, name, "EVIL")
    if type(value) is dict:
        value.clear()
        value["EVIL"] = "EVIL"
    if type(value) is list:
        value[:] = ["EVIL"]


def changing(hook: str, seen: list[Any] | None = None) -> object:
    """Build a plugin that notes what it sees of every argument, and changes it by force."""

    def everything(**arguments: Any) -> None:
        arguments.pop("context")
        if seen is not None:
            seen.append(looks(arguments))
        for value in arguments.values():
            change_by_force(value)

    return hostile.plugin(hook, everything)


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("hook", hostile.HOOKS)
async def test_nobody_changes_an_argument_for_others(make_host, context, hook: str):
    host, seen = make_host(), []
    for name in "abc":
        host.register(name, changing(hook, seen), context(name))
    arguments = rich_arguments(hook)
    pristine = looks(rich_arguments(hook))
    await host.call(hook, arguments, accept=(Note,))
    await host.call(hook, arguments, accept=(Note,), sequential=True)
    await host.call_first(hook, arguments, accept=(Note,))
    host.call_sync(hook, arguments, accept=(Note,))
    assert seen == [pristine] * 12
    assert looks(arguments) == pristine


def test_what_is_handed_is_equal_and_of_the_same_type():
    for hook in hostile.HOOKS:
        for name, value in rich_arguments(hook).items():
            copy = copy_argument(value)
            assert (type(copy), looks(copy)) == (type(value), looks(value)), name


def test_the_force_of_this_test_is_enough():
    value = messages_from_chat(CHAT)
    change_by_force(value)
    assert looks(value) != looks(messages_from_chat(CHAT))
    assert value[0].role == "EVIL"
    scope = Scope("agent")
    change_by_force(scope)
    assert scope.agent == "EVIL"


def test_live_messages_hide_the_hosts_own_list():
    mine = [*CHAT, Message("user", "one that the host normalised")]
    live = LiveMessages(mine)
    before = looks(mine)
    for _ in range(2):
        change_by_force(live)
        change_by_force(list(live))
    assert looks(mine) == before
    assert len(live) == len(mine)


@pytest.mark.accept("PL-04")
async def test_what_is_stored_belongs_to_whom_the_host_named(tmp_path, monkeypatch):
    source = """
    from nanobot_memory_plugins.core import Note, hookimpl

    def change(value):
        for name in ("agent", "user", "channel", "session", "_raw_paths", "_str", "_drv", "_root", "_tail_cached"):
            try:
                object.__setattr__(value, name, "EVIL")
            except AttributeError:
                pass

    @hookimpl(tryfirst=True)
    def on_message_received(scope, context):
        change(scope)
        change(context.workspace)
        return Note(tldr="a note")

    @hookimpl(tryfirst=True)
    def prompt_entries(scope):
        change(scope)
    """
    install_plugin(tmp_path, monkeypatch, "forger", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "forger")
    async with MemoryHost(tmp_path / "ws") as memory:
        scope = Scope("agent", "ann", "cli", "one")
        for _ in range(2):
            context = await memory.message_received(session_key="one", text="hello", scope=scope)
            assert context.receipt.stored
            memory.prompt_entries("", session_key="one", scope=scope)
        assert str(memory.workspace) == str(tmp_path / "ws")
    text = text_of(tmp_path / "ws", ".md", ".jsonl")
    assert "ann" in text
    assert "a note" in text
    assert "EVIL" not in text + "".join(contents_of(tmp_path / "ws"))


async def test_a_scope_in_an_answer_is_checked_and_copied(make_host, context):
    mine, half = Scope("agent"), object.__new__(Scope)
    wrong = Scope("agent")
    object.__setattr__(wrong, "user", object())
    host = make_host()
    hook = "on_session_idle"
    answers = {"good": Note("a", scope=mine), "half": Note("b", scope=half), "wrong": Note("c", scope=wrong)}
    for name, answer in answers.items():
        host.register(name, hostile.plugin(hook, lambda answer=answer: answer), context(name))
    (one,) = await host.call(hook, rich_arguments(hook), accept=(Note,))
    (note,) = one.values
    assert note == Note("a", scope=Scope("agent"))
    change_by_force(mine)
    assert note.scope == Scope("agent")
