import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.core.values import Query, Tier
from nanobot_memory_plugins.storage.database import Database
from tests.storage.builders import ChosenVectors, change, document, search_files, searcher
from tests.support.each import each
from tests.support.examples import examples

DOCUMENTS = [
    document("one", 'AND OR NOT NEAR "quoted" a* ^b body_terms:x (y) 中文 текст', tags=("near",)),
    document("two", "x\ud800y\x00z " + "long " * 500),
]
SYNTAX = st.sampled_from(
    [
        *"\"'*^(){}:+-%_\\\x00\ud800\udfff中a٣²ſ\u200d🙂\n ",
        "NEAR(",
        "AND",
        "OR",
        "NOT",
        "body_terms",
        "docs_fts",
        ";--",
        "文字",
    ]
)
TEXT = st.one_of(st.lists(SYNTAX, max_size=25).map("".join), st.text(st.characters(exclude_categories=[]), max_size=60))


@pytest.fixture(scope="module")
def searchers(tmp_path_factory):
    database = Database.open(tmp_path_factory.mktemp("hostile") / "memory.db")
    database.apply(change(*DOCUMENTS))
    model = ChosenVectors({"long": [1.0, 0.0]})
    model.fill(database)
    yield [searcher(database), searcher(database, model)]
    database.close()


@pytest.mark.accept("V3-08")
@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXT, tier=st.sampled_from(Tier), limit=st.integers(0, 70))
def test_no_query_makes_a_search_raise(searchers, text, tier, limit):
    query = Query(text, tier=tier, limit=limit)
    for one in searchers:
        assert len(one.search(query, tail=DOCUMENTS[1:]).hits) <= limit
    assert len(search_files(DOCUMENTS, query).hits) <= limit


@pytest.mark.accept("V3-08")
@each("unit", ["a", "word ", "中", '"', "NEAR(", "\x00", "a.", "1月"])
def test_a_query_of_a_megabyte_is_answered(searchers, unit):
    text = unit * (1_000_000 // len(unit))
    for one in searchers:
        assert one.search(Query(text)).hits is not None
    assert search_files(DOCUMENTS, Query(text)).hits is not None
