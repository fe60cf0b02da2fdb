"""Many vectors are read by a thread, and searches meanwhile are by words."""

import threading

import numpy as np
import pytest

from nanobot_memory_plugins.core.values import Level, Query, Scope
from nanobot_memory_plugins.storage.database import Database, VectorBackend, spaces
from nanobot_memory_plugins.storage.search import vector_loading, vector_matrix
from nanobot_memory_plugins.storage.search.vector_loading import LoadingEndedError, read_snapshot
from nanobot_memory_plugins.storage.search.vector_snapshot import Labels
from tests.storage.builders import ChosenVectors, change, document, searcher

MODEL = {"cat": [1.0, 0.0], "feline": [1.0, 0.0], "tractor": [0.0, 1.0]}
MANY = 2_500


@pytest.fixture(params=[True, False], ids=["vec0", "table"])
def database(request, tmp_path):
    database = Database.open(tmp_path / "memory.db", allow_vec=request.param)
    database.apply(change(*(document(f"d{n}", f"tractor {n}") for n in range(MANY)), document("one", "feline")))
    ChosenVectors(MODEL).fill(database)
    yield database
    database.close()


@pytest.fixture
def held_up(monkeypatch):
    """Let a thread read more than ten vectors, once the event is set."""
    may_read = threading.Event()

    def read(*arguments, **options):
        assert may_read.wait(10)
        return read_snapshot(*arguments, **options)

    monkeypatch.setattr(vector_matrix, "read_snapshot", read)
    monkeypatch.setattr(vector_matrix, "_READ_AT_ONCE", 10)
    monkeypatch.setattr(vector_matrix, "COMPARED_ON_DISK_BYTES", 0)
    yield may_read
    may_read.set()


def test_while_vectors_are_being_read_searches_are_by_words_and_then_by_meaning(database, held_up):
    search = searcher(database, ChosenVectors(MODEL))
    meanwhile = search.search(Query("feline tractor", limit=1))
    assert (len(meanwhile.hits), meanwhile.level) == (1, Level.FULL_TEXT)
    assert search.search(Query("cat")).hits == ()
    held_up.set()
    search._vectors._shared.loading.join(10)
    found = search.search(Query("cat"))
    assert ([hit.id for hit in found.hits], found.level < Level.FULL_TEXT) == (["one"], True)


def test_while_many_changes_are_being_read_the_former_vectors_are_searched(database, held_up):
    held_up.set()
    search = searcher(database, ChosenVectors(MODEL))
    search.search(Query("cat"))
    search._vectors._shared.loading.join(10)
    held_up.clear()
    later = [document(f"e{n}", "feline") for n in range(30)]
    database.apply(change(*later, path="memory/b.md"))
    ChosenVectors(MODEL).fill(database)
    assert {hit.id for hit in search.search(Query("cat", limit=60)).hits} == {"one"}
    held_up.set()
    search._vectors._shared.loading.join(10)
    assert len(search.search(Query("cat", limit=60)).hits) == 31


def test_reading_that_fails_leaves_the_words_and_is_tried_again_later(database, monkeypatch, held_up):
    def fail(*_, **__):
        raise OSError

    monkeypatch.setattr(vector_matrix, "read_snapshot", fail)
    search = searcher(database, ChosenVectors(MODEL))
    assert search.search(Query("feline")).level is Level.FULL_TEXT
    first = search._vectors._shared.loading
    first.join(10)
    assert search.search(Query("feline")).level is Level.FULL_TEXT
    assert search._vectors._shared.loading is first
    search._clock.advance(31)
    monkeypatch.setattr(vector_matrix, "read_snapshot", read_snapshot)
    search.search(Query("feline"))
    search._vectors._shared.loading.join(10)
    assert search.search(Query("feline")).level < Level.FULL_TEXT


def test_reading_ends_when_nobody_wants_it(database):
    space = database.vector_spaces()[0]
    with pytest.raises(LoadingEndedError):
        read_snapshot(database, space, Labels(), wanted=lambda: False)


def test_vectors_that_are_too_many_to_be_held_or_compared_on_the_disk_leave_the_words(database, monkeypatch):
    monkeypatch.setattr(vector_matrix, "COMPARED_ON_DISK_BYTES", 1_000)
    search = searcher(database, ChosenVectors(MODEL), resident_bytes=10_000)
    found = search.search(Query("feline"))
    assert ([hit.id for hit in found.hits], found.level) == (["one"], Level.FULL_TEXT)

    counted: list[object] = []
    monkeypatch.setattr(spaces, "count", lambda *found, **_: counted.append(found) or MANY)
    assert search.search(Query("feline")).level is Level.FULL_TEXT
    assert counted == []  # nothing was written


def test_blocks_hold_what_is_read_one_by_one_after_rows_went_and_came(database):
    database.apply(change(removed_keys=frozenset(f"d{n}" for n in range(0, MANY, 3))))
    database.apply(change(*(document(f"f{n}", "feline") for n in range(50)), path="memory/c.md"))
    ChosenVectors(MODEL).fill(database)
    space, backend = database.vector_spaces()[0], database.vector_backend
    single = dict(spaces.read(database.connection, space, backend))
    blocks = {
        doc_id: vector.tobytes()
        for ids, vectors in spaces.read_blocks(database.connection, space, backend)
        for doc_id, vector in zip(ids, vectors, strict=True)
    }
    assert blocks == single
    assert len(single) == database.counts().vectors


def test_filters_hold_among_more_vectors_than_are_compared_exactly(tmp_path):
    database = Database.open(tmp_path / "memory.db")
    generator = np.random.default_rng(3)
    words = {f"word{n}": generator.normal(size=16).tolist() for n in range(4_000)}
    documents = [document(f"d{n}", f"word{n}", scope=Scope(user="ana" if n % 2 else "bob")) for n in range(4_000)]
    database.apply(change(*documents))
    model = ChosenVectors({**words, "asked": words["word8"]})
    model.fill(database)
    search = searcher(database, model, context_boosts=False, candidate_factor=1)
    assert search.search(Query("asked", limit=10)).hits[0].id == "d8"
    hits = search.search(Query("asked", limit=10, scope=Scope(user="ana"))).hits
    assert hits
    assert all(hit.scope.user == "ana" for hit in hits)
    database.close()


@pytest.mark.slow
@pytest.mark.parametrize("known", [False, True], ids=["whole", "changes"])
def test_vectors_that_another_connection_writes_meanwhile_do_not_trouble_a_reader(database, monkeypatch, known):
    """What is read is one state of the database: the number of the vectors, the vectors, and whose they are."""
    reader = Database.open(database.path, read_only=True, allow_vec=database.vector_backend is VectorBackend.VEC0)
    search = searcher(reader, ChosenVectors(MODEL))
    if known:
        search.search(Query("cat"))
        database.apply(change(document("two", "feline"), path="memory/b.md"))
        ChosenVectors(MODEL).fill(database)
    count = spaces.count

    def counted_before_a_write(*arguments, **options):
        found = count(*arguments, **options)
        monkeypatch.setattr(spaces, "count", count)
        database.apply(change(*(document(f"e{n}", "feline") for n in range(600)), path="memory/c.md"))
        ChosenVectors(MODEL).fill(database)
        return found

    def read_blocks(*arguments, **options):
        monkeypatch.setattr(spaces, "count", counted_before_a_write)
        return original(*arguments, **options)

    original = vector_loading._read

    monkeypatch.setattr(vector_loading, "_read", read_blocks)
    assert search.search(Query("cat")).level < Level.FULL_TEXT
    assert len(search.search(Query("cat", limit=1_000)).hits) == 601 + known
    reader.close()
