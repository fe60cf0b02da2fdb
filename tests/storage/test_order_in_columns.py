"""The order that is made of whole columns is the one that is defined passage by passage."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.bm25 import scores_of
from nanobot_memory_plugins.storage.features import FeatureQuery, features_of
from nanobot_memory_plugins.storage.lexical import score_terms
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.ranking import rank
from nanobot_memory_plugins.storage.weights import WITH_MEANING, WORDS_ALONE
from tests.storage.order_by_definition import features_of as features_by_definition
from tests.storage.passages import Passage, columns_of, rows_of

NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
IDF = {"tea": 3.0, "port": 1.0, "ann": 0.3}
NEAR = 1e-9
TEXTS = (
    "words", "Where is the saddle?", "I lost it. Do you know where?", "I always add units when I ask.", "three cats",
    "We met last Friday, in Lisbon.", "马鞍放在哪里？", "以后都用中文", "我看了《小王子》", "",
)  # fmt: skip
QUESTIONS = (
    "tea port", "When did Ann move?", "how many ports?", "Where do I live?", "What did you recommend last Friday?",
    "哪部电影", "上周五吃了什么", "suggest a book", "",
)  # fmt: skip

moments = st.none() | st.integers(-24 * 14, 0).map(lambda hours: NOW + timedelta(hours=hours))
passages = st.builds(
    Passage,
    text=st.sampled_from(TEXTS),
    bm25=st.sampled_from((0.0, 0.5, 1.25, 4.0, 7.5)),
    coverage=st.sampled_from((0.0, 0.25, 0.75, 1.0)),
    matched=st.frozensets(st.sampled_from(sorted(IDF))),
    similarity=st.none() | st.sampled_from((-0.25, 0.0, 0.125, 0.5, 0.75, 1.0)),
    place=st.tuples(st.sampled_from(("a", "b", "c")), st.integers(0, 6)),
    speaker=st.sampled_from(("", "ann", "bob")),
    origin=st.sampled_from(tuple(Origin)),
    length=st.integers(0, 60),
    time=moments | st.just(datetime(2026, 2, 27, 9)),  # files may name no zone
)


@given(st.lists(passages, max_size=24), st.sampled_from(QUESTIONS))
def test_every_feature_and_score_is_what_it_is_for_each_passage_alone(found: list[Passage], text: str) -> None:
    question = FeatureQuery.of(text, IDF, NOW)
    expected = features_by_definition(found, question)
    rows = rows_of(features_of(columns_of(found, IDF), question))
    assert len(rows) == len(expected)
    for row, one in zip(rows, expected, strict=True):
        assert {name for name, value in one.items() if abs(getattr(row, name) - value) > NEAR} == set()
    table = WITH_MEANING if any(one.similarity is not None for one in found) else WORDS_ALONE
    scores = [sum(weight * one[name] for name, weight in table.items()) for one in expected]
    ranked = rank(columns_of(found, IDF), question, NOW, SearchOptions())
    assert all(abs(score - other) <= NEAR for score, other in zip(ranked, scores, strict=True))


@given(
    st.lists(st.lists(st.sampled_from(("tea", "port", "x", "te", "a", "茶", "茶叶"))), max_size=8),
    st.sets(st.sampled_from(("tea", "port", "a", "茶", "nowhere"))),
)
def test_the_words_of_all_texts_are_counted_at_once_as_one_by_one(texts: list[list[str]], asked: set[str]) -> None:
    idf = {term: 1.0 + len(term) for term in sorted(asked)}
    scores = score_terms([" ".join(terms) for terms in texts], idf)
    for place, (bm25, coverage) in enumerate(scores_of(texts, idf)):
        assert abs(scores.bm25[place] - bm25) <= NEAR
        assert abs(scores.coverage[place] - coverage) <= NEAR
        assert {term for term, row in zip(idf, scores.matched, strict=True) if row[place]} == idf.keys() & texts[place]
        assert scores.lengths[place] == len(texts[place])
