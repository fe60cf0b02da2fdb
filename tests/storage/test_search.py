from datetime import timedelta

import numpy as np
import pytest

from nanobot_memory_plugins.core.values import Level, Origin, Query, Scope
from nanobot_memory_plugins.storage.database import Database
from tests.storage.builders import NOW, ChosenVectors, change, document, search_files, searcher


@pytest.fixture
def database(tmp_path):
    database = Database.open(tmp_path / "memory.db")
    yield database
    database.close()


def keys(result) -> list[str]:
    return [hit.id for hit in result.hits]


SCOPED = [
    document("ana", "coffee", scope=Scope("a", "ana", "cli", "s1"), origin=Origin.USER, source="transcript"),
    document("bob", "coffee", scope=Scope("a", "bob", "cli", "s2"), origin=Origin.TOOL, source="observation"),
    document(
        "old", "coffee", scope=Scope("b"), origin=Origin.SUMMARY, time=NOW - timedelta(days=9), tags=("Work/Helix",)
    ),
    document("undated", "coffee", scope=Scope("b"), time=None, tags=("workshop", "Ärger")),
]


FILTERS = [
    ({}, {"ana", "bob", "old", "undated"}),
    ({"scope": Scope(agent="a")}, {"ana", "bob"}),
    ({"scope": Scope(user="bob")}, {"bob"}),
    ({"scope": Scope(channel="cli", session="s1")}, {"ana"}),
    ({"scope": Scope(agent="c")}, set()),
    ({"origins": frozenset({Origin.USER, Origin.TOOL})}, {"ana", "bob", "undated"}),
    ({"sources": frozenset({"observation"})}, {"bob"}),
    ({"since": NOW}, {"ana", "bob"}),
    ({"until": NOW - timedelta(days=9)}, {"old"}),
    ({"since": (NOW - timedelta(days=9)).replace(tzinfo=None), "until": NOW}, {"ana", "bob", "old"}),
    ({"exclude_records": frozenset({"ana", "old"})}, {"bob", "undated"}),
    ({"tags": frozenset({"WORK"})}, {"old"}),
    ({"tags": frozenset({"work/helix", "Ärger"})}, {"old", "undated"}),
    ({"tags": frozenset({"wor_/helix"})}, set()),
]


@pytest.mark.parametrize(("allow_vec", "resident_bytes"), [(True, 10_000_000), (True, 0), (False, 10_000_000)])
def test_filters_apply_to_words_vectors_and_the_tail(resident_bytes, allow_vec, tmp_path):
    database = Database.open(tmp_path / "memory.db")
    database.has_vec = allow_vec
    database.apply(change(*SCOPED))
    model = ChosenVectors({"coffee": [1.0, 0.0], "meaning": [1.0, 0.0]})
    model.fill(database)
    search = searcher(database, model, resident_bytes=resident_bytes)
    tail = [one._replace(key=f"tail {one.key}") for one in SCOPED]
    for filters, found in FILTERS:
        for text in ("coffee", "meaning"):
            assert set(keys(search.search(Query(text, **filters)))) == found, filters
        by_words = keys(searcher(database).search(Query("coffee", **filters), tail=tail))
        assert {key for key in by_words if not key.startswith("tail")} == found, filters
        assert {key for key in by_words if key.startswith("tail")} >= {f"tail {key}" for key in found}, filters
    database.close()


def test_rare_tags_are_found_among_many_rows_by_words_by_meaning_and_in_the_tail(database):
    mine = document("mine", "something else", tags=("work/helix",))
    database.apply(change(mine, *(document(f"d{n}", "other things", tags=("play",)) for n in range(300))))
    model = ChosenVectors({"meaning": [1.0, 0.0], "other": [1.0, 0.0], "something": [0.9, 0.4]})
    model.fill(database)
    asked = Query("meaning", tags=frozenset({"work"}), limit=5)
    assert keys(searcher(database, model).search(asked)) == ["mine"]
    tail = [document(key, "else", tags=tags) for key, tags in (("tail", ("Work",)), ("bare", ()), ("part", ("wo",)))]
    found = searcher(database).search(Query("else", tags=frozenset({"work"})), tail=tail)
    assert set(keys(found)) == {"mine", "tail"}


def test_documents_of_the_tail_are_found_and_replace_their_older_versions(database):
    database.apply(change(document("one", "the limit is 500"), document("two", "the limit of memory")))
    tail = [document("one", "the limit is 900"), document("three", "a new limit"), document("four", "unrelated")]
    hits = {hit.id: hit.text for hit in searcher(database).search(Query("limit"), tail=tail).hits}
    assert hits == {"one": "the limit is 900", "two": "the limit of memory", "three": "a new limit"}


def test_a_hit_has_its_place_and_its_scores(database):
    whole = document("one", "oolong tea and rare", heading="Drinks", speaker="Ana", line=7, scope=Scope(user="u"))
    database.apply(change(whole, document("two", "tea")))
    model = ChosenVectors({"rare": [0.6, 0.8], "tea": [1.0, 0.0], "oolong": [1.0, 0.0]})
    model.fill(database)
    hits = {hit.id: hit for hit in searcher(database, model).search(Query("oolong tea")).hits}
    hit = hits["one"]
    assert (hit.path, hit.line, hit.heading, hit.speaker, hit.scope) == (
        "memory/a.md",
        7,
        "Drinks",
        "Ana",
        Scope(user="u"),
    )
    assert (hit.time, hit.origin, hit.text) == (NOW, Origin.USER, whole.text)
    assert hit.similarity == pytest.approx(0.6, abs=1e-5)
    assert hit.coverage == 1.0
    assert 0 < hits["two"].coverage < 0.5
    assert 0 <= hits["two"].score <= hit.score == 1.0
    assert searcher(database).read("one").text == whole.text
    assert searcher(database).read("none") is None


def test_the_snippet_of_a_list_without_full_stops_contains_the_match(database):
    things = [f"thing number {n} of the attic" for n in range(60)]
    things[45] = "the telescope for 77 euros"
    database.apply(change(document("list", "，".join(things))))
    (found,) = searcher(database).search(Query("telescope price")).hits
    assert "telescope for 77 euros" in found.snippet
    assert len(found.snippet) <= 360
    assert found.snippet.startswith("…")


@pytest.mark.parametrize("failure", [RuntimeError("no"), [[float("nan"), 1.0]]])
def test_with_a_failing_model_words_are_still_searched(database, failure):
    database.apply(change(document("one", "coffee")))
    model = ChosenVectors({"coffee": [1.0, 0.0]})
    model.fill(database)
    model.answer = failure
    result = searcher(database, model).search(Query("coffee"))
    assert (keys(result), result.level) == (["one"], Level.FULL_TEXT)


@pytest.mark.parametrize(
    ("allow_vec", "level", "resident_bytes"),
    [(True, Level.HYBRID, 10_000_000), (True, Level.HYBRID, 0), (False, Level.NUMPY, 10_000_000)],
)
def test_both_vector_backends_find_the_same_and_report_their_level(tmp_path, allow_vec, level, resident_bytes):
    database = Database.open(tmp_path / "memory.db")
    database.has_vec = allow_vec
    generator = np.random.default_rng(3)
    words = {f"word{n}": generator.normal(size=8).tolist() for n in range(400)}
    database.apply(change(*(document(f"d{n}", f"word{n}") for n in range(400))))
    model = ChosenVectors({**words, "asked": words["word7"]})
    model.fill(database)
    search = searcher(database, model, fusion="weighted", resident_bytes=resident_bytes)
    result = search.search(Query("asked", limit=10))
    assert result.level is level
    query = np.array(words["word7"])
    cosine = {
        f"d{n}": float(np.dot(vector, query) / np.linalg.norm(vector) / np.linalg.norm(query))
        for n, vector in enumerate(words.values())
    }
    expected = sorted(cosine, key=cosine.__getitem__, reverse=True)[:10]
    assert keys(result) == expected
    assert [hit.similarity for hit in result.hits] == pytest.approx([cosine[key] for key in expected], abs=1e-5)
    database.close()


@pytest.mark.parametrize("indexed", [True, False])
def test_a_rare_chinese_character_is_found_when_its_pairs_occur_nowhere(database, indexed):
    """It finds a word of one character and a half mistyped word, but no common characters."""
    documents = [
        document("yarrow", "蓍分布在亚洲，约一米高。", path="memory/b.md"),
        document("kiln", "窑炉约每周烧两次。", path="memory/c.md"),
        *(document(f"d{n}", f"第{n}种植物约长在海拔{n}00米。", path="memory/d.md") for n in range(1, 9)),
    ]
    if indexed:
        database.apply(change(*documents))

    def found(text: str) -> list[str]:
        return keys(searcher(database).search(Query(text)) if indexed else search_files(documents, Query(text)))

    assert found("蓍属几许？") == ["yarrow"]
    assert found("窑卢呢？") == ["kiln"]
    assert found("约摸呢？") == []
