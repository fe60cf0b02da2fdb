"""Forgotten entries leave the prompt and recall until they are restored; everything else stays."""

import shutil

import pytest

from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.tools.scripted_model import ToolCall
from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import forget_call, remember_call, search_call
from tests.behaviour.kit.waiting import until

BOAT = "My boat lies at pier 97 in Marzipan Alley."
CHESS = "I play chess with Irina on Sundays."
ASKED = "Do you remember where my boat lies?"


async def is_known(memory: MemoryHost, session: str) -> tuple[bool, bool]:
    """Return whether the boat and the chess are known, in recall, in the prompt and to the tool alike."""
    talk = Conversation(memory, session)
    boat = {
        "Marzipan" in await talk.turn(ASKED),
        "Marzipan" in talk.prompt(),
        "Marzipan" in await talk.call(search_call("where does the boat lie")),
    }
    talk = Conversation(memory, f"{session}, and chess")
    chess = {
        "Irina" in await talk.turn("Do you remember whom I play chess with?"),
        "Irina" in talk.prompt(),
    }
    (is_boat,), (is_chess,) = boat, chess
    return is_boat, is_chess


@pytest.mark.accept("EB-16")
@pytest.mark.parametrize("way", ["tool by words", "tool by id", "command"])
async def test_a_forgotten_entry_leaves_prompt_and_recall_until_it_is_restored(life: Life, way: str):
    async with life.host() as memory:
        talk = Conversation(memory)
        for said in (BOAT, CHESS):
            await talk.turn(said, "Noted.", remember_call(said, said))
        await memory.flush_index()
        assert await is_known(memory, "cli:before") == (True, True)
        listed = (await life.command_beside("entries", "list", "--json")).json["entries"]
        id_ = next(entry["id"] for entry in listed if "Marzipan" in entry["content"])
        if way == "command":
            assert (await life.command_beside("entries", "forget", id_)).status == 0
        else:
            query = BOAT if way == "tool by words" else id_
            assert id_ in await talk.call(forget_call(query))
        await memory.flush_index()
        assert await is_known(memory, "cli:after") == (False, True)
    shutil.rmtree(life.workspace / ".storage")
    async with life.host() as memory:  # another start, with an index made of the files
        await memory.flush_index()
        assert await is_known(memory, "cli:later") == (False, True)
        assert (await life.command_beside("entries", "restore", id_)).status == 0
        await memory.flush_index()
        assert await is_known(memory, "cli:restored") == (True, True)


@pytest.mark.parametrize("order", [["entries", "forget"], ["purge", "--yes"]])
async def test_the_entries_that_an_entry_replaced_go_with_it_unless_restored(life: Life, order: list[str]):
    moved = "I live in Bergen by the harbour."
    async with life.host() as memory:
        for place in ("Oslo", "Turku"):
            said = f"I have lived in {place}."
            await Conversation(memory).turn(said, "Noted.", remember_call(said, said))
    before = [entry["id"] for entry in life.entries()]
    async with life.host() as memory:
        call = ToolCall("remember", {"text": moved, "said": moved, "kind": "fact", "replaces": before})
        await Conversation(memory).turn(moved, "Noted.", call)
    (after,) = {entry["id"] for entry in life.entries()} - {*before}
    assert life.command("entries", "restore", before[0]).status == 0
    assert life.command(*order, after).status == 0
    assert [entry["id"] for entry in life.entries()] == before[:1]


async def test_words_that_match_no_entry_forget_nothing(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn(BOAT, "Noted.", remember_call(BOAT, BOAT))
        for query in ("the zeppelin in the garden", "ffffffff"):
            await talk.call(forget_call(query))
        assert "Marzipan" in talk.prompt()
    assert life.command("entries", "forget", "ffffffff").status == 1


async def test_old_transcripts_and_tool_notes_are_dropped_if_configured_and_entries_never(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory, "cli:old")
        await talk.turn(CHESS, "Noted.", remember_call(CHESS, CHESS))
        await memory.tool_executed(
            session_key="cli:old", tool_name="exec", arguments={"a": "ls"}, result="zeppelin.txt"
        )
    life.clock.advance(40 * 86_400)
    (life.memory / "MEMORY.md").write_text("# Mine\n\nThe oven is broken.\n", encoding="utf-8")
    async with life.host() as memory:
        await Conversation(memory, "cli:new").turn("The bicycle is green.")
        await memory.flush_index()
    assert life.transcript("cli:old")
    assert life.files_with("zeppelin.txt")
    async with life.host(core={"transcriptMaxAgeDays": 30, "toolNoteMaxAgeDays": 30}) as memory:
        await until(lambda: not life.transcript("cli:old") and ".md" not in str(life.files_with("zeppelin.txt")))
    assert "Irina" in str(life.entries())
    assert "green" in str(life.transcript("cli:new"))
    assert "The oven is broken." in (life.memory / "MEMORY.md").read_text(encoding="utf-8")
