"""Tracing hook calls logs the tracebacks of failing plugins."""

from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.testing import install_plugin

# Each function fails in a helper, with a text of its own and a key that must be redacted.
FAILING_PLUGIN = """
    from nanobot_memory_plugins.core import hookimpl

    KEY = "sk-ant-api03-" + "Zq7Rk2Lm9Xc4" * 4

    def brew(what):
        raise ValueError(f"no beans for {what} of NAME with {KEY}")

    class Tool:
        name = "NAME_tool"
        description = "fails"
        parameters = {"type": "object", "properties": {}}

        async def run(self, arguments, *, session_key):
            brew("a tool")

    @hookimpl
    async def on_message_received(text):
        brew(text)

    @hookimpl
    def on_session_idle():
        brew("a thread")

    @hookimpl
    def trim_bootstrap():
        brew("a prompt")

    @hookimpl
    def contribute_tools():
        return Tool()
"""
BROKEN = 'raise RuntimeError("no water for NAME")'
UNREADABLE = """
    class Unreadable:
        def __dir__(self):
            raise RuntimeError("no cups for NAME")

    PLUGIN = Unreadable()
"""
EXPECTED = [f"no beans for {what} of" for what in ("espresso", "a thread", "a prompt", "a tool")]


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {"coffee": FAILING_PLUGIN, "coffee_broken": BROKEN, "coffee_unreadable": UNREADABLE}
    for plugin, source in sources.items():
        (tmp_path / plugin).mkdir()
        attribute = "PLUGIN" if source is UNREADABLE else ""
        install_plugin(tmp_path / plugin, monkeypatch, plugin, source.replace("NAME", "coffee"), attribute=attribute)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", ",".join(sources))


async def run_all_failures(workspace: Path) -> None:
    config = MemoryConfig.model_validate({"core": {"message_limit": 30, "tool_limit": 30}})
    async with MemoryHost(workspace, config=config) as memory:
        await memory.message_received(session_key="cli:one", text="espresso")
        await memory.session_idle(session_key="cli:one")
        memory.trim_bootstrap({"AGENTS.md": "# Be kind"})
        for tool in memory.tools():
            if tool.name.endswith("_tool"):
                assert (await tool.run({}, session_key="cli:one")).endswith("is left out: ValueError")


async def test_tracing_logs_redacted_tracebacks_of_all_failures(
    plugins, log: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_TRACE", "1")
    await run_all_failures(tmp_path / "workspace")
    text = "\n".join(message.strip("\n") for message in log)
    for expected in (*EXPECTED, "no water for", "no cups for"):
        assert f"{expected} coffee" in text
    assert 'third_party_coffee.py", line' in text
    assert "raise ValueError(f" in text  # the line of the source
    assert "Zq7Rk2Lm9Xc4" not in text
    assert all("\n" not in message.record["message"] for message in log)
