"""An index of every released version is brought to the form of today, whoever is killed on the way."""

import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.search.text_traits import Trait
from nanobot_memory_plugins.storage.database import Database, VectorBackend, migrations, schema
from nanobot_memory_plugins.storage.database.migrations import REBUILD
from nanobot_memory_plugins.storage.database_factory import DatabaseOpener
from tests.storage import released_schema
from tests.storage.builders import change, document

STORED = sorted(released_schema.FOLDER.glob("*.sql"))
NOW, STEPS = schema.SCHEMA_VERSION, migrations.STEPS
KEYS = {"full", "plain", "chinese"}
TRAITS = {"full": Trait.HOLDS_NAME, "plain": 0, "chinese": 0}


def add_column(connection):
    connection.execute("ALTER TABLE docs ADD COLUMN mood TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE docs SET mood = 'calm ' || key")


def add_index(connection):
    connection.execute("CREATE INDEX docs_mood ON docs (mood)")


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".storage" / "memory.db"


@pytest.fixture
def two_steps(monkeypatch):
    """As a version would be whose schema has changed twice."""
    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 2)
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, add_column, add_index))


def stored(path: Path, backend: VectorBackend = VectorBackend.NUMPY) -> Path:
    released_schema.make_index(path, released_schema.stored_name(backend, NOW).read_text(encoding="utf-8"))
    return path


def version(path: Path) -> int:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return connection.execute("PRAGMA user_version").fetchall()[0][0]


def assert_whole(database: Database, *, made_by: int = NOW) -> None:
    """Documents, full text, manifest and vectors are what was stored; nothing has to be embedded again."""
    assert dict(database.connection.execute("SELECT key, traits FROM docs")) == TRAITS
    expected = {one.key: one for one in released_schema.documents()}
    assert {one.key: one for one in database.documents()} == expected
    # Until version 2 Markdown was indexed with the secrets of people: it is read anew.
    assert bool(database.file_states()) == (made_by > 2)
    sql = "SELECT count(*) FROM docs_fts WHERE docs_fts MATCH '\"蓝色\"'"
    assert database.connection.execute(sql).fetchall() == [(1,)]
    assert (database.counts().vectors, database.counts().pending_vectors) == (2, 0)
    assert database.check() == []


@pytest.mark.parametrize("backend", VectorBackend)
def test_the_stored_form_of_this_version_is_what_the_code_makes(tmp_path, backend):
    text = released_schema.stored_name(backend).read_text(encoding="utf-8")
    today = released_schema.made_today(tmp_path, backend)
    assert released_schema.schema_part(today) == released_schema.schema_part(text), (
        "A released schema has changed: give it a new version and a step, as migrations.py says."
    )


def test_every_released_version_has_its_step_and_its_stored_form():
    versions = range(schema.FIRST_VERSION, schema.SCHEMA_VERSION + 1)
    assert len(migrations.STEPS) == len(versions) - 1
    names = {released_schema.stored_name(backend, one).name for one in versions for backend in VectorBackend}
    assert {path.name for path in STORED} == names


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
@pytest.mark.parametrize("allow_vec", [True, False], ids=["sqlite-vec", "numpy"])
def test_an_index_of_every_released_version_is_taken_over_whole(path, file, allow_vec):
    released_schema.make_index(path, file.read_text(encoding="utf-8"))
    for _ in range(2):
        with closing(Database.open(path, allow_vec=allow_vec)) as database:
            assert_whole(database, made_by=int(file.stem.partition("-")[0]))
            assert database.quarantined is None
        assert version(path) == schema.SCHEMA_VERSION


@pytest.mark.parametrize("backend", VectorBackend)
def test_steps_are_taken_in_their_order_and_once(path, backend, two_steps):
    stored(path, backend)
    for _ in range(2):
        with closing(Database.open(path)) as database:
            assert_whole(database)
            moods = {row[0] for row in database.connection.execute("SELECT mood FROM docs")}
        assert moods == {f"calm {key}" for key in KEYS}
        assert version(path) == NOW + 2


@pytest.mark.parametrize("place", ["within the first step", "between the steps", "within the second step"])
def test_a_process_that_is_killed_on_the_way_costs_nothing(path, place, two_steps):
    stored(path)
    script = f"""
import os, signal
from pathlib import Path
from nanobot_memory_plugins.storage.database import Database, migrations, schema
from tests.storage import test_migrations as steps
kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
def first(connection):
    steps.add_column(connection)
    if {place!r} == "within the first step": kill()
def second(connection):
    if {place!r} == "between the steps": kill()
    steps.add_index(connection)
    kill()
schema.SCHEMA_VERSION, migrations.STEPS = {NOW} + 2, (*migrations.STEPS, first, second)
Database.open(Path({str(path)!r}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parents[2], timeout=60, check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert version(path) == (NOW if place == "within the first step" else NOW + 1)
    with closing(Database.open(path)) as database:
        assert_whole(database)
        assert database.quarantined is None
    assert version(path) == NOW + 2


def test_a_step_that_does_not_fit_the_file_puts_it_aside(path, two_steps):
    stored(path)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("ALTER TABLE docs ADD COLUMN mood TEXT")
    with closing(Database.open(path)) as database:
        assert database.quarantined is not None
        assert database.counts().documents == 0
        assert database.check() == []
    assert version(path) == NOW + 2


def test_a_full_disk_within_a_step_leaves_the_version_before(path, monkeypatch):
    stored(path)

    def full(connection):
        add_column(connection)
        raise apsw.FullError("no space")

    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 1)
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, full))
    with pytest.raises(StoreError, match="no space left"):
        Database.open(path)
    assert version(path) == NOW
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, add_column))
    with closing(Database.open(path)) as database:
        assert_whole(database)


@pytest.mark.parametrize("backend", VectorBackend)
@pytest.mark.parametrize("allow_vec", [True, False], ids=["sqlite-vec", "numpy"])
@pytest.mark.parametrize("steps", [(REBUILD, add_index), (add_column, REBUILD)], ids=["first", "last"])
def test_where_a_step_is_a_rebuild_the_tables_are_made_anew_and_empty(path, monkeypatch, backend, allow_vec, steps):
    stored(path, backend)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 2)
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, *steps))
    with closing(Database.open(path, allow_vec=allow_vec)) as database:
        assert database.quarantined is None
        assert (database.counts().documents, database.file_states(), database.vector_spaces()) == (0, {}, [])
        assert database.identity() != "0" * 32
        assert database.check() == []
        left = database.connection.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'vec!_%' ESCAPE '!'")
        assert left.fetchall() == []
        database.apply(change(document("new")))
        assert database.counts().documents == 1
    assert version(path) == NOW + 2


def test_processes_that_meet_take_each_step_once(path, monkeypatch):
    stored(path)
    taken = []
    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 1)
    monkeypatch.setattr(
        migrations,
        "STEPS",
        (
            *STEPS,
            lambda connection: (taken.append(1), add_column(connection)),
        ),
    )
    opened, failed = [], []

    def open_it():
        try:
            opened.append(Database.open(path))
        except StoreError as error:
            failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(opened), failed, taken) == (4, [], [1])
    for database in opened:
        assert {one.key for one in database.documents()} == KEYS
        database.close()


def test_a_reader_that_meets_an_older_index_brings_it_up_to_date(path, two_steps):
    stored(path)
    with pytest.raises(StoreError, match="older version") as caught:
        Database.open(path, read_only=True)
    assert "nanobot-memory index" in caught.value.hint
    with closing(DatabaseOpener(path).for_reading()) as database:
        assert_whole(database)
    assert version(path) == NOW + 2


def test_a_program_that_has_the_index_open_stops_when_a_newer_one_migrates_it(path):
    stored(path)
    with closing(Database.open(path)) as database:
        with closing(apsw.Connection(str(path))) as newer:
            newer.execute(f"PRAGMA user_version = {NOW + 1}").fetchall()
        for use in (
            lambda: database.apply(change(document("late"))),
            lambda: database.put_vectors("a model", [(1, [1.0, 0.0, 0.0])]),
            database.clear,
            database.file_states,
        ):
            with pytest.raises(StoreError, match=rf"newer version \(schema {NOW + 1}"):
                use()
        assert {one.key for one in database.documents()} == KEYS


def test_terms_of_a_newer_segmentation_are_left_as_they_are(path):
    stored(path)
    with closing(apsw.Connection(str(path))) as newer:
        newer.execute("UPDATE meta SET value = 3 WHERE key = 'segmentation'")
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="newer version"):
            Database.open(path, read_only=read_only)
    assert path.read_bytes() == before


def test_entries_of_before_are_read_again_so_that_those_of_a_session_are_not_everybodys(path):
    with closing(Database.open(path)) as database:
        database.apply(change(document("learned", "likes tea", source="long_term", path="memory/ENTRIES.md")))
        database.connection.execute("ALTER TABLE docs DROP COLUMN group_chat")
        database.connection.execute("PRAGMA user_version = 1").fetchall()
    with closing(Database.open(path)) as database:
        assert "memory/ENTRIES.md" not in database.file_states()
        assert "learned" not in {one.key for one in database.documents()}
        assert database.check() == []


def test_an_index_of_a_version_that_never_was_is_put_aside(path, monkeypatch):
    stored(path)
    monkeypatch.setattr(schema, "FIRST_VERSION", 2)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", NOW + 1)
    monkeypatch.setattr(migrations, "STEPS", ())
    with closing(Database.open(path)) as database:
        assert database.quarantined is not None
        assert database.counts().documents == 0
