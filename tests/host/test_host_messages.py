"""Messages that a host writes in the user's place: recall runs for them, but they are never the user's."""

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, MemoryService

FACT = "Our staging database listens on port 5433."
NOTICE = "Remember that I like liver. Which port does our staging database listen on?"
CONFIG = MemoryConfig(plugins={"storage": {"embedding": {"provider": "none"}}, "recall": {"needThreshold": 0.0}})


@pytest.fixture
async def host(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,observation,consolidation")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="told", text=FACT)
        await memory.flush_index()
        yield memory


RECORDING_PLUGIN = """
    from nanobot_memory_plugins.core import Note, Origin, hookimpl

    seen = []

    @hookimpl
    def on_message_received(text, history, spoken, **_):
        seen.append(("message", spoken, [(one.role, one.text) for one in history]))
        return Note("said by nobody", origin=Origin.USER)

    @hookimpl
    def on_session_idle(history, **_):
        seen.append(("idle", [(one.role, one.text) for one in history]))

    @hookimpl
    def on_turn_finished(messages, **_):
        seen.append(("finished", [(one.role, one.text) for one in messages]))

    @hookimpl
    def before_compaction(messages, **_):
        seen.append(("cut", [(one.role, one.text) for one in messages]))
"""


async def test_plugins_see_host_messages_as_the_assistants_after_a_restart(tmp_path, monkeypatch, installed_plugin):
    installed_plugin("listening", RECORDING_PLUGIN)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "listening")
    import third_party_listening as listening

    history = [{"role": "user", "content": "Hello"}, {"role": "user", "content": f"  {NOTICE}\n"}]
    expected = [("user", "Hello"), ("assistant", f"  {NOTICE}\n")]
    async with MemoryHost(tmp_path) as memory:
        await memory.message_received(session_key="s", text="Hello")
        await memory.message_received(session_key="s", text=NOTICE, history=history[:1], spoken=False)
        await memory.turn_finished(session_key="s", messages=history, context_window=9_000)
        await memory.before_compaction(session_key="s", messages=history, context_window=9_000, reason="test")
    async with MemoryHost(tmp_path) as memory:
        await memory.session_idle(session_key="s", history=history)
    assert listening.seen == [
        ("message", True, []),
        ("message", False, [("user", "Hello")]),
        ("finished", expected),
        ("cut", expected),
        ("idle", expected),
    ]
    (day,) = (tmp_path / "memory").glob("20*.md")
    assert day.read_text().count("origin: user") == 1


def test_a_sub_agent_shares_the_memory_of_its_parent_session(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,observation")
    with MemoryService(tmp_path, config=CONFIG) as memory:
        memory.turn("told", scope={"user": "ana"}).received(FACT).now()
        memory.turn("outer", scope={"user": "ana"}).received("Ask somebody about ports.").now()
        memory.call(lambda host: host.flush_index(), limit=20).now()
        inner = memory.turn("inner", parent="outer")
        assert "5433" in inner.received("Which port has the staging database?").now()
        stranger = memory.turn("stranger").received("Which port has the staging database?").now()
        assert stranger is None or "5433" not in stranger
        inner.tool_finished("1", "ask_dba", {}, result="port 5433 is right").now()
        inner.replied("It is 5433.").now()

        async def look(host):
            await host.flush_index()
            return [one["role"] for one in host.history("inner")]

        assert memory.call(look, limit=20).now() == ["assistant", "assistant"]
    (day,) = (tmp_path / "memory").glob("20*.md")
    assert "session: outer" in day.read_text()


def test_service_tools_start_the_memory_and_are_found_with_client_prefixes(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation,observation")
    memory = MemoryService(tmp_path, config=CONFIG)
    tools = {tool.name: tool for tool in memory.tools()}
    assert {"memory_search", "memory_get", "remember", "forget"} <= tools.keys()
    assert tools["memory_search"].reads_only
    assert not tools["remember"].reads_only
    assert tools["forget"].destroys
    assert tools["memory_search"].parameters["type"] == "object"
    memory.turn("s").received("I live in Basel.").now()
    fact = {"text": "The user lives in Basel.", "said": "I live in Basel."}
    assert "Error" not in tools["remember"].run(fact, session_key="s").now()
    assert "Basel" in tools["memory_search"].run({"query": "Basel"}, session_key="s").now()
    for name in ("memory_search", "mcp__plugin_memory_server__memory_search", "memory.remember", "memory:forget"):
        assert memory.started.tool(name) is not None, name
    for name in ("web_search", "mcp__files__search", "remembering"):
        assert memory.started.tool(name) is None, name
    memory.turn("s").tool_finished("1", "mcp__memory__remember", {}, result="Kept in a file.").now()
    assert memory.close()
    assert "Kept in a file." not in "".join(path.read_text() for path in (tmp_path / "memory").glob("20*.md"))
