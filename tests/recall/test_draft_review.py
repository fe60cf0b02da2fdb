"""What an unsure draft brings, through `MemoryHost` and the real store: further memories, once, and only new ones."""

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Origin
from tests.recall.test_injection import CONFIG, TIME

QUESTION = "do you remember the telescope?"
UNSURE = "I'm not sure, I don't remember that."


async def review(memory: MemoryHost, draft: str = UNSURE) -> str | None:
    return await memory.review_draft(session_key="cli:new", text=QUESTION, draft=draft)


TOLD = (
    "Anna bought a telescope in Ghent",
    "the cat broke the old telescope",
    "a telescope needs a dark garden",
    "Ben paints his telescope green",
    "that telescope cost 800 euros",
    "Carla lends the telescope to schools",
    "clouds again, the telescope stays inside",
    "my telescope shows four moons of Jupiter",
    "Dora wants a smaller telescope for travel",
    "the mirror of the telescope was cleaned in May",
    "Emil sold his telescope and regrets it",
    "a museum in Delft has the first telescope",
)


async def remember_telescopes(memory: MemoryHost, count: int) -> None:
    for tldr in TOLD[:count]:
        await memory.keep(Note(tldr=tldr, time=TIME, origin=Origin.USER))
    await memory.flush_index()


@pytest.fixture
async def memory(tmp_path):
    async with MemoryHost(tmp_path, config=MemoryConfig.model_validate(CONFIG)) as host:
        yield host


async def test_an_unsure_draft_brings_memories_that_were_not_shown(memory):
    await remember_telescopes(memory, 12)
    first = (await memory.message_received(session_key="cli:new", text=QUESTION)).block
    assert first is not None
    assert first.count("telescope") == 8
    second = await review(memory)
    assert second is not None
    assert second.count("telescope") == 12


async def test_a_draft_is_reviewed_once_for_each_message(memory):
    await remember_telescopes(memory, 12)
    await memory.message_received(session_key="cli:new", text=QUESTION)
    assert await review(memory)
    assert await review(memory) is None
    await memory.message_received(session_key="cli:new", text=QUESTION)
    assert await review(memory)


async def test_a_sure_draft_brings_nothing_and_may_be_followed_by_an_unsure_one(memory):
    await remember_telescopes(memory, 12)
    await memory.message_received(session_key="cli:new", text=QUESTION)
    assert await review(memory, "It is red.") is None
    assert await review(memory)


async def test_a_draft_is_not_made_again_for_the_same_evidence(memory):
    await remember_telescopes(memory, 3)
    first = (await memory.message_received(session_key="cli:new", text=QUESTION)).block
    assert first is not None
    assert first.count("telescope") == 3
    assert await review(memory) is None
