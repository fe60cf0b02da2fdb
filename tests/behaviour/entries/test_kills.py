"""Two processes that record, remember and forget while the file is edited, killed at random moments."""

import os

import pytest

from tests.behaviour.kit.killed_entries import killed_entries
from tests.behaviour.kit.life import Life

_ROUNDS = 200 if os.environ.get("NANOBOT_MEMORY_LONG") else 2


@pytest.mark.accept("EB-13", "V5-12")
def test_processes_killed_at_random_moments_lose_and_duplicate_nothing(life: Life):
    life.command("entries", "remember", "The user has a dog")
    result = killed_entries(life.folder, _ROUNDS, seed=1)
    assert (result["lost"], result["doubled"], result["back"], result["problems"]) == ([], [], [], [])
    assert result["remembered"] >= _ROUNDS
    assert len(result["recorded"]) >= 2 * _ROUNDS
    assert len(life.transcript("cli:records-r0p0")) >= 1
    assert life.command("search", f"begin{result['recorded'][-1]}", "--json").json["hits"]
