"""Bringing an index that an older version made to the form of today.

The index is a cache of the memory files: nothing is lost when it is made anew. What that costs is time, most of it for
the vectors (docs/upgrades.md has the figures). So a step that can keep documents and vectors is worth writing,
and for one that cannot there is `REBUILD`.
"""

from collections.abc import Callable, Sequence

import apsw

from nanobot_memory_plugins.core import Sentence, logger
from nanobot_memory_plugins.core.values.scopes import BESIDE, WITH_NAME
from nanobot_memory_plugins.storage.database import schema, spaces, writing
from nanobot_memory_plugins.storage.database.connection import CorruptIndexError, immediate, query

Step = Callable[[apsw.Connection], None]
"""What leads from one schema version to the next. It is part of a transaction, and neither commits nor rolls back."""


def REBUILD(connection: apsw.Connection) -> None:  # noqa: N802  # it stands in the list as a constant does
    """Drop everything and make today's tables, empty; the indexer fills them from the files."""
    tables = "FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid DESC"
    # First those of sqlite-vec and FTS5, with which the tables go that they keep their data in.
    for name, sql in query(connection, f"SELECT name, sql {tables}"):
        if sql.upper().startswith("CREATE VIRTUAL"):
            spaces.drop_virtual_table(connection, name)
    for (name,) in query(connection, f"SELECT name {tables}"):
        connection.execute(f'DROP TABLE "{name}"')
    schema.make_tables(connection)


def _add_group_chat(connection: apsw.Connection) -> None:
    """Let documents name the group chat that they are from; those of before name none.

    The long-term files are read again: an entry that was learned in a session was everybody's there.
    """
    connection.execute("ALTER TABLE docs ADD COLUMN group_chat TEXT NOT NULL DEFAULT ''")
    found = query(connection, "SELECT id, path FROM docs WHERE source = 'long_term'")
    writing.delete(connection, [doc_id for doc_id, _ in found])
    connection.executemany("DELETE FROM files WHERE path = ?", {(path,) for _, path in found})


def _shorten_names(connection: apsw.Connection) -> None:
    """Leave out what stands beside users' names, as `Scope` does: an older version wrote "111|ana"."""
    channels = ", ".join(f"'{channel}'" for channel in sorted(WITH_NAME))
    shorter = "substr(user, 1, instr(user, :beside) - 1)"
    where = f"channel IN ({channels}) AND instr(user, :beside) > 0"
    connection.execute(f"UPDATE docs SET user = {shorter} WHERE {where}", {"beside": BESIDE})


def _add_traits(connection: apsw.Connection) -> None:
    """Let rows hold what their texts say for every question. It is worked out when the file is opened for writing."""
    connection.execute("ALTER TABLE docs ADD COLUMN traits INTEGER NOT NULL DEFAULT 0")


def _add_project(connection: apsw.Connection) -> None:
    """Let documents name the project that they are about; those of before name none."""
    connection.execute("ALTER TABLE docs ADD COLUMN project TEXT NOT NULL DEFAULT ''")


STEPS: tuple[Step, ...] = (_add_group_chat, _shorten_names, _add_traits, _add_project)
"""The step at place n leads from version ``schema.FIRST_VERSION`` + n to the next. Only ever add to its end.

A change of the schema: change `schema._TABLES`, count `schema.SCHEMA_VERSION` up, add a step here, and store the new
form with ``python -m tests.storage.released_schema``.
"""


def migrate(connection: apsw.Connection, steps: Sequence[Step] | None = None) -> None:
    """Bring the file to `schema.SCHEMA_VERSION`, in one transaction a step.

    A process that ends within a step leaves the version before it, one that ends between two the version between; the
    next one goes on from there. Raises `CorruptIndexError` when a step does not fit the file, which is then put aside
    and built again.
    """
    steps = STEPS if steps is None else steps
    while True:
        with immediate(connection):
            version = schema.check_version(connection)
            if version == schema.SCHEMA_VERSION:
                return
            left = steps[version - schema.FIRST_VERSION :]
            if version < schema.FIRST_VERSION or len(left) != schema.SCHEMA_VERSION - version:
                raise CorruptIndexError(
                    Sentence("The index is of schema {version}, which no version ever made.", version=version)
                )
            step = REBUILD if REBUILD in left else left[0]
            try:
                step(connection)
            except (apsw.SQLError, apsw.ConstraintError, ValueError, TypeError, KeyError) as error:
                raise CorruptIndexError(
                    Sentence("The index does not look as schema {version} does.", version=version)
                ) from error
            reached = schema.SCHEMA_VERSION if step is REBUILD else version + 1
            connection.execute(f"PRAGMA user_version = {reached}").fetchall()
        logger.info("the index was brought from schema {} to {}", version, reached)
