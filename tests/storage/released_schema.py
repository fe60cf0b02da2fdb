"""The index of a released version as SQL text: how it is made of today's code, and how a file is made of it.

``python -m tests.storage.released_schema`` stores the form of today below tests/data/schemas. Do that once for each
schema version, with the step of ``storage/database/migrations.py``; what is stored of an older one never changes.
"""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import apsw

from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.search.documents import Document
from nanobot_memory_plugins.storage.database import Database, VectorBackend
from nanobot_memory_plugins.storage.database.connection import load_sqlite_vec
from nanobot_memory_plugins.storage.database.schema import SCHEMA_VERSION, set_meta
from tests.storage.builders import change, document

FOLDER = Path(__file__).parents[1] / "data" / "schemas"
ROWS = "-- Rows"
MODEL, DIMENSION = "a model", 3
TIME = datetime(2026, 5, 8, 12, tzinfo=UTC)
_TABLES = ("docs", "files", "meta", "spaces", "embedded", "vectors")


def documents() -> list[Document]:
    """Return what every stored index holds: a document with every field, a plain one, and one in Chinese."""
    return [
        document(
            "full", "Ann's database is PostgreSQL", time=TIME, heading="Plans", tldr="a database", tags=("work", "db"),
            speaker="Ann", origin=Origin.TOOL, scope=Scope("agent", "ann", "cli", "cli:direct"), line=3, offset=120,
        ),
        document("plain", "the cat sleeps", time=None, line=9, offset=300, ordinal=1),
        document("chinese", "我们决定使用蓝色的主题", time=TIME, line=12, offset=400, ordinal=2),
    ]  # fmt: skip


def stored_name(backend: VectorBackend, version: int = SCHEMA_VERSION) -> Path:
    """Return the file of a schema version."""
    return FOLDER / f"{version}-{backend.value}.sql"


def made_today(folder: Path, backend: VectorBackend) -> str:
    """Return the SQL text of an index as today's code makes it."""
    database = Database.open(folder / "memory.db", allow_vec=backend is VectorBackend.VEC0)
    database.apply(change(*documents()))
    rows = database.documents_without_vector(MODEL, 10)
    vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, float("nan")]]
    database.put_vectors(MODEL, [(row.id, vector) for row, vector in zip(rows, vectors, strict=True)])
    database.set_active_space(MODEL, DIMENSION)
    set_meta(database.connection, "identity", "0" * 32)
    text = _dumped(database.connection, backend)
    database.close()
    return text


def schema_part(text: str) -> str:
    """Return the tables of an SQL text, without its rows."""
    return text.partition(ROWS)[0]


def make_index(path: Path, text: str) -> None:
    """Make the file that an SQL text says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    load_sqlite_vec(connection, allowed=True)
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute(text)
    connection.close()


def _dumped(connection: apsw.Connection, backend: VectorBackend) -> str:
    marks = [f"PRAGMA {name} = {_first(connection, f'PRAGMA {name}')};" for name in ("application_id", "user_version")]
    found = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    virtual = [name for name, sql in found if sql.startswith("CREATE VIRTUAL")]
    # What a virtual table keeps its data in is made by its module.
    own = [sql for name, sql in found if not name.startswith(("sqlite_", *(f"{one}_" for one in virtual)))]
    tables = [*_TABLES, *(["vec_1"] if backend is VectorBackend.VEC0 else [])]
    rows = [line for table in tables for line in _rows(connection, table)]
    return "\n".join([*marks, *(f"{sql};" for sql in own), ROWS, *rows]) + "\n"


def _rows(connection: apsw.Connection, table: str) -> list[str]:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    columns = ["rowid", "vector"] if table.startswith("vec_") else columns
    names = ", ".join(f'"{column}"' for column in columns)
    rows = connection.execute(f"SELECT {names} FROM {table} ORDER BY 1, 2").fetchall()
    return [
        f"INSERT INTO {table} ({names}) VALUES ({', '.join(apsw.format_sql_value(value) for value in row)});"
        for row in rows
    ]


def _first(connection: apsw.Connection, sql: str) -> object:
    return connection.execute(sql).fetchall()[0][0]


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for one in VectorBackend:
        with tempfile.TemporaryDirectory() as new:
            stored_name(one).write_text(made_today(Path(new), one), encoding="utf-8")
