"""An answer that is too large is a failure of its plugin, and nothing of it is used or stored."""

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.protocols import MemoryTool
from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.core.values import ContextBlock, Note, PromptEntries, Summary, Trace
from nanobot_memory_plugins.core.values.diagnosis import Finding
from tests.plugin_host.conftest import arguments_for, plugin

KINDS = {
    "on_message_received": (ContextBlock, Note),
    "on_draft_written": (ContextBlock,),
    "before_compaction": (Note, Summary),
    "trim_bootstrap": (dict,),
    "prompt_entries": (PromptEntries,),
    "contribute_tools": (MemoryTool,),
    "on_purge": (Trace,),
    "diagnose": (Finding,),
}


async def ask(host, hook: str):
    return await host.call(hook, arguments_for(hook), accept=(*KINDS.get(hook, (Note,)), Note))


async def test_many_texts_count_together(make_host, context):
    host = make_host()
    hook = "on_message_received"
    half = "x" * 100_000
    host.register("a", plugin(on_message_received=lambda: [ContextBlock(half)] * 2), context("a"))
    host.register("b", plugin(on_message_received=lambda: [ContextBlock(half), ContextBlock(half + "x")]), context("b"))
    assert [one.plugin_name for one in await ask(host, hook)] == ["a"]


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
