"""What speaks for a passage, feature by feature, and how the learned table makes an order of it."""

import math
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage import weights
from nanobot_memory_plugins.storage.bm25 import idf_of
from nanobot_memory_plugins.storage.expected_answer_type import AnswerKind
from nanobot_memory_plugins.storage.features import QUESTION_CHARS, FeatureQuery, Features, features_of
from nanobot_memory_plugins.storage.lexical import score_terms
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.query_signals import AskedSpeaker
from nanobot_memory_plugins.storage.ranking import RECENCY_LOG_ODDS, odds, rank
from tests.storage.passages import Passage, columns_of, rows_of
from tests.support.each import each

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)  # a Friday
IDF = {"tea": 3.0, "port": 1.0}


def candidate(bm25: float = 0.0, similarity: float | None = None, *, text: str = "words", **more) -> Passage:
    return Passage(text=text, bm25=bm25, similarity=similarity, **more)


def features(*candidates: Passage, text: str = "tea port") -> list[SimpleNamespace]:
    return rows_of(features_of(columns_of(candidates, IDF), FeatureQuery.of(text, IDF, NOW)))


def test_words_are_shares_of_the_best_and_the_length_is_a_logarithm_that_ends():
    best, half = features(candidate(8.0, length=10), candidate(4.0, length=500, place=("b", 0)))
    assert (best.words, half.words) == (1.0, 0.5)
    assert best.length == pytest.approx(math.log(11))
    assert half.length == pytest.approx(math.log(33))


def test_what_stands_beside_a_passage_counts_for_it():
    before = candidate(8.0, 0.9, text="Tea?", coverage=0.75, matched=frozenset({"tea"}), place=("a", 4))
    plain = candidate(0.0, 0.1, matched=frozenset({"port"}), coverage=0.25, place=("a", 5))
    far = candidate(0.0, 0.1, place=("a", 9))
    asked, beside, alone = features(before, plain, far)
    assert (beside.next_words, alone.next_words) == (1.0, 0.0)
    assert beside.next_meaning == pytest.approx(math.sqrt(2), rel=1e-6)  # 0.9 among 0.9, 0.1 and 0.1
    assert (beside.asked_before_coverage, asked.asked_before_coverage) == (0.75, 0.0)
    assert (beside.window_coverage, alone.window_coverage) == (1.0, 0.0)
    assert (asked.question, beside.question) == (1.0, 0.0)


def test_the_best_of_a_session_counts_for_all_of_it():
    same = [candidate(value, place=("a", place * 10)) for place, value in enumerate((8.0, 4.0, 2.0, 0.0))]
    *inside, outside = features(*same, candidate(2.0, place=("b", 0)))
    assert {one.session_words for one in inside} == {1.0}
    assert {one.session_words_mean for one in inside} == {(1.0 + 0.5 + 0.25) / 3}
    assert outside.session_words == outside.session_words_mean == 0.25


def test_hours_without_a_message_part_two_sessions_of_one_file():
    def at(hours: float, ordinal: int, bm25: float) -> Passage:
        return candidate(bm25, place=("a", ordinal), time=NOW + timedelta(hours=hours))

    early, soon, late = features(at(0, 0, 8.0), at(2, 1, 0.0), at(9, 2, 2.0))
    assert (early.session_words, soon.session_words, late.session_words) == (1.0, 1.0, 0.25)
    assert late.next_words == 0.0  # what was said before the pause is no neighbour


def test_a_named_speaker_is_raised_and_the_others_are_lowered():
    ann, bob = candidate(speaker="ann"), candidate(speaker="bob", place=("b", 0))
    assert [one.named_speaker for one in features(ann, bob, text="What did Ann say?")] == [1.0, -1.0]
    assert [one.named_speaker for one in features(ann, bob, text="What was said?")] == [0.0, 0.0]


@each(
    ("question", "user", "assistant"),
    [
        ("What is my port?", 1.0, -1.0),
        ("What did you recommend?", -1.0, 1.0),
        ("我的猫叫什么", 1.0, -1.0),
        ("你给我推荐过哪些书", -1.0, 1.0),
        ("Which port?", 0.0, 0.0),
    ],
)
def test_i_and_you_in_a_question_say_whose_words_answer_it(question, user, assistant):
    said = [candidate(), candidate(place=("b", 0), origin=Origin.ASSISTANT), candidate(origin=Origin.TOOL)]
    assert [one.by_asked_person for one in features(*said, text=question)] == [user, assistant, 0.0]


@each(
    ("question", "text", "kind"),
    [
        ("When did we meet?", "We met last Friday.", "answer_time"),
        ("什么时候搬家", "5月2号搬", "answer_time"),
        ("How many cats?", "three cats", "answer_number"),
        ("多少钱", "八百块", "answer_number"),
        ("Where do you live?", "I moved to Lisbon.", "answer_name"),
        ("哪部电影", "我看了《小王子》", "answer_name"),
        ("哪个编辑器", "我用 Helix", "answer_name"),
    ],
)
def test_a_text_that_holds_what_the_question_asks_for_is_raised(question, text, kind):
    right, wrong = features(candidate(text=text), candidate(text="nothing", place=("b", 0)), text=question)
    assert (getattr(right, kind), getattr(wrong, kind)) == (1.0, 0.0)
    (unasked,) = features(candidate(text=text), text="tea")
    assert getattr(unasked, kind) == 0.0


def test_capitals_of_english_sentences_are_no_names_to_a_chinese_question():
    beside, own = "梯子不见了。By the way, the mirror is in Bergen.", "梯子放在长沙"
    asked = features(candidate(text=beside), candidate(text=own, place=("b", 0)), text="梯子放在哪里")
    assert [one.answer_name for one in asked] == [0.0, 0.0]


@pytest.mark.parametrize("question", ["What did I eat last Friday?", "上周五吃了什么"])
def test_a_day_that_is_named_in_relation_to_now_raises_what_was_said_then(question):
    then = candidate(time=NOW - timedelta(days=7))
    other = candidate(time=NOW - timedelta(days=5), place=("b", 0))
    assert [one.in_named_time for one in features(then, other, candidate(), text=question)] == [1.0, 0.0, 0.0]


def test_the_learned_order_is_the_weighted_sum_of_the_features():
    plain, named = candidate(4.0, speaker="bob"), candidate(4.0, speaker="ann", place=("b", 0))
    question = FeatureQuery.of("what of Ann", IDF, NOW)
    order = rank(columns_of([plain, named], IDF), question, NOW, SearchOptions())
    assert order[1] - order[0] == pytest.approx(2 * weights.WORDS_ALONE["named_speaker"])
    similar = [candidate(4.0, 0.5), candidate(4.0, 0.5, place=("b", 0), length=3)]
    order = rank(columns_of(similar, IDF), question, NOW, SearchOptions())
    assert order[1] - order[0] == pytest.approx(weights.WITH_MEANING["length"] * math.log(4))


def test_recency_is_added_to_the_learned_order_where_it_is_asked_for():
    now, old = candidate(time=NOW), candidate(time=NOW - timedelta(days=30), place=("b", 0))
    question = FeatureQuery.of("tea", IDF, NOW)
    order = rank(
        columns_of([now, old], IDF), question, NOW, SearchOptions(recency_weight=0.2, recency_half_life_days=30)
    )
    assert order[0] - order[1] == pytest.approx(0.2 * RECENCY_LOG_ODDS * 0.5)


def test_scores_are_shown_as_odds_to_the_best_or_as_its_shares():
    assert odds([-3.0, -1.0], SearchOptions()) == pytest.approx([math.exp(-2), 1.0])
    assert odds([0.5, 0.25], SearchOptions(context_boosts=False)) == [1.0, 0.5]
    assert odds([], SearchOptions()) == []


def test_the_tables_name_features_only():
    known = set(Features.__dataclass_fields__)
    assert set(weights.WITH_MEANING) == known
    assert set(weights.WORDS_ALONE) == {name for name in known if not name.endswith("meaning")} - {"similarity"}


def test_bm25_and_coverage_by_hand():
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


def test_a_question_of_a_megabyte_is_looked_at_for_its_beginning_only():
    question = FeatureQuery.of("When did I move? " + "a.a.a." * 170_000, IDF, NOW)
    assert (question.kinds, question.person) == ({AnswerKind.TIME}, AskedSpeaker.USER)
    assert len(question.text) == QUESTION_CHARS


@each(
    ("text", "is_bare"),
    [
        ("Where is the saddle?", True),
        ("马鞍放在哪里？", True),
        ("Where is v0.3.5 kept?", True),
        ("I lost the saddle. Do you know where it is?", False),
        ("马鞍丢了。你知道在哪里吗？", False),
        ("The saddle is here.", False),
    ],
)
def test_a_question_and_nothing_else_is_lowered_below_what_answers_it(text, is_bare):
    asked, told = features(candidate(text=text), candidate(text="It hangs in the barn.", place=("b", 0)), text="tea")
    assert (asked.bare_question, told.bare_question) == (float(is_bare), 0.0)
    assert weights.WITH_MEANING["bare_question"] < -3 > weights.WORDS_ALONE["bare_question"]
