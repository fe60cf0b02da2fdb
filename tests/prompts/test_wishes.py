"""What the user wishes reaches the model where it learns, and nowhere else; nothing in a prompt is left unfilled."""

import json
from pathlib import Path

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.files.prompts import PromptFile, Prompts
from tests.behaviour.kit.long_talk import chat

NEVER = "nothing about health\nnever the names of my children"
PACKAGE = Path(__file__).parents[2] / "nanobot_memory_plugins"
PROMPTS = [PromptFile(file.parent, file.name[: -len(".en.md")]) for file in PACKAGE.glob("**/templates/*.en.md")]


def test_wishes_stand_in_the_prompts_that_learn_and_every_place_is_filled_in():
    told = set()
    for prompt in PROMPTS:
        for language in ("en", "zh"):
            assert "{" not in "".join(Prompts().fixed_texts(prompt, language)).replace('{"', "")
            messages = Prompts(NEVER).rendered(prompt, language, {})
            assert messages[-1]["role"] == "user"
            told |= {prompt.name for one in messages if NEVER in one["content"]}
    assert told == {"reading", "consolidation"}


async def test_they_are_asked_with_as_the_configuration_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    asked = []

    async def complete(messages, *, max_tokens: int, purpose: str) -> str:
        asked.append(messages[0]["content"])
        return json.dumps([])

    config = MemoryConfig.model_validate({"core": {"wishes": NEVER}})
    async with MemoryHost(tmp_path, config=config, llm=complete) as memory:
        told = chat("I moved to Leipzig last week and rent a flat there.", "Nice.")
        await memory.session_idle(session_key="cli:one", history=told, ended=True)
    assert NEVER in asked[0]
