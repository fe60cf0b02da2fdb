"""Two processes that remember, forget, consolidate and are edited beside, killed at random moments."""

import os

import pytest

from tests.behaviour.kit.killed_entries import killed_entries
from tests.behaviour.kit.life import Life

_ROUNDS = 200 if os.environ.get("NANOBOT_MEMORY_LONG") else 3


@pytest.mark.accept("EB-13")
def test_kills_at_random_moments_lose_nothing_that_was_acknowledged_and_double_nothing(life: Life):
    life.command("entries", "remember", "The user has a dog")
    told = killed_entries(life.folder, _ROUNDS, seed=1)
    assert (told["lost"], told["doubled"], told["back"], told["problems"]) == ([], [], [], [])
    assert told["remembered"] >= _ROUNDS
