"""A long message is found by its best part; its other parts come after other messages."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Query
from tests.support.patient import patient_config

CONFIG = patient_config()
ANSWER = "\n\n".join(
    f"Kayak rule {number}: a kayak on the river wants calm water, a dry bag and a kayak paddle of length {number}. "
    + "Look at the weather, tell somebody where you go, and wear the vest all day long. " * 6
    for number in range(1, 7)
)
CHINESE = "\n\n".join(
    f"kayak 第{number}条：下河之前要看天气，带上 kayak paddle，穿好救生衣，告诉家里人 river 的路线，"
    + "准备好干粮和水，检查船底有没有裂缝，把手机装进防水袋里面放好。" * 4
    for number in range(1, 7)
)
OTHERS = ("My kayak is in the shed of my uncle in Wels.", "We sold the green kayak.", "Ida borrowed the kayak seat.")


@pytest.mark.parametrize("answer", [ANSWER, CHINESE, ANSWER[:400]])
async def test_only_its_best_part_ranks_high(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await memory.message_received(session_key="a", text="What do I need for the river?")
        await memory.message_sent(session_key="a", text=answer)
        for number, text in enumerate(OTHERS):
            await memory.message_received(session_key=f"b{number}", text=text)
        await memory.flush_index()
        assert memory.store is not None
        hits = (await memory.store.search(Query(text="kayak paddle river", limit=20))).hits
    parts = [
        place
        for place, hit in enumerate(hits)
        if hit.text in answer or "ayak rule" in hit.text or "kayak 第" in hit.text
    ]
    others = [place for place, hit in enumerate(hits) if hit.text in OTHERS]
    assert len(others) == len(OTHERS)
    assert parts
    assert all(place > max(others) for place in parts[1:])
    assert len(parts) > 1 or answer == ANSWER[:400]
