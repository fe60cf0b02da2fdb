"""A damaged file of entries is put right at the start, and while a host runs, before anybody writes."""

import asyncio
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.values import Query

CONFIG = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})
_CATS = ("Tabby", "Minka", "Felix", "Momo")
_LONGEST = 20.0


def count(text: str) -> int:
    return sum(cat in text for cat in _CATS)


async def remember_four(memory: MemoryHost) -> None:
    (remember,) = (tool for tool in memory.tools() if tool.name == "remember")
    for cat in _CATS:
        await remember.run({"text": f"The neighbour's cat in house {cat[0]} is called {cat}"}, session_key="plain")


def damaged(data: bytes, how: str) -> bytes:
    half = data[: data.rindex(b"### [") + 8]
    return {"empty": b"", "erased": b"\xff" * len(data), "zeroed": b"\0" * len(data), "half": half}[how]


def kept_aside(file: Path, bad: bytes) -> bool:
    return not bad or any(path.read_bytes() == bad for path in file.parent.glob(f"{file.name}.aside-*"))


@pytest.mark.parametrize("how", ["empty", "erased", "zeroed", "half"])
def test_a_restart_puts_the_good_copy_in_place_before_anything_is_written(tmp_path: Path, how: str) -> None:
    file = tmp_path / "memory" / "ENTRIES.md"

    async def before() -> None:
        async with MemoryHost(tmp_path, config=CONFIG) as memory:
            await remember_four(memory)
            await memory.flush_index()

    async def after() -> tuple[int, int, int]:
        async with MemoryHost(tmp_path, config=CONFIG) as memory:
            base = memory.base_context()
            received = await memory.message_received(session_key="other", text="What is the neighbour's cat called?")
            await memory.flush_index()
            found = await memory.search(Query(text="neighbour cat", limit=50))
            hits = " ".join(hit.text for hit in found.hits if hit.source == "long_term")
            return count(base), count(received.block or ""), count(hits)

    asyncio.run(before())
    bad = damaged(file.read_bytes(), how)
    file.write_bytes(bad)
    base, recalled, found = asyncio.run(after())
    assert (base, found) == (4, 4)
    assert recalled > 0
    assert count(file.read_text()) == 4
    assert kept_aside(file, bad)


async def test_the_next_prompt_of_a_running_host_puts_it_right(tmp_path: Path) -> None:
    file = tmp_path / "memory" / "ENTRIES.md"
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await remember_four(memory)
        bad = damaged(file.read_bytes(), "half")
        file.write_bytes(bad)
        assert count(memory.base_context()) == 3
        memory.prompt_entries(memory.base_context(), session_key="plain")
        end = time.monotonic() + _LONGEST
        while count(memory.base_context()) < 4 and time.monotonic() < end:
            await asyncio.sleep(0.05)
        assert count(memory.base_context()) == 4
        assert kept_aside(file, bad)


async def test_what_a_person_takes_out_stays_out(tmp_path: Path) -> None:
    file = tmp_path / "memory" / "ENTRIES.md"
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        await remember_four(memory)
        whole = file.read_text()
    file.write_text(whole[: whole.rindex("### [")])
    async with MemoryHost(tmp_path, config=CONFIG) as memory:
        assert count(memory.base_context()) == 3
    assert not list(file.parent.glob("*.aside-*"))
