"""A session of many messages in a small window. ``NANOBOT_MEMORY_LONG_SESSION=2000`` makes it longer."""

import os

import pytest

from nanobot_memory_plugins.core.testing.scripted_server import ScriptedServer
from tests.support.nanobot import OFFLINE, Installation
from tests.support.token_counts import count_like_a_model
from tests.together.long_session import ACKNOWLEDGED, MAX_TOKENS, WINDOW, Course, converse, facts, script

pytestmark = pytest.mark.slow

MESSAGES = int(os.environ.get("NANOBOT_MEMORY_LONG_SESSION", "120"))
# The limits of a turn are out of the way, and the machine's vectors: what is shown is not the speed.
MEMORY = {
    "core": {"messageLimit": 30},
    "recall": {"recallTimeout": 20},
    "nanobot": {"startLimit": 60},
    "storage": {"embeddingProvider": "none"},
}


@pytest.fixture
async def course(tmp_path, monkeypatch) -> Course:
    with ScriptedServer(script(), default=ACKNOWLEDGED) as server:
        nanobot = Installation(tmp_path, server, MEMORY, contextWindowTokens=WINDOW, maxTokens=MAX_TOKENS)
        for name, value in {**OFFLINE, "HOME": str(nanobot.home)}.items():
            monkeypatch.setenv(name, value)
        count_like_a_model(monkeypatch, tmp_path / "tokens")
        return await converse(nanobot, server, MESSAGES // 2, facts(MESSAGES // 10))


async def test_a_long_session_stays_in_its_window_and_forgets_nothing(course: Course):
    assert course.largest_prompt + MAX_TOKENS <= WINDOW
    assert set(course.replies) == {ACKNOWLEDGED}
    assert [fact.question for fact in course.forgotten] == []
    assert course.compactions >= MESSAGES // 100
    assert len(course.systems) == course.compactions + 1
    assert 0 < course.background_tokens <= 0.15 * course.foreground_tokens
