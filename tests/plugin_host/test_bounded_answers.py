"""The answers of plugins' tools are bounded before they reach a prompt."""

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.isolation.answers import MAX_TOOL_CHARS
from nanobot_memory_plugins.core.testing import install_plugin

TOOL = """
    from types import SimpleNamespace
    from nanobot_memory_plugins.core import hookimpl
    async def run(arguments, *, session_key):
        return {answer}
    @hookimpl
    def contribute_tools():
        return SimpleNamespace(name="talk", description="", parameters={{}}, run=run)
"""


async def run_tool(tmp_path, monkeypatch, answer: str) -> str:
    install_plugin(tmp_path, monkeypatch, "talks", TOOL.format(answer=answer))
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "talks")
    async with MemoryHost(tmp_path / "ws") as memory:
        (tool,) = [tool for tool in memory.tools() if tool.name == "talk"]
        assert (tool.description, tool.parameters) == ("", {})
        return await tool.run({}, session_key="a")


@pytest.mark.accept("PL-04")
async def test_a_tool_answer_that_is_too_long_is_replaced_by_an_error(tmp_path, monkeypatch, log):
    answer = await run_tool(tmp_path, monkeypatch, f"'x' * {MAX_TOOL_CHARS + 1}")
    assert answer == (
        f"Error: the answer of talk is left out: an answer of {MAX_TOOL_CHARS + 1:,} characters, where"
        f" {MAX_TOOL_CHARS:,} are allowed"
    )
    assert "xxx" not in "".join(log)
    assert any("the tool talk of plugin talks" in line for line in log)


async def test_an_input_error_of_a_tool_is_described_to_the_model(tmp_path, monkeypatch, log):
    error = "__import__('nanobot_memory_plugins.core').core.InputError('Say which boat.', hint='Ask the user.')"
    answer = await run_tool(tmp_path, monkeypatch, f"(_ for _ in ()).throw({error})")
    assert answer == "Error: nothing was done. Say which boat. Ask the user."
