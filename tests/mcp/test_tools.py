"""The tools of the server, listed and called by the SDK's own client."""

from datetime import datetime

import pytest

from nanobot_memory_plugins.core.testing import install_plugin
from nanobot_memory_plugins.mcp.tools import MAX_ANSWER_CHARS, protocol_tool

PORT = "The staging database of the user listens on port 5433"


async def test_every_tool_says_what_it_does_to_the_memory(served):
    async with served.connected() as client:
        tools = {tool.name: tool for tool in (await client.session.list_tools()).tools}
    assert set(tools) == {"memory_search", "memory_get", "remember", "forget", "off_record"}
    hints = {name: tool.annotations.model_dump() for name, tool in tools.items()}
    assert not any(value is None for hint in hints.values() for value in hint.values())
    assert {name for name, hint in hints.items() if hint["readOnlyHint"]} == set(tools) - {
        "remember",
        "forget",
        "off_record",
    }
    assert {name for name, hint in hints.items() if hint["destructiveHint"]} == {"forget", "off_record"}
    assert not any(hint["openWorldHint"] for hint in hints.values())
    assert "said" not in tools["remember"].inputSchema["properties"]


WRONG = [
    ("memory_search", {"since": "never"}, "since"),
    ("remember", {}, "text"),
    ("remember", {"text": "The password is Quiet7harbor-Stone"}, "secret"),
    ("forget", {"query": ""}, "query"),
]


async def test_what_is_wrong_with_a_call_is_its_answer(served):
    async with served.connected() as client:
        for name, arguments, word in WRONG:
            answer = await client.call(name, **arguments)
            assert answer.isError, name
            assert word in answer.content[0].text
            assert "Quiet7harbor" not in answer.content[0].text


@pytest.mark.parametrize(("kind", "file"), [("fact", "ENTRIES.md"), ("note", "{day}.md")])
async def test_what_could_not_be_written_is_not_said_to_be(served, kind, file):
    day = datetime.now().astimezone().date().isoformat()
    (served.workspace / "memory" / file.format(day=day)).mkdir(parents=True)  # nothing can be written there
    async with served.connected() as client:
        answer = await client.call("remember", text=PORT, kind=kind)
    assert answer.isError
    assert "Written to" not in answer.content[0].text
    assert "Kept in" not in answer.content[0].text


class Clock:
    """A tool of another plugin."""

    name, description, parameters = "clock", "Tell the time.", {"type": "object", "properties": {}}

    def __init__(self, reads_only: object) -> None:
        self.reads_only = reads_only

    async def run(self, arguments, *, session_key):
        return "noon"


@pytest.mark.parametrize(("said", "reads"), [(True, True), (False, False), ("yes", False)])
def test_a_tool_of_others_is_said_to_change_things_unless_it_says_that_it_only_reads(said, reads):
    hints = protocol_tool(Clock(said), has_hooks=False)["annotations"]
    assert (hints["readOnlyHint"], hints["destructiveHint"]) == (reads, not reads)
    assert (hints["title"], hints["openWorldHint"]) == ("Clock", True)


LONG = """
    from nanobot_memory_plugins.core.hookspecs import hookimpl

    class Long:
        name, description = "long", "Say much."
        parameters = {"type": "object", "properties": {"lines": {"type": "boolean"}}}

        async def run(self, arguments, *, session_key):
            return "begin" + (" and on" + "\\n" * bool(arguments.get("lines"))) * 20_000 + "\\nthe end"

    @hookimpl
    def contribute_tools():
        return Long()
"""


async def test_a_tool_of_others_is_bounded_as_well_and_keeps_its_end(served, tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    install_plugin(tmp_path / "site", monkeypatch, "long", LONG)
    async with served.connected() as client:
        answer = await client.text("long", lines=True)
    assert len(answer) <= MAX_ANSWER_CHARS
    assert answer.startswith("begin")
    assert "characters are left out here" in answer
    assert answer.endswith("\nthe end")
