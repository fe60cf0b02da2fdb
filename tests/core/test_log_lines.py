"""Whatever a name contains, an event is one printable line of the log."""

from collections.abc import Callable, Iterator
from pathlib import Path

import loguru
import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from tests.behaviour.kit.hostile import HOSTILE, found_in, hostile

TOOL = """
    from nanobot_memory_plugins.core.hookspecs import hookimpl

    class Tool:
        name = NAME
        description = "says nothing"
        parameters = {"type": "object", "properties": {}}

        async def run(self, arguments, *, session_key):
            return ANSWER

    @hookimpl
    def contribute_tools():
        return [Tool()]
"""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Callable[[], str]]:
    file = tmp_path / "host.log"
    sink = loguru.logger.add(file, format="{level} | {message}", level="DEBUG")
    yield lambda: file.read_text(encoding="utf-8")
    loguru.logger.remove(sink)


async def test_a_tool_cannot_forge_a_line(tmp_path: Path, log: Callable[[], str], third_party: Callable[..., None]):
    third_party("talker", TOOL.replace("NAME", repr(hostile("tool"))).replace("ANSWER", "None"))
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        tool = next(one for one in memory.tools() if one.name.startswith("of-tool"))
        await tool.run({}, session_key=hostile("key"))
    lines = log().split("\n")[:-1]
    assert [line for line in lines if not line.startswith(("DEBUG | ", "INFO | ", "WARNING | "))] == []
    assert any("of-tool" in line for line in lines)
    assert found_in("\n".join(lines)) == set()


async def test_a_tools_answer_and_the_long_term_memory_reach_a_model_without_what_is_hidden(
    tmp_path: Path, third_party: Callable[..., None]
):
    third_party("talker", TOOL.replace("NAME", "'say'").replace("ANSWER", repr(HOSTILE)))
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text(f"# {hostile('memory')}\n", encoding="utf-8", newline="")
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        tool = next(one for one in memory.tools() if one.name == "say")
        told = [
            await tool.run({}, session_key="cli:direct"),
            memory.base_context(),
            memory.prompt_entries(hostile("long-term")).long_term,
            memory.trim_bootstrap({"AGENTS.md": hostile("agents")})["AGENTS.md"],
        ]
    assert [found_in(text) for text in told] == [set()] * 4
    assert all("markup" in text or "forged" in text for text in told)
