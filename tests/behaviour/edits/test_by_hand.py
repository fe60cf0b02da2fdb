"""People edit the files, while it runs and between runs: what they wrote stays, byte for byte, and is found."""

import json
import re
import shutil
import signal
import subprocess
import sys

import pytest

from nanobot_memory_plugins.core import MemoryHost, Query
from tests.behaviour.kit.life import DAY, KEY, Conversation, Life, keep_notes
from tests.behaviour.kit.model import forget_call, remember_call
from tests.behaviour.kit.waiting import until

OURS = {"The user is allergic to peanuts.": "I am allergic to peanuts.", "The user lives in Lund.": "I live in Lund."}


async def remember(memory: MemoryHost, facts: dict[str, str] = OURS) -> None:
    talk = Conversation(memory)
    for text, said in facts.items():
        await talk.turn(said, "Noted.", remember_call(text, said))


async def found(memory: MemoryHost, words: str) -> list[str]:
    await memory.flush_index()
    return [hit.text for hit in (await memory.search(Query(words))).hits]


def count(life: Life) -> int:
    return int(life.command("index", "--json").json["documents"])


@pytest.mark.accept("V3-05", "V3-06", "V5-04", "NC-09")
async def test_the_index_follows_files_that_are_edited_moved_renamed_and_deleted_while_it_runs(
    life_without_model: Life,
):
    life = life_without_model
    life.memory.mkdir(parents=True)
    long_term = life.memory / "MEMORY.md"
    text = "# Memory\n\n## Goal\nShip the walnut boat.\n\n## Team\nAnn and Bo.\n"
    long_term.write_text(text, encoding="utf-8")
    async with life.host() as memory:
        assert await found(memory, "walnut boat") == ["## Goal\nShip the walnut boat."]
        long_term.write_text(text.replace("walnut", "cedar"), encoding="utf-8")
        assert await found(memory, "walnut") == []
        assert len(await found(memory, "cedar boat")) == 1
        assert len(await found(memory, "Ann and Bo")) == 1
        folder = life.memory / "projects" / "alpha"
        folder.mkdir(parents=True)
        (folder / "plan.md").write_text("## Plan\nThe violin is the prize.\n", encoding="utf-8")
        assert len(await found(memory, "violin")) == 1
        (folder / "plan.md").rename(folder / "former plan.md")
        folder.rename(life.memory / "beta")
        await memory.flush_index()
        assert [hit.path for hit in (await memory.search(Query("violin"))).hits] == ["memory/beta/former plan.md"]
        shutil.rmtree(life.memory / "beta")
        assert await found(memory, "violin") == []
        life.memory.rename(life.workspace / "elsewhere")
        assert await found(memory, "cedar") == []
        (life.workspace / "elsewhere").rename(life.memory)
        assert len(await found(memory, "cedar")) == 1
    before = count(life)
    long_term.touch()
    long_term.write_bytes(long_term.read_bytes())
    assert count(life) == before
    long_term.unlink()
    assert count(life) == 0


async def test_a_word_that_is_changed_in_the_middle_of_what_is_indexed_is_found_as_it_is_now(life_without_model: Life):
    life = life_without_model
    async with life.host() as memory:
        await keep_notes(memory, "the walnut boat is at pier 4", "the violin is red")
        await Conversation(memory).turn("My walnut table has three legs.", "I see.")
        await memory.flush_index()
        for file in (*life.memory.glob("????-??-??.md"), *life.memory.glob("sessions/*.jsonl")):
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace("walnut", "cherry"), encoding="utf-8")
            with file.open("a", encoding="utf-8") as editor:
                editor.write("\n")
        assert await found(memory, "walnut") == []
        assert {"My cherry table has three legs.", "the cherry boat is at pier 4"} <= {*await found(memory, "cherry")}


async def test_what_is_taken_out_of_a_file_is_gone_where_indexing_is_killed_in_the_middle_too(life_without_model: Life):
    life = life_without_model
    life.options["storage"] = {"indexQueueMax": 1}  # a step for each message
    (life.memory / "sessions").mkdir(parents=True)
    said = ["The walnut boat leaks.", *(f"The violin {number} is red." for number in range(800))]
    rows = [{"id": f"m{n}", "role": "user", "text": text, "session": KEY} for n, text in enumerate(said)]
    file = life.memory / "sessions" / "cli_direct.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    async with life.host() as memory:
        assert said[0] in await found(memory, "walnut boat")
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows[1:]), encoding="utf-8")
    log = life.workspace / ".storage" / "memory.db-wal"
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "index", "--workspace", life.workspace]
    command += ["--config", life.folder / "config.json"]
    times: set[int] = set()  # at which the log was written to
    with subprocess.Popen(command) as indexing:  # noqa: ASYNC220  # nothing else runs in this loop
        await until(lambda: times.add(log.stat().st_mtime_ns if log.exists() else 0) or len(times) > 9, "some steps")
        indexing.kill()
    assert indexing.returncode == -signal.SIGKILL
    async with life.host() as memory:
        assert said[0] not in await found(memory, "walnut boat")
        assert said[-1] in await found(memory, "violin 799")


@pytest.mark.accept("NC-09")
async def test_a_change_that_nobody_tells_of_is_found_within_seconds_in_a_new_folder_too(life_without_model: Life):
    life = life_without_model
    life.memory.mkdir(parents=True)
    async with life.host() as memory:
        await memory.flush_index()
        (life.folder / "new").mkdir()
        (life.folder / "new" / "note.md").write_text("## A\nThe lantern hangs in the shed.\n", encoding="utf-8")
        (life.folder / "new").rename(life.memory / "new")  # of the file in it the system says nothing

        async def told() -> bool:
            return bool((await memory.search(Query("lantern"))).hits)

        await until(told)
        await until(lambda: memory.store.status().documents == 1, "the index")
        status = life.memory / "new" / "note.md"
        status.write_text("## A\nThe teapot stands in the shed.\n", encoding="utf-8")

        async def changed() -> bool:
            texts = [hit.text for hit in (await memory.search(Query("shed"))).hits]
            return bool(texts) and all("teapot" in text for text in texts)

        await until(changed)


async def test_what_people_write_around_and_into_ours_is_kept_byte_for_byte(life: Life):
    async with life.host() as memory:
        await remember(memory)
    entries = life.memory / "ENTRIES.md"
    own = "Some words of mine, with *stars* and a tab\t.\n\n<!-- my comment -->\n"
    notes = life.memory / "2026-02-16.md"
    long_term = "# Mine \r\n\r\n* point\t\n\ttab  \nno end of line"
    (life.memory / "MEMORY.md").write_bytes(long_term.encode())
    written = entries.read_text(encoding="utf-8")
    entries.write_text(written.replace("lives in Lund", "lives in Malmö") + "\n" + own, encoding="utf-8")
    with notes.open("a", encoding="utf-8") as file:
        file.write("\nA line of mine, below the notes.  \n")
    mine = notes.read_bytes()
    async with life.host() as memory:
        assert "lives in Malmö" in Conversation(memory).prompt()
        await remember(memory, {"The user rides a bike.": "I ride a bike."})
        # While it runs, too.
        now = entries.read_text(encoding="utf-8")
        entries.write_text(now.replace("rides a bike", "rides a tandem"), encoding="utf-8")
        assert "rides a tandem" in Conversation(memory).prompt()
        await remember(memory, {"The user has a cat.": "I have a cat."})
        await keep_notes(memory, "a note of ours")
    after = entries.read_text(encoding="utf-8")
    assert all(line in after for line in own.splitlines())
    assert all(text in after for text in ("lives in Malmö", "rides a tandem", "has a cat", "allergic to peanuts"))
    assert "lives in Lund" not in re.sub(r"<!--.*?-->", "", after, flags=re.DOTALL).replace("I live in Lund", "")
    assert (life.memory / "MEMORY.md").read_bytes() == long_term.encode()
    assert notes.read_bytes().startswith(mine)
    assert {"lives in Malmö", "rides a tandem"} <= {
        word for word in ("lives in Malmö", "rides a tandem") if word in str(life.entries())
    }


async def test_a_formatter_and_an_old_backup_are_edits_like_others(life: Life):
    async with life.host() as memory:
        await remember(memory)
    entries = life.memory / "ENTRIES.md"
    old = entries.read_bytes()
    # As a formatter of Markdown leaves it: blank lines below headings, no space at the ends, other line ends.
    text = re.sub(r"^(#+ .*)\n(?!\n)", r"\1\n\n", entries.read_text(encoding="utf-8"), flags=re.MULTILINE)
    entries.write_bytes(text.replace("\n", "\r\n").encode())
    assert len(life.entries()) == 2
    async with life.host() as memory:
        await remember(memory, {"The user has a cat.": "I have a cat."})
        prompt = Conversation(memory).prompt()
        assert all(text in prompt for text in (*OURS, "The user has a cat."))
    assert len(life.entries()) == 3
    # An old backup that is put back has what stood there then.
    entries.write_bytes(old)
    async with life.host() as memory:
        prompt = Conversation(memory).prompt()
        assert [text for text in OURS if text not in prompt] == []


async def test_two_hosts_and_a_person_write_at_once_and_nothing_is_lost(life: Life):
    other = Life(life.folder, life.model, clock=life.clock)
    async with life.host() as one, other.host() as two:
        for number, memory in enumerate((one, two, one, two)):
            said = f"My locker {number} is green."
            talk = Conversation(memory, f"cli:{number % 2}")
            await talk.turn(said, "Noted.", remember_call(f"The user's locker {number} is green.", said))
            await keep_notes(memory, f"note {number}")
        await Conversation(one).call(forget_call("locker 3"))
        await until_gone(two, "locker 3")
        assert "locker 2" in Conversation(two).prompt()
    assert {text for number in range(4) if (text := f"locker {number}") in str(life.entries())} >= {
        "locker 0",
        "locker 1",
        "locker 2",
    }
    notes = "".join(file.read_text(encoding="utf-8") for file in life.memory.glob("????-??-??.md"))
    assert all(f"note {number}" in notes for number in range(4))


async def test_where_the_lock_of_the_index_is_deleted_one_host_alone_goes_on_indexing(life: Life):
    other = Life(life.folder, life.model, clock=life.clock)
    async with life.host() as one:
        await keep_notes(one, "the violin is red")
        await one.flush_index()
        assert one.store.status().indexing_here
        lock = life.workspace / ".storage" / "indexer.lock"
        lock.unlink()
        async with other.host() as two:

            def is_indexed_by_one() -> bool:
                life.clock.advance(2)  # each time: one of them may be in the middle of a look
                # Whichever was first at the new lock.
                return lock.exists() and one.store.status().indexing_here != two.store.status().indexing_here

            await until(is_indexed_by_one)
            await keep_notes(one, "the lantern is blue")
            assert any("lantern" in text for text in await found(two, "lantern"))


async def until_gone(memory: MemoryHost, words: str) -> None:
    async def gone() -> bool:
        return words not in Conversation(memory).prompt()

    await until(gone)


@pytest.mark.accept("V5-14")
async def test_old_observations_leave_the_index_and_not_the_file(life_without_model: Life):
    life = life_without_model
    async with life.host() as memory:
        await memory.tool_executed(
            session_key=KEY, tool_name="exec", arguments={"command": "ls harbour"}, result="a file"
        )
        await keep_notes(memory, "the violin is red")
        assert await found(memory, "harbour")
    (file,) = life.memory.glob("????-??-??.md")
    written = file.read_bytes()
    life.clock.advance(31 * DAY)
    async with life.host() as memory:
        assert await found(memory, "harbour") == []
        assert await found(memory, "violin")
    assert file.read_bytes() == written
