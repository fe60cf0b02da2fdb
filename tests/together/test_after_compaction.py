"""What the model sees after a cut, on the real nanobot with all plugins."""

import pytest

from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ScriptedServer, text_of
from nanobot_memory_plugins.core.text.fence import PREFIX, SUFFIX
from tests.support.nanobot import OFFLINE, Installation
from tests.support.token_counts import count_like_a_model

MEMORY = {
    "core": {"messageLimit": 30},
    "recall": {"recallTimeout": 20},
    "nanobot": {"startLimit": 60},
    "storage": {"embeddingProvider": "none"},
}
TOLD = "The spare key of the boathouse hangs behind the green barometer."
SUMMARY = "- Decision: the regatta is on 12 June\n- TODO: order sails\n- Open question: who cooks"


@pytest.mark.slow
@pytest.mark.accept("NC-07")
async def test_summary_recent_messages_and_recalled_memory_stay_after_flush_and_compaction(tmp_path, monkeypatch):
    rules = [ReplyRule(lambda request: not request.tool_names, Reply(SUMMARY))]
    with ScriptedServer(rules) as server:
        nanobot = Installation(tmp_path, server, MEMORY, contextWindowTokens=32_000, maxTokens=2_048)
        for name, value in {**OFFLINE, "HOME": str(nanobot.home)}.items():
            monkeypatch.setenv(name, value)
        count_like_a_model(monkeypatch, tmp_path / "tokens")
        loop = nanobot.loop()
        await loop.process_direct(TOLD)
        turns = 0
        while not any("[Summary of the earlier conversation]" in one.system for one in server.requests):
            assert turns < 60, "history was never cut"
            await loop.process_direct(f"remark {turns} on the regatta: " + "wind and waves again " * 130)
            turns += 1
        for extra in range(8):  # what was said before the cut leaves the messages that stay as they are
            await loop.process_direct(f"later {extra}: " + "sun and clouds again " * 130)
        await loop.process_direct("/compact")
        await loop.process_direct("And where does the boathouse key hang?")
        await loop.aclose()
    last = server.requests[-1]
    assert "the regatta is on 12 June" in last.system  # the summary
    assert "later 7:" in last.system  # recent messages, which nanobot puts below it
    asked = next(text_of(one) for one in reversed(last.messages) if one["role"] == "user")
    assert asked.index(PREFIX["en"]) < asked.index(TOLD) < asked.index(SUFFIX["en"])  # recalled, inside the fence
    notes = "".join(file.read_text(encoding="utf-8") for file in (nanobot.workspace / "memory").glob("2*.md"))
    assert "flush" in notes  # what was at stake was saved before the cut
    assert TOLD not in last.system.partition("Last messages, as they were:")[2]
