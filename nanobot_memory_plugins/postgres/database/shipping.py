"""What this machine's files hold, brought to the server: the index that the indexer of this machine fills.

A file's state and its passages are written in one transaction. So a sender that breaks off anywhere goes on where the
server is, and what is sent twice is there once.
"""

import json
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from psycopg import Cursor
from psycopg.rows import TupleRow

from nanobot_memory_plugins.core import StoreError
from nanobot_memory_plugins.postgres.database import passages, records, schema
from nanobot_memory_plugins.postgres.database.connection import (
    Connection,
    TenantConnection,
    bounded_transaction,
    piped_transaction,
    plain_errors,
    run,
    run_many,
    table,
)
from nanobot_memory_plugins.postgres.database.forgetting import begin_sending, introduce, refused_of
from nanobot_memory_plugins.postgres.database.growth import (
    NEAREST_FROM,
    has_doubled,
    index_vectors,
    make_large,
    weigh_anew,
)
from nanobot_memory_plugins.postgres.database.passages import StoredPassage, passage_of
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import ENTRY_FILE, clean, of_tenant
from nanobot_memory_plugins.search.document_rows import document_from_row
from nanobot_memory_plugins.search.documents import Document, FileChange, FileState
from nanobot_memory_plugins.search.indexed_text import embedding_text
from nanobot_memory_plugins.search.indexer.database import TextToEmbed
from nanobot_memory_plugins.search.timestamps import timestamp

_STATE = 'path, "offset", prefix_hash, size, mtime_ns, line, ordinal'
# Of the lock under which a vector space gets its number.
_SPACES_LOCK = 7_021_934_009
_NONE: Mapping[int, str] = {}


class Shipment:
    """The `FileIndex` over the passages of one machine. One thread uses it; every method raises `StoreError`.

    ``sent`` is told the state of the files after each change.
    """

    def __init__(
        self,
        connection: Connection,
        whose: TenantOwner,
        *,
        large_from: int,
        nearest_from: int = NEAREST_FROM,
        sent: Callable[[dict[str, FileState]], None] = lambda states: None,
    ) -> None:
        self.connection = connection
        self._whose = whose
        self._tenant = whose.tenant
        self._large_from = large_from
        self._nearest_from = nearest_from
        self._sent = sent
        self._average = schema.AVERAGE_TERMS
        self._limits: dict[str, float] = {}
        self._states: dict[str, FileState] = {}
        with plain_errors():
            introduce(connection, whose)

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest of this machine."""
        with plain_errors():
            self._states = states_of(self.connection, self._whose)
        self._sent(dict(self._states))
        return dict(self._states)

    def apply(self, change: FileChange) -> None:
        """Apply what one step of the indexer found, whole or not at all."""
        wanted = [one for one in change.documents if self._is_wanted(one)]
        made = [passage_of(self._tenant, self._whose.machine, one, self._average) for one in wanted]
        numbers = [number for one in change.records if (number := records.record_id(one.key))]
        copies = {made_.id: one.key for one, made_ in zip(wanted, made, strict=True) if one.path == ENTRY_FILE}
        with self._writing([one.id for one in made], numbers, copies) as (version, large, before, known, refused):
            if refused:
                made = [one for one in made if one.id not in refused]
                change = self._without_records(change, refused)
            gone = self._dropped(change, {one.id for one in made})
            fresh = [one for one in made if known.get(one.id, (b"", b""))[0] != one.row_hash]
            changed = [one.id for one in fresh if one.id in known]
            vectors = self._vectors_to_keep(
                [one for one in fresh if known.get(one.id, (b"", b""))[1] == one.embedding_hash]
            )
            removed = passages.delete(self.connection, self._tenant, [*gone, *changed], large=large)
            passages.insert(self.connection, self._tenant, fresh, version, large=large)
            self._put_back(vectors)
            if large:
                hashed = [[int(term) for term in one.values[-2].split()] for one in fresh]
                passages.count(self.connection, self._tenant, hashed, 1)
            documents = before + len(fresh) - removed  # nobody else counts meanwhile
            self._count(documents - before)
            if has_doubled(before, documents):
                self._average = weigh_anew(self.connection, self._tenant, self._average)
            if not large and documents >= self._large_from:
                make_large(self.connection, self._tenant)
            self._write_records(change, version)
            self._write_state(change)
        if change.state is None:
            self._states.pop(change.path, None)
        else:
            self._states[change.path] = change.state
        self._sent(dict(self._states))

    def keys_from(self, path: str, offset: int) -> list[str]:
        """Return the keys of a file's documents that start at a byte or after it."""
        sql = f'SELECT c.key FROM {table("chunk")} c WHERE {self._mine()} AND c.path = %s AND c."offset" >= %s'
        return [str(row[0]) for row in self._fetch(sql, (self._whose.machine, clean(path), offset))]

    def has_key(self, key: str) -> bool:
        """Tell whether a document of this machine is there."""
        number = self._tenant.chunk(self._whose.machine, clean(key))
        sql = f"SELECT 1 FROM {table('chunk')} c WHERE {of_tenant(self._tenant, 'c')} AND c.id = %s"
        return bool(self._fetch(sql, (number,)))

    def data_version(self) -> int:
        """Return the same always: nobody else writes what is this machine's."""
        return 0

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Drop the documents of a source from before a moment, and do not take them again. Return how many went."""
        limit = self._limits[source] = timestamp(before)
        sql = f'SELECT c.id FROM {table("chunk")} c WHERE {self._mine()} AND c.source = %s AND c."timestamp" < %s'
        ids = [int(row[0]) for row in self._fetch(sql, (self._whose.machine, source, limit))]
        if not ids:
            return 0
        with self._writing() as (_, large, _, _, _):
            gone = passages.delete(self.connection, self._tenant, ids, large=large)
            self._count(-gone)
        return gone

    def documents_without_vector(self, space: str, limit: int) -> list[TextToEmbed]:
        """Return documents of this machine that have no vector in a space yet, the newest first."""
        sql = (
            f"SELECT {passages.row_columns()} FROM {table('chunk')} c WHERE {of_tenant(self._tenant, 'c')} "
            f"AND c.machine = %(machine)s AND NOT EXISTS (SELECT 1 FROM {table('embedding')} e "
            f"WHERE {of_tenant(self._tenant, 'e')} AND e.id = c.id AND e.space = "
            f"(SELECT number FROM {table('space')} WHERE name = %(space)s)) ORDER BY c.version DESC LIMIT %(limit)s"
        )
        found = passages.rows_of(self._fetch(sql, {"machine": self._whose.machine, "space": space, "limit": limit}))
        return [TextToEmbed(row.id, embedding_text(document_from_row(tuple(row)[4:]))) for row in found]

    def put_vectors(self, space: str, vectors: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Store vectors by the documents' ids. One that is not finite, or zero, is not asked for again.

        A document that is gone meanwhile, as one that was forgotten, gets none: its vector would tell of it.
        """
        if not vectors:
            return
        with plain_errors(), bounded_transaction(self.connection):
            number = self._space(space, len(vectors[0][1]))
            # Whoever changes passages of this tenant is waited for, and waits for this.
            self._fetch(f"SELECT 1 FROM {table('tenant')} c WHERE {of_tenant(self._tenant, 'c')} FOR SHARE", ())
            there = f"SELECT c.id FROM {table('chunk')} c WHERE {of_tenant(self._tenant, 'c')} AND c.id = ANY(%s)"
            kept = {int(row[0]) for row in self._fetch(there, ([one for one, _ in vectors],))}
            rows = [(self._tenant.id, number, one, _written(vector)) for one, vector in vectors if one in kept]
            if not rows:
                return
            with self.connection.cursor() as cursor:
                run_many(
                    cursor,
                    f"INSERT INTO {table('embedding')} (tenant, space, id, vector) "
                    "VALUES (%s, %s, %s, %s::halfvec) ON CONFLICT (tenant, space, id) DO NOTHING",
                    rows,
                )

    def set_active_space(self, space: str) -> None:
        """Let searches of this tenant use a space: this machine's part of it is whole."""
        self._execute(
            f"INSERT INTO {table('active_space')} SELECT %s, number FROM {table('space')} WHERE name = %s "
            "ON CONFLICT DO NOTHING",
            (self._tenant.id, space),
        )
        if isinstance(self.connection, TenantConnection):
            return  # an index is made by the tables' owner (`row_security.prepare`)
        found = self._fetch(
            f"SELECT s.number, s.dimension FROM {table('space')} s, {table('tenant')} c "
            f"WHERE s.name = %s AND {of_tenant(self._tenant, 'c')} AND c.documents >= %s",
            (space, self._nearest_from),
        )
        for number, dimension in found:
            with plain_errors():
                index_vectors(self.connection, self._tenant, int(number), int(dimension))

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    @contextmanager
    def _writing(
        self, ids: Sequence[int] = (), numbers: Sequence[uuid.UUID] = (), copies: Mapping[int, str] = _NONE
    ) -> Iterator[tuple[int, bool, int, dict[int, tuple[bytes, bytes]], set[int | uuid.UUID]]]:
        """Write as the only one of the tenant.

        Gives the version of what is written, whether the tenant is large, how many passages it has, the hashes of
        those of ``ids`` that are there, and what of these and of the records is not to be written. Who comes second
        waits for the first one's end: so versions become visible in their order.
        """
        # Only what is looked at is waited for: a message takes two round trips, here and at the end.
        with plain_errors(), piped_transaction(self.connection):
            ours = run(
                self.connection,
                f"UPDATE {table('tenant')} t SET version = t.version + 1 WHERE {of_tenant(self._tenant, 't')} "
                "RETURNING t.version, t.large, t.average, t.documents",
            )
            # Statements of their own, after the wait for others: what one of them has ordered to be forgotten is seen.
            orders = begin_sending(self.connection, self._whose, ids, numbers, copies)
            there = self._hashes(ids)
            row = ours.fetchone()
            if row is None:
                raise StoreError(
                    "The shared memory of this tenant is gone from the server.", hint="It is sent anew soon."
                )
            self._average = float(row[2])
            refused = refused_of(orders)
            known = {int(one[0]): (bytes(one[1]), bytes(one[2])) for one in there.fetchall()}
            yield int(row[0]), bool(row[1]), int(row[3]), known, refused

    def _without_records(self, change: FileChange, refused: Collection[int | uuid.UUID]) -> FileChange:
        kept = [one for one in change.records if records.record_id(one.key) not in refused]
        return replace(change, records=tuple(kept))

    def _dropped(self, change: FileChange, kept: set[int]) -> list[int]:
        """Return the ids of what a change takes away."""
        gone = {self._tenant.chunk(self._whose.machine, clean(key)) for key in change.removed_keys}
        if change.state is None or change.replace:
            sql = f"SELECT c.id FROM {table('chunk')} c WHERE {self._mine()} AND c.path = %s"
            here = {int(row[0]) for row in self._fetch(sql, (self._whose.machine, clean(change.path)))}
            gone |= here if change.state is None else here - kept
        return sorted(gone)

    def _hashes(self, ids: Sequence[int]) -> Cursor[TupleRow]:
        sql = (
            f"SELECT c.id, c.row_hash, c.embedding_hash FROM {table('chunk')} c "
            f"WHERE {of_tenant(self._tenant, 'c')} AND c.id = ANY(%s)"
        )
        return run(self.connection, sql, (list(ids),))

    def _vectors_to_keep(self, same: Sequence[StoredPassage]) -> list[tuple[Any, ...]]:
        """Return the vectors of passages that are written anew with the same text to embed."""
        if not same:
            return []
        sql = (
            f"SELECT c.space, c.id, c.vector::text FROM {table('embedding')} c "
            f"WHERE {of_tenant(self._tenant, 'c')} AND c.id = ANY(%s)"
        )
        return list(self._fetch(sql, ([one.id for one in same],)))

    def _put_back(self, vectors: Sequence[tuple[Any, ...]]) -> None:
        if vectors:
            with self.connection.cursor() as cursor:
                run_many(
                    cursor,
                    f"INSERT INTO {table('embedding')} (tenant, space, id, vector) VALUES (%s, %s, %s, %s::halfvec)",
                    [(self._tenant.id, *one) for one in vectors],
                )

    def _count(self, step: int) -> None:
        if step:
            self._execute(
                f"UPDATE {table('tenant')} t SET documents = t.documents + %s WHERE {of_tenant(self._tenant, 't')}",
                (step,),
            )

    def _write_records(self, change: FileChange, version: int) -> None:
        with plain_errors():
            if change.state is None:
                records.remove_file(self.connection, self._whose, change.path)
            records.remove(self.connection, self._whose, change.path, change.removed_keys)
            records.put(self.connection, self._whose, change.path, change.records, version)

    def _write_state(self, change: FileChange) -> None:
        state = change.state
        if state is None:
            self._execute(
                f"DELETE FROM {table('file')} c WHERE {self._mine()} AND c.path = %s",
                (self._whose.machine, clean(change.path)),
            )
            return
        self._execute(
            f"INSERT INTO {table('file')} (tenant, machine, {_STATE}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) "
            'ON CONFLICT (tenant, machine, path) DO UPDATE SET "offset" = excluded."offset", '
            "prefix_hash = excluded.prefix_hash, size = excluded.size, mtime_ns = excluded.mtime_ns, "
            "line = excluded.line, ordinal = excluded.ordinal",
            (
                self._tenant.id,
                self._whose.machine,
                clean(state.path),
                state.offset,
                state.prefix_hash,
                state.size,
                state.mtime_ns,
                state.line,
                state.ordinal,
            ),
        )

    def _space(self, name: str, dimension: int) -> int:
        """Return the number of a vector space, which the first of a model gets."""
        find = f"SELECT number, dimension FROM {table('space')} WHERE name = %s"
        if not self._fetch(find, (name,)):
            self._execute("SELECT pg_advisory_xact_lock(%s)", (_SPACES_LOCK,))
            self._execute(
                f"INSERT INTO {table('space')} (name, number, dimension) "
                f"SELECT %s, coalesce(max(number), 0) + 1, %s FROM {table('space')} ON CONFLICT DO NOTHING",
                (name, dimension),
            )
        ((number, stored),) = self._fetch(find, (name,))
        if stored != dimension:
            raise StoreError("The embedding model's vectors differ in dimension from those on the server.")
        return int(number)

    def _is_wanted(self, document: Document) -> bool:
        limit = self._limits.get(document.source)
        return limit is None or document.time is None or timestamp(document.time) >= limit

    def _mine(self) -> str:
        return f"{of_tenant(self._tenant, 'c')} AND c.machine = %s"

    def _fetch(self, sql: str, values: Any) -> list[tuple[Any, ...]]:
        with plain_errors():
            return run(self.connection, sql, values).fetchall()

    def _execute(self, sql: str, values: Any) -> None:
        with plain_errors():
            run(self.connection, sql, values)


def states_of(connection: Connection, whose: TenantOwner) -> dict[str, FileState]:
    """Return how far each file of a machine was sent."""
    found = run(
        connection,
        f"SELECT {_STATE} FROM {table('file')} f WHERE {of_tenant(whose.tenant, 'f')} AND f.machine = %s",
        (whose.machine,),
    )
    return {row[0]: FileState(*row) for row in found}


def _written(vector: Sequence[float]) -> str | None:
    """Return a vector of unit length as PostgreSQL reads it, None for what has no direction."""
    numbers = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(numbers))
    if not 0 < length < float("inf"):
        return None
    return json.dumps((numbers / length).round(6).tolist())
