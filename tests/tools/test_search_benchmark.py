"""The search benchmark runs, and prints its bounds."""

import os
import re

import pytest

from benchmarks import hostile_texts, search


@pytest.mark.slow
@pytest.mark.accept("LR-08")
@pytest.mark.parametrize("language", search.LANGUAGES if os.environ.get("NANOBOT_MEMORY_LONG") else ["chinese"])
def test_the_percentiles_and_means_stand_beside_the_limits(language, monkeypatch, capsys):
    monkeypatch.setattr(search, "QUESTIONS", 4)
    monkeypatch.setattr(search, "MESSAGES", 4)
    monkeypatch.setattr(search, "HOSTILE_REPETITIONS", 1)
    monkeypatch.setattr(hostile_texts, "_UNITS", ("a", "中"))
    search.main(["--size", "500", "--language", language])
    printed = capsys.readouterr().out
    for tier, limit in (("probe", 80), ("light", 180), ("heavy", 450)):
        assert re.search(
            rf"^  {tier}, 95th percentile +[\d.]+ ms +\(at most {limit}: (yes|NO)\)$", printed, re.MULTILINE
        )
    for tier, limit in (("light", 200), ("heavy", 500)):
        assert re.search(rf"^  {tier}, mean +[\d.]+ ms +\(at most {limit}: (yes|NO)\)$", printed, re.MULTILINE)
    assert re.search(r"^  heavy, 95th percentiles beside the parts +[\d.]+ x +\(at most 3:", printed, re.MULTILINE)
