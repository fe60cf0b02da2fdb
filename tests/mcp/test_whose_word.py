"""What a client's model stores is its note until a person confirms it, and each person has a separate memory."""

import json
import re
from dataclasses import replace

from nanobot_memory_plugins.core import MemoryHost, Scope, load_config
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.mcp.clients import http_client, process_client, scope_of
from tests.support.each import each

TEA = "The user likes their tea without sugar"


def entries(served, capsys) -> dict[str, str]:
    """Return the origin of each entry by its text."""
    capsys.readouterr()
    assert run_command_line(["entries", "list", "--workspace", str(served.workspace), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["entries"]
    return {one["content"]: one["origin"] for one in found}


async def known_in_prompt(served) -> str:
    config = load_config(served.config)
    async with MemoryHost(served.workspace, config=config) as host:
        return host.prompt_entries(session_key="cli:direct").text


async def test_a_model_cannot_make_something_the_users_word(served, capsys):
    async with served.connected() as client:
        await client.text("remember", text=TEA, said="I like my tea without sugar", pin=True)
        assert "not said by the user" in await client.text("memory_search")
        await client.text("remember", text="Brewing", kind="note", details=TEA, said=TEA)
    assert entries(served, capsys) == {TEA: "summary"}
    assert TEA not in await known_in_prompt(served)
    assert "origin: assistant" in served.stored()
    assert "origin: user" not in served.stored()


async def test_it_is_the_users_once_a_person_confirms_it(served, capsys):
    async with served.connected() as client:
        entry_id = (await client.text("remember", text=TEA)).partition("[")[2].partition("]")[0]
        assert run_command_line(["entries", "confirm", entry_id, "--workspace", str(served.workspace)]) == 0
        assert "not said by the user" not in await client.text("memory_search")
    assert entries(served, capsys) == {TEA: "user"}
    assert TEA in await known_in_prompt(served)


def test_a_session_of_claude_code_has_the_name_that_its_hooks_give_it():
    assert process_client("owner", {"CLAUDE_CODE_SESSION_ID": "0b7c"}).session == "claude-code:0b7c"
    first, second = process_client("owner", {}), process_client("owner", {"CLAUDE_CODE_SESSION_ID": " "})
    assert first.session != second.session


@each(
    ("name", "scope"),
    [
        ("owner", Scope(user="owner", channel="cli")),
        ("", Scope(user="owner", channel="cli")),
        ("telegram:111", Scope(user="111", channel="telegram")),
        ("ana", Scope(user="ana", channel="mcp")),
        (":ana", Scope(user=":ana", channel="mcp")),
    ],
)
def test_a_name_is_a_person_as_hosts_name_them(name: str, scope: Scope):
    assert scope_of(name) == scope == replace(http_client(name), session="")


async def test_each_person_sees_their_own_and_a_client_cannot_say_who_it_is(served):
    async with served.connected("ana") as ana, served.connected("ben") as ben:
        await ana.text("remember", text="The user's berth is number 4711")
        await ana.text("remember", text="Looked for the berth", kind="note")
        await ben.text("remember", text="The user's bicycle is blue")
        for asked in (
            {"query": "number of the berth"},
            {},
            {"query": "berth", "user": "ana", "scope": {"user": "ana"}},
        ):
            assert "berth" in await ana.text("memory_search", **asked)
            assert "4711" not in await ben.text("memory_search", **asked)
        found = await ana.text("memory_search", query="number of the berth 4711")
        number = re.findall(r"\bid (\S+) \|", found)[0]
        assert "4711" in await ana.text("memory_get", id=number)
        assert "no memory with this id" in await ben.text("memory_get", id=number)
        assert "Nothing was forgotten" in await ben.text("forget", query="number of the berth")
        assert "4711" in await ana.text("memory_search", query="number of the berth")
