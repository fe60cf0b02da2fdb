"""An index of another version, older or newer, is rebuilt from the files."""

import sqlite3
from contextlib import closing

import pytest

from nanobot_memory_plugins.core import Query
from tests.behaviour.kit.life import Conversation, Life


def make_of_another_version(life: Life, version: int) -> None:
    """Replace the index by one of another version, with other tables and its version number."""
    with closing(sqlite3.connect(life.workspace / ".storage" / "memory.db")) as index, index:
        index.execute("DROP TABLE files")
        index.execute("CREATE TABLE drawers (label TEXT)")
        index.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", [0, 7_000])
async def test_an_index_of_another_schema_is_rebuilt_and_reported(life: Life, version: int):
    async with life.host() as memory:
        await Conversation(memory).turn("The boat is moored at pier nine.")
        await memory.flush_index()
    make_of_another_version(life, version)
    assert "another version" in life.command("doctor").text

    async with life.host() as memory:
        await memory.flush_index()
        await Conversation(memory, "cli:next").turn("The garden gate is green.")
        await memory.flush_index()
        for question, answer in (("boat pier", "pier nine"), ("garden gate", "gate is green")):
            assert answer in (await memory.search(Query(question))).hits[0].text
    assert "another version" not in life.command("doctor").text
    assert not list(life.workspace.rglob("*.aside"))


def test_a_purge_also_deletes_an_unused_index_of_another_schema(life: Life):
    life.memory.mkdir(parents=True)
    day = life.memory / "2026-02-14.md"
    day.write_text(
        "The vault stands behind the quetzal painting.\n\nThe boat is moored at pier nine.\n", encoding="utf-8"
    )
    assert life.command("index").status == 0
    make_of_another_version(life, 7_000)
    life.options["storage"] = {"dbPath": "elsewhere/memory.db"}
    assert life.command("purge", "--text", "quetzal", "--everywhere", "--yes").status == 0
    assert life.files_with("quetzal") == []
