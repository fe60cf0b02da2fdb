import subprocess
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.search.vector_matrix import matrix_of
from tests.storage.builders import ChosenVectors, change, document, searcher

MODEL = {"cat": [1.0, 0.0], "feline": [1.0, 0.0], "tractor": [0.0, 1.0]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def found(search, text: str = "cat", **filters) -> set[str]:
    return {hit.id for hit in search.search(Query(text, **filters)).hits}


@pytest.mark.accept("V5-07")
def test_vectors_of_another_process_are_found_by_the_next_search(path):
    writer = Database.open(path)
    writer.apply(change(document("one", "feline"), document("two", "feline")))
    writer.put_vectors("chosen", [(1, [1.0, 0.0])])
    reader = Database.open(path, read_only=True)
    search = searcher(reader, ChosenVectors(MODEL))
    assert found(search) == {"one"}
    script = (
        "import sys; from pathlib import Path; from nanobot_memory_plugins.storage.database import Database\n"
        "database = Database.open(Path(sys.argv[1])); database.put_vectors('chosen', [(2, [1.0, 0.0])])\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    assert found(search) == {"one", "two"}
    writer.put_vectors("chosen", [(1, [0.0, 1.0])])
    assert found(search) == {"two"}
    writer.apply(change(removed_keys=frozenset({"two"})))
    assert found(search) == set()
    reader.close()
    writer.close()


def test_searches_share_the_vectors_of_a_file_but_not_with_the_file_that_replaces_it(path):
    database = Database.open(path)
    database.apply(change(document("one", "feline")))
    model = ChosenVectors(MODEL)
    model.fill(database)
    readers = [Database.open(path, read_only=True) for _ in range(2)]
    searches = [searcher(reader, model) for reader in readers]
    assert [found(search) for search in searches] == [{"one"}, {"one"}]
    assert matrix_of(readers[0]) is matrix_of(readers[1])
    for one in (database, *readers):
        one.close()
    path.unlink()
    replacement = Database.open(path)
    replacement.apply(change(document("other", "feline")))
    model.fill(replacement)
    assert found(searcher(replacement, model)) == {"other"}
    replacement.close()
