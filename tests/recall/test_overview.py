"""A request for all about a thing is answered with what was told of it in several conversations."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.recall.test_need import CONFIG

TOLD = (
    "We bought a van on Saturday, a Transit from 2016.",
    "The van has a new clutch now, it cost 840 pounds.",
    "The van's insurance is with Adrian Flux, the van is covered until March.",
    "My cello lesson is on Thursdays.",
    "装修找了陈师傅，报价七万六。",
    "装修推迟到六月八号开工。",
)


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall")
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        for number, text in enumerate(TOLD):
            await host.message_received(session_key=f"a{number}", text=text)
            await host.message_sent(session_key=f"a{number}", text="Vans and 装修 are a lot of work, all the best.")
        await host.flush_index()
        yield host


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Tell me everything about the van", ("Transit", "clutch", "Flux")),
        ("Please sum up where we stand with the van.", ("Transit", "clutch", "Flux")),
        ("把装修的事都说一下", ("陈师傅", "六月八号")),
    ],
)
async def test_it_shows_what_was_told_and_nothing_else(memory: MemoryHost, text: str, shown: tuple[str, ...]):
    block = (await memory.message_received(session_key="b", text=text)).block or ""
    assert all(one in block for one in shown)
    assert block.count("\n- ") == len(shown)


async def test_an_overview_of_what_was_never_told_gets_nothing(memory: MemoryHost):
    for text in ("Summarise the French Revolution", "Tell me everything about penguins", "总结一下唐朝的历史"):
        assert (await memory.message_received(session_key="c", text=text)).block is None


async def test_what_stands_in_the_context_is_not_told_again(memory: MemoryHost):
    said = [{"role": "user", "content": TOLD[1]}]
    context = await memory.message_received(session_key="b", text="Tell me everything about the van", history=said)
    assert "clutch" not in (context.block or "")
    assert "Transit" in (context.block or "")
