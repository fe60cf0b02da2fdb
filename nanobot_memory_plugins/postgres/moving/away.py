"""From the server to this machine alone: what the others wrote comes into its files, record by record.

It may break off anywhere and be done again: a record that is here already is not written twice.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import (
    DAY_NOTE,
    Appender,
    MemoryPaths,
    SpilledRecord,
    make_missing,
    merge_into,
    replace_file,
)
from nanobot_memory_plugins.postgres.database import forgetting
from nanobot_memory_plugins.postgres.database.connection import Connection, plain_errors, run, table
from nanobot_memory_plugins.postgres.database.records import record_id
from nanobot_memory_plugins.postgres.database.shelving import is_shelved, path_of
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import of_tenant, without_copies
from nanobot_memory_plugins.postgres.moving.comparing import Comparison, hash_of, pieces
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.search.sources.pieces import Chunking
from nanobot_memory_plugins.search.sources.places import Places

# Records that are held at a time, and how long somebody who writes to a file just now is waited for.
_AT_ONCE, _LOCK_SECONDS = 500, 30.0
# Below the memory folder: what people wrote on another machine, beside what they wrote here.
ELSEWHERE = "from"


def bring(
    connection: Connection,
    whose: TenantOwner,
    paths: MemoryPaths,
    chunking: Chunking,
    *,
    own: bool,
    progress: Callable[[int, int], None],
) -> Comparison:
    """Write what other machines sent into this machine's files; return their records beside those that are here now.

    With ``own`` what this machine sent comes as well: its files were a spool. ``progress`` is told how many records of
    how many are done. Raises `StoreError`, and `MemoryFileError` where a file cannot be written.
    """
    if forgetting.orders(connection, whose):
        raise StoreError(
            "Something was forgotten on another machine, and not here yet.",
            hint="Start the agent on this machine once, then run `nanobot-memory move --to sqlite` again.",
        )
    _must_have_records(connection, whose)
    others = (
        f"{of_tenant(whose.tenant, 'r')} AND (r.machine <> %(machine)s OR {own} OR {is_shelved('r')}) "
        "AND r.body IS NOT NULL"
    )
    with plain_errors():
        row = run(connection, f"SELECT count(*) FROM {table('record')} r WHERE {others}", _named(whose)).fetchone()
    total, done, wanted = int(row[0]) if row else 0, 0, set[bytes]()
    appender = Appender(paths, _LOCK_SECONDS)
    sql = f'SELECT r.path, r.body FROM {table("record")} r WHERE {others} ORDER BY r.path, r.machine, r."offset", r.id'
    progress(0, total)
    for some in _in_batches(connection, sql, _named(whose)):
        for path, rows in groupby(some, key=lambda row: str(row[0])):
            target = _target(paths, path_of(path))
            records = [SpilledRecord(target, bytes(body).strip(b"\n") + _end_of(path_of(path))) for _, body in rows]
            merge_into(appender, target, lambda records=records: records, wait=True)  # type: ignore[misc]
            wanted |= {hash_of(one.data) for one in records}
            done += len(records)
        progress(done, total)
    appender.sync()
    _bring_own_words(connection, whose, paths)
    here = {hash_of(raw) for documents, raw in pieces(Places(paths), chunking) if documents}
    return Comparison(frozenset(here & wanted), frozenset(wanted))


def _must_have_records(connection: Connection, whose: TenantOwner) -> None:
    """Raise `StoreError` where a machine has sent passages, and not what they were made of."""
    sql = (
        f"SELECT c.machine, c.key FROM {table('chunk')} c WHERE {of_tenant(whose.tenant, 'c')} "
        "AND c.machine <> %(machine)s ORDER BY c.machine"
    )
    known = f"SELECT r.id FROM {table('record')} r WHERE {of_tenant(whose.tenant, 'r')} AND r.machine <> %(machine)s"
    ids = {row[0] for some in _in_batches(connection, known, _named(whose)) for row in some}
    missing: dict[str, int] = {}
    for some in _in_batches(connection, sql, _named(whose)):
        for machine, key in some:
            number = record_id(key)
            if number is not None and number not in ids:
                missing[machine] = missing.get(machine, 0) + 1
    if missing:
        names = ", ".join(f"{machine} ({count})" for machine, count in sorted(missing.items()))
        raise StoreError(
            Sentence(
                "Of some machines the server has passages, and not the records that they were made of: {names}.",
                names=names,
            ),
            hint="Update the program there and run `nanobot-memory postgres send`, then move again.",
        )


def _bring_own_words(connection: Connection, whose: TenantOwner, paths: MemoryPaths) -> None:
    """Write what people wrote on other machines, passage by passage, into a folder of that machine's name."""
    sql = (
        f"SELECT c.machine, c.path, c.key, c.heading, c.text FROM {table('chunk')} c "
        f"WHERE {of_tenant(whose.tenant, 'c')} AND c.machine <> %(machine)s AND {without_copies(whose.tenant)} "
        "ORDER BY c.machine, c.path, c.ordinal"
    )
    texts: dict[tuple[str, str], list[str]] = {}
    headings: dict[tuple[str, str], str] = {}
    for some in _in_batches(connection, sql, _named(whose)):
        for machine, path, key, heading, text in some:
            if record_id(key) is not None:
                continue
            file = texts.setdefault((machine, path), [])
            if heading and headings.get((machine, path)) != heading:
                file.append(f"## {heading}")
            headings[machine, path] = heading
            file.append(text)
    for (machine, path), parts in texts.items():
        below = PurePosixPath(path_of(path)).relative_to(paths.relative(paths.memory))
        if ".." in below.parts or PurePosixPath(machine).name != machine or machine == "..":
            raise StoreError(
                Sentence("The server names a file that no machine of ours has: {file}.", file=f"{machine}:{path}")
            )
        target = paths.memory / ELSEWHERE / machine / below
        try:
            make_missing(target.parent)
            replace_file(target, ("\n\n".join(parts) + "\n").encode("utf-8"))
        except OSError as error:
            raise MemoryFileError(
                Sentence("{target} cannot be written: {why}.", target=target, why=error.strerror)
            ) from error


def _target(paths: MemoryPaths, path: str) -> Path:
    """Return the file here for a record of another machine's file. Raises `StoreError` for what is no such file."""
    name = PurePosixPath(path).name
    if path == paths.relative(paths.sessions / name) and name.endswith(".jsonl"):
        return paths.sessions / name
    if path == paths.relative(paths.memory / name) and DAY_NOTE.fullmatch(name):
        return paths.memory / name
    raise StoreError(Sentence("The server names a file that records do not stand in: {path}.", path=path))


def _end_of(path: str) -> bytes:
    return b"\n" if path.endswith(".jsonl") else b"\n\n"


def _named(whose: TenantOwner) -> dict[str, Any]:
    return {"machine": whose.machine}


def _in_batches(connection: Connection, sql: str, values: dict[str, Any]) -> Iterator[list[tuple[Any, ...]]]:
    with plain_errors(), connection.transaction(), connection.cursor(f"move_{uuid4().hex}") as cursor:
        cursor.execute(sql.encode(), values)
        while some := cursor.fetchmany(_AT_ONCE):
            yield some
