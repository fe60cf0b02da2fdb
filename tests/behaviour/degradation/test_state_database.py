"""Without a usable state database only the history and counts are lost."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import Query
from tests.behaviour.kit.life import Conversation, Life, keep_notes
from tests.behaviour.kit.model import forget_call, remember_call

FACTS = {"The user is allergic to peanuts.": "I am allergic to peanuts.", "The user lives in Lund.": "I live in Lund."}
ASKED = [Query(words, limit=20) for words in ("peanuts", "Lund", "walnut boat")]


def lose_state(life: Life) -> None:
    for file in (life.workspace / ".storage").glob("state.db*"):
        file.unlink()


async def lived(life: Life) -> list[list[str]]:
    async with life.host() as memory:
        talk = Conversation(memory)
        for text, said in FACTS.items():
            await talk.turn(said, "Noted.", remember_call(text, said))
        await talk.turn("The walnut boat leaks.")
        await talk.call(forget_call("lives in Lund"))
        await keep_notes(memory, "the walnut boat is for sale")
        await memory.flush_index()
        return [[hit.id for hit in (await memory.search(query)).hits] for query in ASKED]


async def test_a_lost_state_database_loses_only_the_history(life: Life):
    before = await lived(life)
    entries, transcript = life.entries(), life.transcript()
    (gone,) = [one["id"] for run in life.command("entries", "history", "--json").json["runs"] for one in run["changes"]
               if one["before"] and not one["after"]]  # fmt: skip
    lose_state(life)
    assert (life.entries(), life.transcript()) == (entries, transcript)
    async with life.host() as memory:
        await memory.flush_index()
        assert [[hit.id for hit in (await memory.search(query)).hits] for query in ASKED] == before
        assert "Lund" not in Conversation(memory, "cli:new").prompt()
        talk = Conversation(memory)
        await talk.turn("I have a cat.", "Noted.", remember_call("The user has a cat.", "I have a cat."))
    runs = life.command("entries", "history", "--json").json["runs"]
    assert [one["after"]["content"] for run in runs for one in run["changes"]] == ["The user has a cat."]
    assert life.command("entries", "restore", gone).status == 0
    assert "The user lives in Lund." in {one["content"] for one in life.entries()}


def broken(state: Path) -> None:
    state.write_bytes(b"\x01 no database" * 700)


def cannot_be_opened(state: Path) -> None:
    state.mkdir()


@pytest.mark.parametrize("trouble", [broken, cannot_be_opened])
async def test_everything_is_kept_and_recalled_without_a_usable_state_database(life: Life, trouble):
    await lived(life)
    lose_state(life)
    trouble(life.workspace / ".storage" / "state.db")
    assert "state.db" in life.command("doctor").text
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("I have a cat.", "Noted.", remember_call("The user has a cat.", "I have a cat."))
        await talk.idle(ended=True)
        await memory.flush_index()
        assert "leaks" in await Conversation(memory, "cli:b").hear("Do you remember the walnut boat?")
        assert "allergic to peanuts" in Conversation(memory, "cli:c").prompt()
    assert {"The user has a cat.", "The user is allergic to peanuts."} <= {one["content"] for one in life.entries()}
    if trouble is broken:  # it is made again, for the next process as well
        assert (life.workspace / ".storage" / "state.db").read_bytes().startswith(b"SQLite format 3\0")
    else:
        assert "state.db" in life.command("doctor").text
