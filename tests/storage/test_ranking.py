"""The order of hits, against scores computed by hand."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from nanobot_memory_plugins.storage.search import ranking
from nanobot_memory_plugins.storage.search.lexical import idf_of, score_terms
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.ranking import Candidate, rank, recency, reciprocal_rank, weighted

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def candidate(bm25: float = 0.0, similarity: float | None = None, **more) -> Candidate:
    defaults = {"coverage": 0.0, "place": ("a", 0), "speaker": "", "is_question": False, "length": 0, "time": None}
    return Candidate(bm25=bm25, similarity=similarity, **{**defaults, **more})


@pytest.mark.accept("V3-07")
def test_weighted_fusion_is_the_weighted_mean_of_both_sides_normalised():
    # BM25 as shares of the best: 1, 0.5, 0. Cosines from the median 0.2 to the best 0.6: 0, 1, 0.
    scores = weighted([8.0, 4.0, 0.0], [0.2, 0.6, 0.1], SearchOptions(vector_weight=0.6, fts_weight=0.4))
    assert scores == pytest.approx([0.4 * 1 + 0.6 * 0, 0.4 * 0.5 + 0.6 * 1, 0.0])
    scores = weighted([8.0, 4.0, 0.0], [0.2, 0.6, 0.1], SearchOptions(vector_weight=0.5, fts_weight=0.3))
    assert scores == pytest.approx([0.3 / 0.8, (0.15 + 0.5) / 0.8, 0.0])


@pytest.mark.accept("V3-07")
def test_without_vectors_words_are_everything():
    assert weighted([8.0, 4.0], [None, None], SearchOptions()) == pytest.approx([1.0, 0.5])


@pytest.mark.accept("V3-07")
def test_reciprocal_rank_fusion_with_k_60():
    # By words: first, second, not found. By meaning: second, first, third.
    scores = reciprocal_rank([8.0, 4.0, 0.0], [0.5, 0.6, 0.1], SearchOptions(fusion="rrf"))
    assert scores == pytest.approx([1 / 61 + 1 / 62, 1 / 62 + 1 / 61, 1 / 63])
    scores = reciprocal_rank([8.0, 4.0], [None, None], SearchOptions(fusion="rrf", rrf_k=1))
    assert scores == pytest.approx([1 / 2, 1 / 3])


def test_recency_halves_with_the_half_life():
    assert recency(NOW - timedelta(days=30), NOW, 30) == pytest.approx(0.5)
    assert recency(NOW - timedelta(days=90), NOW, 30) == pytest.approx(0.125)
    assert recency(NOW + timedelta(days=9), NOW, 30) == 1.0
    assert recency(None, NOW, 30) == 0.0


def test_recency_joins_in_with_its_weight_and_long_term_memory_is_always_fresh():
    options = SearchOptions(vector_weight=0.5, fts_weight=0.3, recency_weight=0.2, context_boosts=False)
    old = NOW - timedelta(days=30)
    candidates = [candidate(8.0, 0.2, time=old), candidate(4.0, 0.6, time=NOW), candidate(0.0, 0.1, always_fresh=True)]
    expected = [0.3 + 0.2 * 0.5, 0.15 + 0.5 + 0.2, 0.2]
    assert rank(candidates, "x", NOW, options) == pytest.approx(expected)


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
