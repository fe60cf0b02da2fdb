"""A short answer is recalled together with its question."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Query
from tests.support.patient import patient_config

CONFIG = patient_config(recall={"min_share_of_best": 0})
QUESTION = "Which size of gloves do you wear?"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[MemoryHost]:
    async with MemoryHost(tmp_path / "workspace", config=CONFIG) as host:
        yield host


async def told(memory: MemoryHost, *turns: tuple[str, str], session: str = "cli:old") -> None:
    for user, assistant in turns:
        await memory.message_received(session_key=session, text=user)
        await memory.message_sent(session_key=session, text=assistant)
    await memory.flush_index()


async def lines_for(memory: MemoryHost, text: str, session: str = "cli:new") -> list[str]:
    block = (await memory.message_received(session_key=session, text=text)).block
    return [line for line in (block or "").splitlines() if line.startswith("- ")]


async def line_with(memory: MemoryHost, words: str, text: str, session: str = "cli:new") -> str:
    return next(line for line in await lines_for(memory, text, session) if words in line)


async def test_an_answer_of_the_assistant_is_shown_with_its_question(memory):
    await told(memory, ("Where is the spare key of the cellar?", "In the blue tin above the fridge, behind the tea."))
    line = await line_with(memory, "blue tin", "Do you remember where the spare key of the cellar is?")
    assert 'assistant, asked "Where is the spare key of the cellar?": In the blue tin above the fridge' in line


async def test_a_much_longer_answer_is_shown_without_its_question(memory):
    await told(memory, ("Where is the spare key?", "The spare key of the cellar is in the tin, behind the tea."))
    line = await line_with(memory, "in the tin", "Do you remember where the spare key of the cellar is?")
    assert "asked" not in line


async def test_an_answer_of_the_user_is_shown_with_the_question_of_the_assistant(memory):
    await told(
        memory, ("I need new gloves for work.", f"Happy to look. {QUESTION}"), ("Nine and a half, wide gloves.", "OK.")
    )
    line = await line_with(memory, "Nine and a half", "Do you remember which size of gloves I wear?")
    assert f'user, asked "{QUESTION}": Nine and a half' in line


async def test_each_part_of_a_long_answer_is_shown_with_the_question(memory):
    question = "How do I repair the pump of the boiler?"
    parts = [
        f"Step {number}: the pump of the boiler has a valve {number}. " + "Turn it slowly. " * 40 for number in range(9)
    ]
    await told(memory, (question, "\n\n".join(parts)))
    assert memory.store is not None
    hits = (await memory.store.search(Query("valve of the pump of the boiler"))).hits
    answers = [hit for hit in hits if "valve" in hit.text]
    assert len(answers) > 1
    assert {hit.answers for hit in answers} == {question}
