"""The exchange that the README shows is what the memory puts beside the question."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.clock import ManualClock
from tests.docs.pages import CHINESE_README, README

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 60},
        "plugins": {
            "storage": {"embedding_provider": "none"},
            "recall": {"recall_timeout": 60},
            "nanobot": {"enabled": False},
        },
    }
)


def part_of(page: Path, heading: str) -> str:
    return page.read_text(encoding="utf-8").split(f"{heading}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize(("page", "heading"), [(README, "## One exchange"), (CHINESE_README, "## 一次对话")])
async def test_the_line_beside_the_question_is_the_one_that_is_shown(
    page: Path, heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,consolidation")  # none of others
    part = part_of(page, heading)
    said, asked = re.findall(r"\*([^*|]{15,})\*", part.split("|", 1)[0])
    shown = re.search(r"\[2[^\]]*2[^\]]*\] user: [^|]+?(?= \|)", part)
    assert shown is not None
    clock = ManualClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    async with MemoryHost(tmp_path, config=CONFIG, clock=clock) as memory:
        await memory.message_received(session_key="monday", text=said)
        await memory.message_sent(session_key="monday", text="OK.")
        await memory.flush_index()
        clock.set(datetime(2026, 3, 5, 15, 20, tzinfo=UTC))
        context = await memory.message_received(session_key="thursday", text=asked)
    assert shown[0] in (context.block or "")
