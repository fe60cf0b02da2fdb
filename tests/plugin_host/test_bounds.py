"""An answer that is too large is a failure of its plugin, and nothing of it is used or stored."""

import itertools
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginState
from nanobot_memory_plugins.core.isolation.bounds import BOUNDS, bound_of
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values import ContextBlock, Note, PromptEntries, Scope, Summary, Trace, Withheld
from nanobot_memory_plugins.core.values.diagnosis import Finding
from tests import hostile
from tests.plugin_host.conftest import arguments_for, good

KINDS = {
    "on_message_received": (ContextBlock, Note),
    "on_draft_written": (ContextBlock,),
    "before_compaction": (Note, Summary),
    "trim_bootstrap": (dict,),
    "prompt_entries": (PromptEntries,),
    "contribute_tools": (MemoryTool,),
    "withheld_texts": (Withheld,),
    "on_purge": (Trace,),
    "diagnose": (Finding,),
}


class Liar(str):
    def __len__(self) -> int:
        return 1


def tool(**fields: object) -> object:
    async def run(arguments, *, session_key):
        return ""

    return SimpleNamespace(**({"name": "tool", "description": "", "parameters": {}, "run": run} | fields))


def texts_of(text: object) -> dict[str, object]:
    """Return answers of every kind that hold a text in each place where one can stand."""
    return {
        "on_message_received": [ContextBlock(text), ContextBlock("a", (text,)), Note(text), Note("a", text)],
        "before_compaction": [Note("a", tags=(text,)), Note("a", scope=Scope(user=text)), Summary(text)],
        "on_draft_written": [ContextBlock(text), Note("a", title=text)],
        "trim_bootstrap": [{"AGENTS.md": text}, {text: ""}],
        "prompt_entries": [PromptEntries(text), PromptEntries("", text)],
        "contribute_tools": [tool(name=text), tool(description=text), tool(parameters={"a": [{"b": text}]})],
        "withheld_texts": [Withheld(text)],
        "on_purge": [Trace(text), Trace("a", why=text)],
        "diagnose": [Finding(text, ""), Finding("a", text), Finding("a", "b", hint=text)],
    }


async def ask(host, hook: str):
    return await host.call(hook, arguments_for(hook), accept=(*KINDS.get(hook, (Note,)), Note))


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("hook", hostile.HOOKS)
async def test_no_answer_has_more_values_than_its_bound(make_host, context, log, hook: str):
    host, most = make_host(), bound_of(hook).values
    answer = [Note("a")] * most
    host.register("many", hostile.plugin(hook, lambda: answer), context("many"))
    assert sum(len(one.values) for one in await ask(host, hook)) == most
    answer.append(Note("a"))
    assert await ask(host, hook) == []
    assert host.failures() == {("many", hook): 1}
    (line,) = [line for line in log if line.record["level"].name == "WARNING"]
    assert f"plugin many failed in {hook}: an answer of {most + 1:,} values, where {most:,} are allowed" in line


@pytest.mark.accept("PL-04")
@pytest.mark.parametrize("kind", [str, Liar])
@pytest.mark.parametrize("hook", KINDS)
async def test_no_text_of_an_answer_is_longer_than_its_bound(make_host, context, log, hook: str, kind: type[str]):
    text = kind("x" * (bound_of(hook).characters + 1))
    for number, value in enumerate(texts_of(text)[hook]):
        host = make_host()
        host.register("long", hostile.plugin(hook, lambda value=value: value), context("long"))
        host.register("good", good(hook, "good"), context("good"))
        assert [one.plugin_name for one in await ask(host, hook)] == ["good"], number
        assert host.failures()["long", hook] == 1, number
        assert [one.plugin_name for one in host.call_sync(hook, arguments_for(hook), accept=(*KINDS[hook], Note))] == []
        assert host.failures()["long", hook] == 2, number
    assert "xxx" not in "".join(log)


async def test_many_texts_count_together(make_host, context):
    host = make_host()
    hook = "on_message_received"
    half = "x" * (BOUNDS[hook].characters // 2)
    host.register("a", hostile.plugin(hook, lambda: [ContextBlock(half)] * 2), context("a"))
    host.register("b", hostile.plugin(hook, lambda: [ContextBlock(half), ContextBlock(half + "x")]), context("b"))
    assert [one.plugin_name for one in await ask(host, hook)] == ["a"]


async def test_lists_inside_a_value_end(make_host, context):
    host = make_host()
    hook = "on_message_received"
    answers = {
        "endless": Note("a", tags=itertools.repeat("a")),
        "long": Note("a", tags=("",) * 10_001),
        "ids": ContextBlock("a", ("",) * 10_001),
        "good": Note("a", tags=(tag for tag in "ab")),
    }
    for name, answer in answers.items():
        host.register(name, hostile.plugin(hook, lambda answer=answer: answer), context(name))
    assert [(one.plugin_name, one.values) for one in await ask(host, hook)] == [("good", (Note("a", tags=("a", "b")),))]


async def test_what_was_handed_over_may_come_back(make_host, context):
    host = make_host()
    text = "x" * (BOUNDS["prompt_entries"].characters + 1)
    answer = hostile.plugin("prompt_entries", lambda: PromptEntries("", text))
    host.register("a", answer, context("a"))
    arguments = arguments_for("prompt_entries")
    assert host.call_sync("prompt_entries", arguments, accept=(PromptEntries,), given=1)
    assert not host.call_sync("prompt_entries", arguments, accept=(PromptEntries,))


async def test_who_answers_too_much_rests(make_host, context):
    host = make_host()
    hook = "on_message_received"
    host.register("a", hostile.plugin(hook, lambda: [Note("a")] * 20_000), context("a"))
    for _ in range(3):
        assert await ask(host, hook) == []
    assert host.state("a") is PluginState.RESTING


@pytest.mark.accept("PL-04")
async def test_nothing_of_a_flood_is_injected_or_stored(tmp_path, monkeypatch):
    source = """
    from nanobot_memory_plugins.core import ContextBlock, Note, hookimpl
    @hookimpl
    def on_message_received():
        return ContextBlock(text="flood " * 8_000_000)
    @hookimpl
    def on_tool_executed():
        return [Note(tldr=f"flood {n}") for n in range(20_000)]
    """
    install_plugin(tmp_path, monkeypatch, "flood", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "flood")
    config = MemoryConfig.model_validate({"core": {"message_limit": 30.0, "tool_limit": 30.0}})
    async with MemoryHost(tmp_path / "ws", config=config) as memory:
        began = time.process_time()
        assert (await memory.message_received(session_key="a", text="hello")).block is None
        receipt = await memory.tool_executed(session_key="a", tool_name="exec", arguments={}, result="ok")
        assert (receipt.stored, receipt.notes) == (False, ())
        # Eleven seconds and thirty without a bound; a tenth of one with it.
        assert time.process_time() - began < 3
        assert memory.plugins.host.failures() == {
            ("flood", "on_message_received"): 1,
            ("flood", "on_tool_executed"): 1,
        }
    written = "".join(path.read_text() for path in (tmp_path / "ws").rglob("*.md"))
    assert "flood" not in written


async def test_two_stores_at_once_are_no_store(tmp_path, monkeypatch):
    source = """
    from nanobot_memory_plugins.core import hookimpl
    from nanobot_memory_plugins.core.values import Level, SearchResult, StoreStatus
    class Store:
        async def search(self, query): return SearchResult()
        async def read(self, hit_id): return None
        def notify(self, path): pass
        async def flush(self): pass
        def status(self): return StoreStatus(level=Level.MARKDOWN)
        async def close(self): pass
    @hookimpl
    def open_store():
        return [Store(), Store()]
    """
    install_plugin(tmp_path, monkeypatch, "two", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "two")
    async with MemoryHost(tmp_path / "ws") as memory:
        assert memory.store is None
        assert (await memory.message_received(session_key="a", text="hello")).receipt.stored


def test_the_bounds_are_documented():
    page = (Path(__file__).parents[2] / "entry_points.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("### Bounds of answers")[1].split("## ")[0].splitlines() if "| `" in line]
    for hook, bound in (BOUNDS | {"diagnose": bound_of("diagnose")}).items():
        (row,) = [row for row in rows if f"`{hook}`" in row]
        _, _, values, characters, _ = map(str.strip, row.split("|"))
        assert values == f"{bound.values:,}"
        assert characters.startswith(f"{bound.characters:,}") or not characters
