"""What is to be forgotten, or is a secret, taken out of every table of the state database, and out of its log."""

import sqlite3
from collections.abc import Callable, Collection
from typing import Any

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.state.database import StateDatabase
from nanobot_memory_plugins.core.values import Trace

# Rows of these tables belong to an entry, and go with it.
_OF_ENTRIES = ("entry", "change")


def clean_state(
    paths: MemoryPaths, change: Callable[[str], str | None], ids: Collection[str] = (), *, dry_run: bool
) -> list[Trace]:
    """Change every text of the database, and return how many rows that concerns; what stays in the file says why.

    A row goes where ``change`` returns None, and with the entry or the conversation in ``ids`` that it is of. Of a run
    only the reason goes: what it did to other entries can still be undone. It blocks. What cannot be done now is left
    to the next start.
    """
    if not paths.state.exists():
        return []
    state, where, count = StateDatabase.of(paths), paths.relative(paths.state), 0
    try:
        count = state.write(lambda connection: _changed(connection, change, frozenset(ids), dry_run=dry_run))
        if not dry_run:
            state.truncate_log()
        why = state.only_in_memory
    except StoreError as error:
        why = error.cause
    if why:
        return [Trace(where, count, removed=False, why=why, waits=not dry_run)]
    return [Trace(where, count)] if count else []


def _changed(
    connection: sqlite3.Connection, change: Callable[[str], str | None], ids: frozenset[str], *, dry_run: bool
) -> int:
    """Change all texts; where one comes to None the row goes. Return how many rows are others."""
    count = 0
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (table,) in tables.fetchall():
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        names = [str(column[1]) for column in columns]
        keys = [str(column[1]) for column in columns if column[5]]
        for values in connection.execute(f"SELECT * FROM {table}").fetchall():  # noqa: S608  # our own names
            row: dict[str, Any] = dict(zip(names, values, strict=True))
            changed = {name: change(value) if isinstance(value, str) else value for name, value in row.items()}
            goes = (table in _OF_ENTRIES and row["id"] in ids) or (table == "task" and row["subject"] in ids)
            goes = goes or any(changed[name] is None and row[name] is not None for name in names if table != "run")
            if not goes and changed == row:
                continue
            count += 1
            if dry_run:
                continue
            is_it = " AND ".join(f"{name} = ?" for name in keys)
            of_it = [row[name] for name in keys]
            if goes:
                connection.execute(f"DELETE FROM {table} WHERE {is_it}", of_it)  # noqa: S608
            else:
                others = {name: value or "" for name, value in changed.items() if value != row[name]}
                settings = ", ".join(f"{name} = ?" for name in others)
                sql = f"UPDATE {table} SET {settings} WHERE {is_it}"  # noqa: S608
                connection.execute(sql, [*others.values(), *of_it])
    return count
