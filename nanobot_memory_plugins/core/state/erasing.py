"""Removal of texts (erased ones, or secrets) from all tables of the state database, and from its log."""

import sqlite3
from collections.abc import Callable, Collection
from typing import Any

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.state.database import StateDatabase
from nanobot_memory_plugins.core.values import Trace

# The rows of these tables belong to an entry, and are deleted with it.
_ENTRY_TABLES = ("entry", "change")


def clean_state(
    paths: MemoryPaths, change: Callable[[str], str | None], ids: Collection[str] = (), *, dry_run: bool
) -> list[Trace]:
    """Apply ``change`` to every text of the database, and return a trace of the affected rows, if there are any.

    A row is deleted if ``change`` returns None, or if it belongs to an entry or conversation in ``ids``. Of a run only
    the reason is removed, so that its changes to other entries can still be undone. This blocks. What cannot be done
    now is left to the next start.
    """
    if not paths.state.exists():
        return []
    state, where, count = StateDatabase.of(paths), paths.relative(paths.state), 0
    try:
        count = state.write(lambda connection: _change_rows(connection, change, frozenset(ids), dry_run=dry_run))
        if not dry_run:
            state.truncate_log()
        why = state.memory_only_reason
    except StoreError as error:
        why = error.cause
    if why:
        return [Trace(where, count, removed=False, why=why, waits=not dry_run)]
    return [Trace(where, count)] if count else []


def _change_rows(
    connection: sqlite3.Connection, change: Callable[[str], str | None], ids: frozenset[str], *, dry_run: bool
) -> int:
    """Change or delete the rows of all tables, and return how many rows are affected."""
    count = 0
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (table,) in tables.fetchall():
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        names = [str(column[1]) for column in columns]
        keys = [str(column[1]) for column in columns if column[5]]
        for values in connection.execute(f"SELECT * FROM {table}").fetchall():  # noqa: S608  # our own names
            row: dict[str, Any] = dict(zip(names, values, strict=True))
            changed = {name: change(value) if isinstance(value, str) else value for name, value in row.items()}
            is_erased = (table in _ENTRY_TABLES and row["id"] in ids) or (table == "task" and row["subject"] in ids)
            is_erased |= any(changed[name] is None and row[name] is not None for name in names if table != "run")
            if not is_erased and changed == row:
                continue
            count += 1
            if dry_run:
                continue
            condition = " AND ".join(f"{name} = ?" for name in keys)
            key = [row[name] for name in keys]
            if is_erased:
                connection.execute(f"DELETE FROM {table} WHERE {condition}", key)  # noqa: S608
            else:
                updates = {name: value or "" for name, value in changed.items() if value != row[name]}
                settings = ", ".join(f"{name} = ?" for name in updates)
                sql = f"UPDATE {table} SET {settings} WHERE {condition}"  # noqa: S608
                connection.execute(sql, [*updates.values(), *key])
    return count
