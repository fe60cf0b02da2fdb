"""A purge removes every byte of the purged text from all our files, and nothing else."""

import asyncio
import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from nanobot_memory_plugins.core import Level, Query
from tests.behaviour.kit.breaking_off import broken_off
from tests.behaviour.kit.life import KEY, Conversation, Life, keep_notes, lived_once
from tests.behaviour.kit.model import ReadingModel, remember_call
from tests.behaviour.kit.scored_store import install_scored_store

BOAT = "The boat Quorvexina lies at pier 97 in Marzipan Alley."
CHESS = "The user plays chess on Sundays."
NOTE = "# Mine\n\nThe oven is broken.\n\n"


@lived_once
async def lived(life: Life) -> None:
    """Fill a memory with both texts, as messages, entries and notes, and index them."""
    async with life.host() as memory:
        talk = Conversation(memory)
        for text in (BOAT, CHESS):
            await talk.turn(text, f"I see: {text}", remember_call(text, text))
            await memory.tool_executed(session_key=KEY, tool_name="exec", arguments={"say": text}, result=text)
        await keep_notes(memory, BOAT, CHESS)
        await talk.idle()
        await memory.flush_index()
    file = life.memory / "MEMORY.md"
    file.write_text(NOTE + (file.read_text(encoding="utf-8") if file.exists() else ""), encoding="utf-8")


@pytest.mark.parametrize("by", ["entry", "words"])
async def test_a_purge_shows_its_plan_removes_every_byte_and_loses_nothing_else(life: Life, by: str, caplog):
    await lived(life)
    gone = next(entry["id"] for entry in life.entries() if "Quorvexina" in entry["content"])
    assert len(life.files_with("Quorvexina")) >= 5
    what = [gone] if by == "entry" else ["--text", "Quorvexina"]
    before = life.contents()
    plan = life.command("purge", *what, "--dry-run", "--json")
    assert plan.status == 0
    assert plan.json["dry_run"]
    assert life.contents() == before
    listed = [one["where"] for one in plan.json["traces"]]
    assert listed.count(".storage/state.db") == 1
    unfound = life.command("purge", "--text", "Xylophoria")
    assert (unfound.status, "nothing was removed" in unfound.out) == (1, True), unfound
    unasked = life.command("purge", *what)  # no terminal, no --yes
    assert (unasked.status, life.contents() == before) == (2, True)
    done = life.command("purge", *what, "--yes", "--json")
    assert set(plan.json["files"]) <= set(done.json["files"])
    assert {"memory/ENTRIES.md", ".storage/memory.db"} <= set(done.json["files"])
    assert any(one.startswith("memory/sessions/") for one in done.json["files"])
    assert life.files_with("Quorvexina", "Marzipan Alley") == []
    # Everything else stays: messages, entries, notes, and what a person wrote.
    said = [record["text"] for record in life.transcript()]
    assert [said.count(CHESS), said.count(f"I see: {CHESS}")] == [1, 1]
    assert [entry["content"] for entry in life.entries()] == [CHESS]
    assert NOTE in (life.memory / "MEMORY.md").read_text(encoding="utf-8")
    day = (life.memory / f"{life.clock.now():%Y-%m-%d}.md").read_text(encoding="utf-8")
    assert CHESS in day
    # A new index, built from the files, does not contain it, either.
    shutil.rmtree(life.workspace / ".storage")
    async with life.host() as memory:
        await memory.flush_index()
        assert "Quorvexina" not in await Conversation(memory, "cli:new").turn("Do you remember the boat at pier 97?")
        assert "chess" in await Conversation(memory, "cli:other").turn("Do you remember what I play on Sundays?")
    assert life.files_with("Quorvexina") == []


async def test_the_plan_lists_every_line_of_an_entry_as_removed(life: Life):
    asked = f"Remember this please: {BOAT}"
    async with life.host() as memory:
        await Conversation(memory).turn(asked, "Noted.", remember_call(BOAT, asked))
    plan = life.command("purge", "--text", "Quorvexina", "--dry-run", "--json")
    assert [one["where"] for one in plan.json["traces"] if not one["removed"]] == []
    lines = [
        one["line"] for trace in plan.json["traces"] if trace["where"].endswith("/ENTRIES.md") for one in trace["lines"]
    ]
    file = (life.memory / "ENTRIES.md").read_text(encoding="utf-8").splitlines()
    assert lines == [number for number, line in enumerate(file, 1) if "Quorvexina" in line]


async def test_messages_and_conversations_are_purged_with_what_was_derived_from_them(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory, "cli:boat")
        await talk.turn(BOAT, "Noted.", remember_call("Quorvexina lies at pier 97", BOAT))
        await talk.turn("The ferry leaves at nine.", "Noted.")
        await keep_notes(memory, f"{BOAT} It is red.", session="cli:boat")
        await Conversation(memory, "cli:chess").turn(CHESS, "Noted.", remember_call(CHESS, CHESS))
        await memory.flush_index()
    id_ = next(one["id"] for one in life.transcript("cli:boat") if one["text"] == BOAT)
    done = life.command("purge", id_, "--yes", "--json")
    assert done.json["ok"]
    assert "pier 97" not in str(life.transcript("cli:boat")) + str(life.entries())
    assert "The ferry leaves at nine." in str(life.transcript("cli:boat"))
    assert life.files_with("It is red.")
    assert life.command("purge", "--session", "cli:boat", "--yes", "--json").json["ok"]
    assert life.files_with("Quorvexina", "pier 97", "The ferry leaves") == []
    assert life.transcript("cli:boat") == []
    assert [entry["content"] for entry in life.entries()] == [CHESS]
    assert CHESS in str(life.transcript("cli:chess"))
    async with life.host() as memory:  # the host goes on with it
        talk = Conversation(memory, "cli:boat", history=list(talk.history))
        await memory.resume(session_key="cli:boat", messages=talk.history)
        await talk.turn("Good morning.")
        await talk.idle()
        await memory.flush_index()
    assert life.files_with("Quorvexina", "pier 97", "The ferry leaves") == []


async def test_an_entry_of_eight_letters_or_four_chinese_characters_is_found_in_messages(life: Life):
    async with life.host() as memory:
        talk = Conversation(memory)
        for said, elsewhere, text in (
            ("对了我家的猫叫阿福还没睡", "邻居说猫叫阿福的又来了", "猫叫阿福"),
            ("By the way her cat Bo ran off again", "Our cat Bo ran off to the pier", "cat Bo ran"),
        ):
            await talk.turn(said, "Noted.", remember_call(text, text))
            await Conversation(memory, "cli:elsewhere").turn(elsewhere)  # which no entry came of
        await talk.turn("The cat Bo ranked first.")  # other words, which begin alike
        await memory.flush_index()
    for entry in life.entries():
        assert life.command("purge", entry["id"], "--yes", "--json").status == 0
    assert life.files_with("阿福", "ran off") == []
    assert "The cat Bo ranked first." in str(life.transcript())


async def test_words_are_found_in_another_case_width_and_script(life: Life):
    said = "My boat Quorvexina lies in 臺灣的港口."
    async with life.host() as memory:
        quoted = remember_call("The boat lies in the harbour.", "MY BOAT quorvexina LIES IN 台湾的港口")
        await Conversation(memory).turn(said, "Noted.", quoted)
    assert [entry["origin"] for entry in life.entries()] == ["user"], "the quotation is found"
    for words in ("QUORVEXINA", "ｑｕｏｒｖｅｘｉｎａ"):
        assert life.command("purge", "--text", words, "--dry-run", "--json").json["traces"], words
    assert life.command("purge", "--text", "台湾的港口", "--yes").status == 0
    assert life.files_with("臺灣的港口") == []


async def test_a_json_file_of_another_format_does_not_stop_a_purge(life: Life):
    await lived(life)
    table = life.memory / "table.jsonl"
    rows = ({"id": ["x"], "text": "Quorvexina"}, {"session": {"of": "tea"}, "id": 7})
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    done = life.command("purge", "--text", "Quorvexina", "--yes", "--json")
    assert done.status == 0
    assert set(life.files_with("Quorvexina")) <= {"memory/table.jsonl"}
    assert [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()] == list(rows)
    assert life.command("scrub").status == 0


async def test_text_that_people_wrote_stays_unless_everywhere_is_given(life: Life):
    await lived(life)
    file = life.memory / "ideas.md"
    file.write_text("# Ideas\n\nAsk Quorvexina Krieger.\n\nBuy tea.\n", encoding="utf-8")
    assert life.command("purge", "--text", "Zanzibarina", "--yes").status == 1
    assert life.command("purge", "ffffffff", "--yes").status == 1
    life.command("purge", "--text", "Quorvexina", "--yes", "--json")
    assert [one for one in life.files_with("Quorvexina") if one.startswith("memory/")] == ["memory/ideas.md"]
    assert life.command("purge", "--text", "Quorvexina", "--yes", "--everywhere").status == 0
    assert life.files_with("Quorvexina") == []
    assert "Buy tea." in file.read_text(encoding="utf-8")


async def test_a_conversation_that_continues_does_not_bring_purged_text_back(life: Life, model: ReadingModel):
    life.memory.mkdir(parents=True)  # so that it is watched from the start: the clock stands still
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("Good morning, I am back from Lisbon.", "Good morning!")
        await talk.turn(BOAT, f"I see: {BOAT}", remember_call(BOAT, BOAT))
        await talk.turn(CHESS, "Noted.")
        await talk.idle()
        await memory.flush_index()
        done = await life.command_beside("purge", "--text", "Quorvexina", "--yes", "--json")
        assert done.json["ok"], done.out + done.err
        assert life.files_with("Quorvexina") == []
        model.learn(BOAT, "Quorvexina lies at pier 97")
        model.learn("The user likes the Alfama.", "Alfama is what I liked")
        model.requests.clear()
        await talk.turn("The Alfama is what I liked most.", "A fine place.")
        await talk.idle()
        await talk.compact(window=400, keep=False)
        await talk.idle(ended=True)
        await memory.flush_index()
        assert life.files_with("Quorvexina", "Marzipan Alley") == []
        assert not any("Quorvexina" in request.text for request in model.requests)
        assert "Quorvexina" not in await Conversation(memory, "cli:new").turn("Do you remember the boat?")
    async with life.host() as memory:  # the host has kept its history
        again = Conversation(memory, history=list(talk.history))
        await again.idle()
        await again.compact(window=400)
        await memory.flush_index()
        assert "Quorvexina" not in Conversation(memory, "cli:third").prompt()
    assert life.files_with("Quorvexina", "Marzipan Alley") == []
    assert "Alfama" in str(life.transcript())


async def test_a_killed_purge_is_finished_and_keeps_edits_made_in_the_meantime(life: Life):
    await lived(life)
    with (life.memory / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("\nQuorvexina is written here by hand, too.\n")
    told = broken_off(
        life.folder, "Quorvexina", "plays chess", "purge", "--text", "Quorvexina", "--everywhere", "--yes"
    )
    assert told["killed"] >= 3
    assert told["finished"] >= 1
    assert (told["left"], told["lost"]) == ([], [])
    assert told["edits lost"] == []
    assert "The oven is broken." in told["edited"]
    assert "Quorvexina" not in told["edited"]
    assert (told["answered n"], told["answered y"]) == (told["held"], [])


@pytest.mark.parametrize(("ours_is_on", "in_log"), [(True, False), (False, True)])
async def test_the_index_of_a_store_that_was_replaced_is_purged_too(life, install, ours_is_on: bool, in_log: bool):
    await lived(life)
    if in_log:  # the state after a process was killed before its first checkpoint
        index = life.workspace / ".storage" / "memory.db"
        index.with_name("memory.db-wal").write_bytes(b"Quorvexina" + index.read_bytes())
        index.write_bytes(b"")
    install_scored_store(install)
    theirs = life.workspace / ".storage" / "theirs.db"
    theirs.write_bytes(b"SQLite format 3\0 of somebody else")
    life.options["storage"] = {"enabled": ours_is_on}
    assert ".storage/memory.db" in " ".join(life.files_with("Quorvexina"))
    done = life.command("purge", "--text", "Quorvexina", "--yes", "--json")
    assert ".storage/memory.db" in done.json["files"]
    assert life.files_with("Quorvexina", "Marzipan Alley") == []
    assert theirs.is_file()
    # Nothing is left for the next start to remove.
    assert life.command("purge", "--text", "Quorvexina", "--yes").status == 1
    life.options["storage"] = {}


@pytest.mark.parametrize("other", [{"backend": "grep_only"}, {"enabled": False}, {"dbPath": "elsewhere.db"}])
async def test_an_index_in_use_by_another_process_is_removed_and_rebuilt(life: Life, other: dict[str, Any]):
    """The purging process has no index open, or another one."""
    await lived(life)
    purge = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "purge", "--text", "Quorvexina", "--yes"]
    purge += ["--workspace", str(life.workspace)]
    async with life.host() as memory:
        talk = Conversation(memory, "cli:other")

        async def found(text: str) -> list[str]:
            return [hit.text for hit in (await memory.search(Query(text))).hits]

        assert BOAT in await found("Quorvexina")
        life.options["storage"] = other
        with subprocess.Popen([*purge, "--config", str(life.config_file())]) as purging:  # noqa: ASYNC220  # beside it
            said = 0
            while purging.poll() is None:  # whatever is said meanwhile
                said += 1
                await talk.turn(f"The lamp number {said} is green.")
                assert f"The lamp number {said} is green." in await found(f"lamp number {said}")
                await asyncio.sleep(0.1)
        assert (purging.returncode, said > 1) == (0, True)
        assert await found("Quorvexina Marzipan") == []
        assert CHESS in await found("Who plays chess?")
        await talk.turn("The door is yellow.")
        async with asyncio.timeout(60):  # until it is there, the files are searched
            while (status := memory.store.status()).level is not Level.FULL_TEXT or status.pending_bytes:
                await asyncio.sleep(0.05)
        assert await found("Quorvexina Marzipan") == []
        for text in (CHESS, "The door is yellow.", *(f"The lamp number {n} is green." for n in range(1, said + 1))):
            assert text in await found(text)
    assert life.files_with("Quorvexina", "Marzipan Alley") == []
