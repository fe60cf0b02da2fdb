"""What the context of a passage adds to its score, and its own score by words, by hand."""

import math
from datetime import UTC, datetime

import pytest

from nanobot_memory_plugins.storage.search import ranking
from nanobot_memory_plugins.storage.search.lexical import idf_of, score_terms
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.ranking import Candidate, rank

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def candidate(bm25: float = 0.0, similarity: float | None = None, **more) -> Candidate:
    defaults = {"coverage": 0.0, "place": ("a", 0), "speaker": "", "is_question": False, "length": 0, "time": None}
    return Candidate(bm25=bm25, similarity=similarity, **{**defaults, **more})


def test_neighbours_session_and_named_speaker_raise_a_passage_and_a_question_is_lowered():
    plain = candidate(4.0, place=("a", 5))
    alone = candidate(4.0, place=("b", 1))
    strong = candidate(8.0, place=("a", 6))
    order = rank([plain, alone, strong], "what", NOW, SearchOptions())
    assert order[0] - order[1] == pytest.approx(ranking.NEIGHBOURS * 1.0 + ranking.SESSION * (1.0 - 0.5))
    ann, bob = candidate(4.0, speaker="ann", place=("a", 1)), candidate(4.0, speaker="bob", place=("b", 1))
    order = rank([ann, bob], "what did Ann say", NOW, SearchOptions())
    assert order[0] - order[1] == pytest.approx(2 * ranking.NAMED_SPEAKER)
    asked, told = candidate(4.0, is_question=True, place=("a", 1)), candidate(4.0, place=("b", 1))
    order = rank([asked, told], "what", NOW, SearchOptions())
    assert order[0] - order[1] == pytest.approx(ranking.QUESTION)


def test_bm25_and_coverage_by_hand():
    idf = idf_of(("tea", "port"), {"tea": 9, "port": 1}, 200)
    assert idf["tea"] == pytest.approx(math.log(1 + 191.5 / 9.5))
    assert idf["port"] == pytest.approx(math.log(1 + 199.5 / 1.5))
    one, two = score_terms([["tea", "tea", "x", "y"], ["port", "z"]], idf)
    # Average length 3, k1 = 1.2, b = 0.75.
    assert one.bm25 == pytest.approx(idf["tea"] * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)))
    assert two.bm25 == pytest.approx(idf["port"] * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)))
    assert one.coverage == pytest.approx(idf["tea"] / (idf["tea"] + idf["port"]))
    assert two.coverage == pytest.approx(idf["port"] / (idf["tea"] + idf["port"]))
