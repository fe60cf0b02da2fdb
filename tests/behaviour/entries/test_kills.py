"""Two processes that keep records, remember, forget and are edited beside, killed at random moments."""

import os

import pytest

from tests.behaviour.kit.killed_entries import killed_entries
from tests.behaviour.kit.life import Life

_ROUNDS = 200 if os.environ.get("NANOBOT_MEMORY_LONG") else 2


@pytest.mark.accept("EB-13", "V5-12")
def test_kills_at_random_moments_lose_nothing_that_was_acknowledged_and_double_nothing(life: Life):
    life.command("entries", "remember", "The user has a dog")
    told = killed_entries(life.folder, _ROUNDS, seed=1)
    assert (told["lost"], told["doubled"], told["back"], told["problems"]) == ([], [], [], [])
    assert told["remembered"] >= _ROUNDS
    assert len(told["recorded"]) >= 2 * _ROUNDS
    assert len(life.transcript("cli:records-r0p0")) >= 1
    assert life.command("search", f"begin{told['recorded'][-1]}", "--json").json["hits"]
