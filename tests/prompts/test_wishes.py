"""What the user wishes reaches the model where it learns, and nothing in a prompt is left unfilled."""

import json
import re
from datetime import date

import pytest

from nanobot_memory_plugins.consolidation.nightly.material import Material, make_prompt
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.values import Visibility
from tests.behaviour.kit.long_talk import chat

NEVER = "nothing about health\nnever the names of my children"
_UNFILLED = re.compile(r"\{[a-z_]+\}")


@pytest.mark.parametrize(
    "told", ["I moved to Leipzig last week and rent a flat there.", "我上周搬到了杭州，租了房子。"]
)
async def test_they_are_asked_with_as_the_configuration_says(tmp_path, monkeypatch, told: str):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
    asked = []

    async def complete(messages, *, max_tokens: int, purpose: str) -> str:
        asked.append("\n".join(one["content"] for one in messages))
        return json.dumps([])

    config = MemoryConfig.model_validate({"core": {"wishes": NEVER}})
    async with MemoryHost(tmp_path, config=config, llm=complete) as memory:
        await memory.session_idle(session_key="cli:one", history=chat(told, "Nice."), ended=True)
    assert NEVER in asked[0]
    assert not _UNFILLED.search(asked[0])


def test_they_are_asked_with_at_night():
    messages, _ = make_prompt(Material(Visibility()), NEVER, today=date(2026, 2, 16), tokens=4_000)
    assert NEVER in messages[0]["content"]
    assert not _UNFILLED.search("\n".join(one["content"] for one in messages))
