"""What a client's model remembers is its note, until a person says that it is so; and each person has their own."""

import json

from nanobot_memory_plugins.core import MemoryHost, load_config
from nanobot_memory_plugins.core.cli.main import run_command_line

TEA = "The user likes their tea without sugar"


def entries(served, capsys) -> dict[str, str]:
    """Return the origin of each entry by its text."""
    capsys.readouterr()
    assert run_command_line(["entries", "list", "--workspace", str(served.workspace), "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["entries"]
    return {one["content"]: one["origin"] for one in found}


async def known_in_prompt(served) -> str:
    config, _ = load_config(served.config)
    async with MemoryHost(served.workspace, config=config) as host:
        return host.prompt_entries(session_key="cli:direct").text


async def test_a_model_cannot_make_something_the_users_word(served, capsys):
    async with served.beside() as client:
        await client.text("remember", text=TEA, said="I like my tea without sugar", pin=True)
        assert "not said by the user" in await client.text("memory_search")
        await client.text("remember", text="Brewing", kind="note", details=TEA, said=TEA)
    assert entries(served, capsys) == {TEA: "summary"}
    assert TEA not in await known_in_prompt(served)
    assert "origin: assistant" in served.stored()
    assert "origin: user" not in served.stored()


async def test_it_is_the_users_once_a_person_confirms_it(served, capsys):
    async with served.beside() as client:
        entry_id = (await client.text("remember", text=TEA)).partition("[")[2].partition("]")[0]
        assert run_command_line(["entries", "confirm", entry_id, "--workspace", str(served.workspace)]) == 0
        assert "not said by the user" not in await client.text("memory_search")
    assert entries(served, capsys) == {TEA: "user"}
    assert TEA in await known_in_prompt(served)


async def test_each_person_sees_their_own_and_a_client_cannot_say_who_it_is(served):
    async with served.beside("ana") as ana, served.beside("ben") as ben:
        await ana.text("remember", text="The user's locker is number 4711")
        await ana.text("remember", text="Looked for the locker", kind="note")
        await ben.text("remember", text="The user's bicycle is blue")
        for asked in (
            {"query": "number of the locker"},
            {},
            {"query": "locker", "user": "ana", "scope": {"user": "ana"}},
        ):
            assert "locker" in await ana.text("memory_search", **asked)
            assert "4711" not in await ben.text("memory_search", **asked)
        (found,) = (await ana.call("search", query="number of the locker 4711")).structuredContent["results"][:1]
        assert (await ben.call("fetch", id=found["id"])).isError
        assert "no memory with this id" in await ben.text("memory_get", id=found["id"])
        assert "4711" not in json.dumps((await ben.call("search", query="locker")).structuredContent)
        assert "Nothing was forgotten" in await ben.text("forget", query="number of the locker")
        assert "4711" in await ana.text("memory_search", query="number of the locker")
