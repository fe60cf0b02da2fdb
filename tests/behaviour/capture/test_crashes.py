"""kill -9 and several processes at once: no acknowledged record is lost, none is doubled, and the files can be read."""

import json
import re
import signal
from collections import Counter
from collections.abc import Sequence

import pytest

from nanobot_memory_plugins.core import Query
from tests.behaviour.kit.life import Life
from tests.behaviour.kit.writer import receipts, start_writer


def words_in_files(life: Life) -> Counter[str]:
    """Count the words with which records begin and end, over all files that people read."""
    files = [*life.memory.glob("*.md"), *(life.memory / "sessions").glob("*.jsonl")]
    return Counter(word for file in files for word in re.findall(r"(?:begin|end)\w+x\d{4}", file.read_text("utf-8")))


async def nothing_is_lost(life: Life, told: Sequence[dict[str, object]]) -> None:
    """Start again, and compare the files with what was acknowledged."""
    async with life.host() as memory:
        await memory.flush_index()
        for one in (told[0], told[-1]):
            found = await memory.search(Query(text=f"begin{one['word']}"))
            assert any(f"begin{one['word']}" in f"{hit.tldr} {hit.text}" for hit in found.hits)
    counted = words_in_files(life)
    assert [one["word"] for one in told if not one["stored"]] == []
    lost = [one["word"] for one in told if not counted[f"begin{one['word']}"] or not counted[f"end{one['word']}"]]
    assert lost == []
    assert [word for word, times in counted.items() if times > 1] == []
    for file in (life.memory / "sessions").glob("*.jsonl"):
        texts = [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]
        assert texts == sorted(texts)


@pytest.mark.accept("V5-12")
async def test_writers_that_are_killed_lose_nothing_that_was_acknowledged(life: Life):
    told: list[dict[str, object]] = []
    writers = [start_writer(life.workspace, f"w{which}", 2_000) for which in range(2)]
    # By then the other one is somewhere in the middle.
    lines = [[writer.stdout.readline() for _ in range(wanted)] for writer, wanted in zip(writers, (5, 20), strict=True)]
    for writer, read in zip(writers, lines, strict=True):
        writer.send_signal(signal.SIGKILL)
        with writer:  # closes its pipe
            rest = writer.stdout.read()  # by the same buffer as the lines before
        assert writer.returncode == -signal.SIGKILL
        told += receipts([*read, *rest.splitlines(keepends=True)])
    await nothing_is_lost(life, told)
    assert len(told) >= 25


async def test_a_line_that_was_torn_costs_itself_alone(life: Life):
    async with life.host() as memory:
        receipt = await memory.message_sent(session_key="cli:direct", text="the first")
    with receipt.path.open("ab") as file:
        file.write(b'{"id":"2","role":"user","te')
    async with life.host() as memory:
        receipt = await memory.message_sent(session_key="cli:direct", text="the next")
        assert [one["content"] for one in memory.history("cli:direct", limit=9)] == ["the first", "the next"]
        assert json.loads(receipt.path.read_text("utf-8").splitlines()[receipt.line - 1])["text"] == "the next"
