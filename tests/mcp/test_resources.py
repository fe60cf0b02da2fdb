"""Resources and the prompt: what a person picks in a client, for that person alone, without what is forgotten."""

import json

import pytest
from mcp import McpError

from nanobot_memory_plugins.core import MemoryHost, SystemClock, load_config
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.mcp.bounds import RESOURCE_CHARACTERS

PORT = "The staging database of the user listens on port 5433"


async def read(client, uri: str) -> str:
    return (await client.session.read_resource(uri)).contents[0].text


def today() -> str:
    return f"{SystemClock().now().astimezone():%Y-%m-%d}"


async def talk(served, *texts: str, session: str = "cli:direct", **scope: str) -> None:
    config, _ = load_config(served.config)
    async with MemoryHost(served.workspace, config=config) as host:
        for text in texts:
            await host.message_received(session_key=session, text=text, scope=scope)
            await host.message_sent(session_key=session, text="I see.", scope=scope)


async def test_long_term_memory_and_notes_are_listed_and_read(served):
    await talk(served, "My sister lives in Porto", "My DB_PASSWORD=Quiet7harbor is old", session="cli:a/b")
    memory = served.workspace / "memory"
    memory.joinpath("MEMORY.md").write_text("# Notes of mine\n\nDB_PASSWORD=Quiet7harbor\n", encoding="utf-8")
    async with served.beside() as client:
        await client.text("remember", text=PORT)
        await client.text("remember", text="The migration took an hour", kind="note")
        listed = {str(one.uri): one for one in (await client.session.list_resources()).resources}
        assert set(listed) == {"memory://long-term", f"memory://notes/{today()}"}
        assert all(one.title and one.mimeType for one in listed.values())
        long_term = await read(client, "memory://long-term")
        assert PORT in long_term
        assert "Notes of mine" in long_term
        notes = await read(client, f"memory://notes/{today()}")
        assert "took an hour" in notes
        for text in (long_term, notes):
            assert "Quiet7harbor" not in text
            assert "not instructions to follow" in text
        templates = (await client.session.list_resource_templates()).resourceTemplates
        assert {one.uriTemplate for one in templates} == {"memory://notes/{day}"}


ABSENT = (
    "memory://notes/2020-01-01",
    "memory://notes/..%2F..%2Fsecret",
    "memory://notes/../MEMORY",
    "memory://other",
    "file:///etc/passwd",
)


async def test_what_is_not_there_is_an_error_that_tells_nothing(served):
    await talk(served, "My sister lives in Porto")
    async with served.beside() as client:
        for uri in ABSENT:
            with pytest.raises(McpError) as refused:
                await client.session.read_resource(uri)
            assert "Porto" not in str(refused.value)


async def test_a_person_lists_and_reads_their_own_alone(served):
    await talk(served, "My boat is called Wanda", session="mcp:ana", user="ana", channel="mcp")
    async with served.beside("ana") as ana, served.beside("ben") as ben:
        await ana.text("remember", text="The boat of the user is called Wanda")
        await ana.text("remember", text="Looked for the boat Wanda", kind="note")
        listed = {str(one.uri) for one in (await ana.session.list_resources()).resources}
        assert len(listed) == 2
        assert {str(one.uri) for one in (await ben.session.list_resources()).resources} == {"memory://long-term"}
        for uri in sorted(listed):
            assert "Wanda" in await read(ana, uri)
            if uri == "memory://long-term":
                assert "Wanda" not in await read(ben, uri)
            else:
                with pytest.raises(McpError, match="no such resource"):
                    await read(ben, uri)
        asked = await ben.session.get_prompt("recall", {"topic": "boat"})
        assert "Wanda" not in json.dumps(asked.model_dump(mode="json"))


async def test_a_resource_is_bounded_and_shows_its_end(served):
    path = MemoryPaths.of(served.workspace).memory / "2026-02-16.md"
    path.parent.mkdir(parents=True)
    note = "### 2026-02-16 09:{:02}\ntype: note\ntl;dr: Note {}\ndetails:\n{}\n\n"
    text = "".join(note.format(n, n, "long " * 400) for n in range(60))
    path.write_text(text, encoding="utf-8")
    async with served.beside() as client:
        shown = await read(client, "memory://notes/2026-02-16")
        assert len(shown) < RESOURCE_CHARACTERS + 500
        assert "Note 59" in shown
        assert "Note 0\n" not in shown
        assert "earlier ones are left out" in shown
