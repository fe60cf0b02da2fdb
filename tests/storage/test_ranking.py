"""The features of a passage, and the learned order that weights them."""

import math
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.candidates import Candidates, score_terms
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.question_terms import idf_of
from nanobot_memory_plugins.storage.ranking import WITH_MEANING, WORDS_ALONE, features, rank
from tests.storage.builders import document

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
IDF = {"tea": 3.0, "port": 1.0}


def row(text: str, ordinal: int = 0, path: str = "a", **more) -> Document:
    given = {"origin": Origin.USER, "time": None, "source": "transcript", **more}
    return document(f"{path}{ordinal}", text, path=path, ordinal=ordinal, **given).with_terms()


def candidates(*rows: Document, cosines: tuple[float, ...] = ()) -> Candidates:
    return Candidates(rows, IDF, np.array(cosines or [math.nan] * len(rows)))


def feature(name: str, *rows: Document, text: str = "tea port", cosines: tuple[float, ...] = ()) -> list[float]:
    return features(candidates(*rows, cosines=cosines), text)[name].tolist()


def test_words_are_a_share_of_the_best_and_length_is_a_bounded_logarithm():
    rows = row("tea port"), row("port", path="b"), row("x " * 500, path="c")
    assert feature("words", *rows)[0] == 1.0 > feature("words", *rows)[1] > 0.0
    assert feature("length", *rows) == pytest.approx([math.log(3), math.log(2), math.log(33)])


def test_the_neighbours_of_a_passage_count():
    rows = row("tea?", 4), row("port", 5), row("nothing", 9)
    assert feature("neighbours", *rows) == [1.0, 1.0, 0.0]
    assert feature("asked_before_words", *rows) == [0.0, 0.75, 0.0]
    assert feature("asked_before_meaning", *rows, cosines=(0.9, 0.1, 0.1)) == [0.0, 0.9, 0.0]
    assert feature("question", *rows) == [1.0, 0.0, 0.0]


def test_the_best_passage_of_a_session_counts_for_the_whole_session():
    same = [row(text, place * 10) for place, text in enumerate(("tea port", "port", "nothing"))]
    *inside, outside = feature("session_words", *same, row("port", path="b"))
    assert inside == [1.0, 1.0, 1.0]
    assert outside < 1.0


def test_a_named_speaker_is_raised_and_the_others_are_lowered():
    rows = row("tea", speaker="Ann"), row("tea", path="b", speaker="Bob")
    assert feature("named_speaker", *rows, text="What did Ann say?") == [1.0, -1.0]
    assert feature("named_speaker", *rows, text="What was said?") == [0.0, 0.0]


@pytest.mark.parametrize(("cosines", "table"), [((), WORDS_ALONE), ((0.5, 0.7), WITH_MEANING)])
def test_the_learned_order_is_the_weighted_sum_of_the_features(cosines, table):
    asked = candidates(row("tea"), row("port", path="b", speaker="ann"), cosines=cosines)
    scores, parts = rank(asked, "tea of Ann", NOW, SearchOptions())
    found = features(asked, "tea of Ann")
    assert scores.tolist() == pytest.approx(sum(table[name] * found[name] for name in table).tolist())
    assert {name: weight for name, (weight, _) in parts.items()} == table


def test_the_tables_name_exactly_the_features_at_most_a_dozen():
    known = set(features(candidates(row("tea")), "tea"))
    assert set(WITH_MEANING) == known
    assert set(WORDS_ALONE) == {name for name in known if not name.endswith("meaning")} - {"similarity"}
    assert len(known) <= 12


def test_the_documentation_has_the_weights_of_the_tables():
    page = Path(__file__).parents[2].joinpath("docs", "retrieval.md").read_text(encoding="utf-8")
    with_meaning: dict[str, float] = {}
    words_alone: dict[str, float] = {}
    for names, weights, by_words in re.findall(r"^\| (`\w+`.*) \| .+ \| ([-\d., ]+) \| (?:([-\d.]+) )?\|$", page, re.M):
        named = re.findall(r"`(\w+)`", names)
        with_meaning |= zip(named, map(float, weights.split(", ")), strict=True)
        words_alone |= {named[0]: float(by_words)} if by_words else {}
    assert (with_meaning, words_alone) == (WITH_MEANING, WORDS_ALONE)


def test_bm25_and_coverage_computed_by_hand():
    idf = idf_of(("tea", "port"), {"tea": 9, "port": 1}, 200)
    assert idf["tea"] == pytest.approx(math.log(1 + 191.5 / 9.5))
    assert idf["port"] == pytest.approx(math.log(1 + 199.5 / 1.5))
    found = score_terms(["tea tea x y", "port z", ""], idf)
    # Average length 2, k1 = 1.2, b = 0.75.
    assert found.bm25.tolist() == pytest.approx(
        [
            idf["tea"] * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 2)),
            idf["port"] * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 2)),
            0.0,
        ]
    )
    assert found.coverage[0] == pytest.approx(idf["tea"] / (idf["tea"] + idf["port"]))
    assert found.matched.tolist() == [[True, False, False], [False, True, False]]
    assert found.lengths.tolist() == [4, 2, 0]
