"""The benchmark of searches runs, and says what is promised of it."""

import os
import re

import numpy as np
import pytest

from benchmarks import hostile_texts, search
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.search.full_text import FullText
from nanobot_memory_plugins.storage.segmentation import query_terms
from nanobot_memory_plugins.tools.bench import made_up


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


@pytest.mark.slow
@pytest.mark.parametrize("make", [made_up.english, made_up.chinese])
def test_made_up_words_are_as_uneven_as_real_ones(make, tmp_path):
    language = make()
    assert len(set(language.words)) == len(language.words)
    database = Database.open(tmp_path / "memory.db")
    made_up.fill(database, language, 1_000)
    made_up.embed(database, "random", 8)
    counts = database.counts()
    assert (counts.documents, counts.vectors, counts.pending_vectors) == (1_000, 1_000, 0)
    terms = [term for n in range(40) for term in query_terms(language.text(8, np.random.default_rng(n)))]
    found = FullText(database.connection).frequencies(terms)
    # Of the terms of questions some stand in a fiftieth of all passages, and half in a two-hundredth at most.
    assert max(found.values()) > 20
    assert np.median([found.get(term, 0) for term in terms]) < 5
    database.close()


def test_hostile_texts_are_a_megabyte():
    for text in hostile_texts.long_texts():
        assert 900_000 <= len(text.encode("utf-8", "surrogatepass")) <= 1_000_000
