"""Sends the passages of this machine's files to the server: the index that this machine's indexer fills.

The state of a file and its passages are written in one transaction. So an interrupted sender resumes where the server
is, passages that are sent twice are stored once, and a server that has lost something gets it again.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from nanobot_memory_plugins.core import StoreError, Tier
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.postgres.connection import (
    Connection,
    run,
    run_many,
    tenant_of,
    transaction,
)
from nanobot_memory_plugins.storage.documents import (
    COLUMN_NAMES,
    INDEX_COLUMNS,
    Document,
    FileChange,
    FileIndex,
    FileState,
    embedding_text,
    timestamp,
)

# Separates a machine's name from a path or key on it; no local path or key begins with a name and this.
_MACHINE_SEPARATOR: Final = ":"
_COLUMNS = ("id", "machine", *COLUMN_NAMES, *INDEX_COLUMNS[1:])
_COLUMN_LIST = ", ".join(f'"{name}"' for name in _COLUMNS)
_INSERT = (
    f"INSERT INTO nanobot_memory.passage (revision, {_COLUMN_LIST}) VALUES (%s, {', '.join('%s' for _ in _COLUMNS)})"
)
_DOCUMENT = ", ".join(f'c."{name}"' for name in COLUMN_NAMES)
_MACHINE_PREFIX = f"CASE WHEN c.machine = %(machine)s THEN '' ELSE c.machine || '{_MACHINE_SEPARATOR}' END"
_PREFIXED_COLUMNS = {"key": f"{_MACHINE_PREFIX} || c.key", "path": f"{_MACHINE_PREFIX} || c.path"}
ROW_COLUMNS: Final = ", ".join(_PREFIXED_COLUMNS.get(name, f'c."{name}"') for name in (*COLUMN_NAMES, *INDEX_COLUMNS))
"""The columns of a `Document`. Paths and keys of other machines than ``%(machine)s`` begin with the machine's name."""
_STATE = 'path, "offset", prefix_hash, size, mtime_ns, line, ordinal'
_MAX_CACHED = 200_000


@dataclass(frozen=True, slots=True)
class Owner:
    """The names of a tenant and of a machine, to which passages belong."""

    name: str
    machine: str

    @property
    def tenant(self) -> UUID:
        """The tenant's id."""
        return tenant_of(self.name)

    def term_hash(self, term: str) -> int:
        """Return the hash of a term as a PostgreSQL bigint."""
        return _cached_hash(self.name, term)

    def locate(self, name: str) -> tuple[str, str]:
        """Split a path or key into its machine and the path or key on that machine."""
        machine, separator, rest = clean_markdown(name).partition(_MACHINE_SEPARATOR)
        return (machine, rest) if separator and "/" not in machine else (self.machine, clean_markdown(name))

    def passage_id(self, key: str, machine: str = "") -> int:
        """Return the id of a passage from its key on a machine; it is never 0."""
        return _hash(self.name, f"{machine or self.machine}\0{clean_markdown(key)}") or 1


class PassageIndex(FileIndex):
    """The index over the passages of one machine, for one thread."""

    def __init__(self, connection: Connection, owner: Owner) -> None:
        self.connection = connection
        self._owner = owner
        with self._transaction():
            register(connection, owner)

    def file_states(self) -> dict[str, FileState]:
        """Return how far each file of this machine was sent."""
        with self._transaction():
            return states_of(self.connection, self._owner.machine)

    def apply(self, change: FileChange) -> None:
        # Before the transaction locks the tenant, because segmenting is slow.
        documents = {self._owner.passage_id(document.key): document.with_terms() for document in change.documents}
        path = change.path
        with self._transaction():
            revision = lock_tenant(self.connection)
            if has_pending_erasure(self.connection, self._owner.machine):
                raise StoreError(
                    "Something was forgotten on another machine: this one forgets it first, then sends what is new.",
                    hint="Start the agent on this machine.",
                )
            stored_documents = self._documents_by_id(list(documents))
            removed = {self._owner.passage_id(key) for key in change.removed_keys}
            if change.state is None:
                removed |= self._ids("c.path = %s", path)
            to_insert = {
                number: document
                for number, document in documents.items()
                if number not in stored_documents or stored_documents[number].stored_values != document.stored_values
            }
            replaced = to_insert.keys() & stored_documents.keys()
            same_vector = {
                number
                for number in replaced
                if embedding_text(stored_documents[number]) == embedding_text(to_insert[number])
            }
            delete(self.connection, self._owner, [*removed, *replaced], keep_vectors=same_vector)
            self._insert(to_insert, revision)
            self._write_state(path, change.state)
            run(
                self.connection,
                "UPDATE nanobot_memory.machine m SET revision = %s WHERE m.machine = %s",
                (revision, self._owner.machine),
            )

    def keys_from(self, path: str, offset: int) -> list[str]:
        sql = 'SELECT c.key FROM nanobot_memory.passage c WHERE c.machine = %s AND c.path = %s AND c."offset" >= %s'
        return [str(row[0]) for row in self._fetch(sql, (self._owner.machine, path, offset))]

    def has_key(self, key: str) -> bool:
        sql = "SELECT 1 FROM nanobot_memory.passage c WHERE c.id = %s"
        return bool(self._fetch(sql, (self._owner.passage_id(key),)))

    def drop_older_than(self, source: str, before: datetime) -> int:
        with self._transaction():
            lock_tenant(self.connection)
            ids = self._ids('c.source = %s AND c."timestamp" < %s', source, timestamp(before))
            delete(self.connection, self._owner, list(ids))
        return len(ids)

    def texts_without_vector(self, space: str, limit: int) -> dict[int, str]:
        """Return texts to embed by passage id, the newest first: passages of this machine without a vector."""
        sql = (
            f"SELECT c.id, {_DOCUMENT} FROM nanobot_memory.passage c "
            "WHERE c.machine = %s AND NOT EXISTS "
            "(SELECT 1 FROM nanobot_memory.embedding e WHERE e.id = c.id AND e.model = %s) "
            "ORDER BY c.revision DESC LIMIT %s"
        )
        rows = self._fetch(sql, (self._owner.machine, space, limit))
        return {row[0]: embedding_text(Document(*row[1:])) for row in rows}

    def put_vectors(self, space: str, vectors: Sequence[tuple[int, Sequence[float]]]) -> None:
        """Store vectors of unit length by document id.

        A document that was deleted or erased meanwhile gets none: its vector would reveal it.
        """
        with self._transaction():
            lock_tenant(self.connection)  # no other machine changes passages of this tenant meanwhile
            run(
                self.connection,
                "INSERT INTO nanobot_memory.embedding (model, id, vector) SELECT %s, c.id, u.vector::halfvec "
                "FROM unnest(%s::bigint[], %s::text[]) AS u(id, vector) JOIN nanobot_memory.passage c USING (id) "
                "ON CONFLICT DO NOTHING",
                (space, [number for number, _ in vectors], [_vector_text(vector) for _, vector in vectors]),
            )

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with transaction(self.connection, self._owner.tenant):
            yield

    def _insert(self, documents: Mapping[int, Document], revision: int) -> None:
        if not documents:
            return
        rows, postings = [], []
        for number, document in documents.items():
            derived = document[len(document.stored_values) + 1 :]
            rows.append((revision, number, self._owner.machine, *document.stored_values, *derived))
            counts = Counter(map(self._owner.term_hash, document.terms(Tier.HEAVY).split()))
            postings += [(term, number, count, counts.total()) for term, count in counts.items()]
        run_many(self.connection, _INSERT, rows)
        run(
            self.connection,
            "INSERT INTO nanobot_memory.posting (term, passage, count, length) "
            "SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::int[], %s::int[])",
            [list(column) for column in zip(*postings, strict=True)] if postings else [[], [], [], []],
        )
        _add_counts(self.connection, len(rows), sum(posting[2] for posting in postings))

    def _documents_by_id(self, ids: Sequence[int]) -> dict[int, Document]:
        sql = f"SELECT c.id, {_DOCUMENT} FROM nanobot_memory.passage c WHERE c.id = ANY(%s)"
        return {int(row[0]): Document(*row[1:]) for row in run(self.connection, sql, (list(ids),))}

    def _ids(self, condition: str, *values: Any) -> set[int]:
        sql = f"SELECT c.id FROM nanobot_memory.passage c WHERE c.machine = %s AND {condition}"
        return {int(row[0]) for row in run(self.connection, sql, (self._owner.machine, *values))}

    def _write_state(self, path: str, state: FileState | None) -> None:
        machine = self._owner.machine
        run(self.connection, "DELETE FROM nanobot_memory.file f WHERE f.machine = %s AND f.path = %s", (machine, path))
        if state is not None:
            sql = f"INSERT INTO nanobot_memory.file (machine, {_STATE}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
            run(self.connection, sql, (machine, *state))

    def _fetch(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._transaction():
            return run(self.connection, sql, values).fetchall()


def register(connection: Connection, owner: Owner) -> None:
    """Insert the rows of a tenant and a machine unless they exist."""
    run(
        connection,
        "INSERT INTO nanobot_memory.tenant (name) VALUES (%s) ON CONFLICT DO NOTHING",
        (owner.name,),
    )
    sql = "INSERT INTO nanobot_memory.machine (machine) VALUES (%s) ON CONFLICT DO NOTHING"
    run(connection, sql, (owner.machine,))


def lock_tenant(connection: Connection) -> int:
    """Lock the tenant against other writers until the end of the transaction, and return the new revision.

    So revisions become visible in their order.
    """
    sql = "UPDATE nanobot_memory.tenant t SET revision = t.revision + 1 RETURNING t.revision"
    row = run(connection, sql).fetchone()
    if row is None:
        raise StoreError("The shared memory of this tenant is gone from the server.", hint="It is sent again soon.")
    return int(row[0])


def has_pending_erasure(connection: Connection, machine: str) -> bool:
    """Return whether a machine has to carry out an erasure before it may send anything."""
    sql = (
        "SELECT 1 FROM nanobot_memory.forgotten f JOIN nanobot_memory.machine m ON f.revision > m.forgotten "
        "WHERE m.machine = %s AND f.body IS NOT NULL LIMIT 1"
    )
    return run(connection, sql, (machine,)).fetchone() is not None


def delete(
    connection: Connection, owner: Owner, ids: Sequence[int], *, keep_vectors: Collection[int] = frozenset()
) -> None:
    """Delete passages with their terms and vectors, in the caller's transaction."""
    if not ids:
        return
    lost = [number for number in ids if number not in keep_vectors]
    run(connection, "DELETE FROM nanobot_memory.embedding e WHERE e.id = ANY(%s)", (lost,))
    deleted_terms = run(
        connection,
        "DELETE FROM nanobot_memory.passage c WHERE c.id = ANY(%s) RETURNING c.body_terms, c.head_terms",
        (list(ids),),
    ).fetchall()
    texts = [f"{body} {head}".split() for body, head in deleted_terms]
    terms = {owner.term_hash(term) for text in texts for term in text}
    run(
        connection,
        "DELETE FROM nanobot_memory.posting p WHERE p.term = ANY(%s) AND p.passage = ANY(%s)",
        (list(terms), list(ids)),
    )
    _add_counts(connection, -len(texts), -sum(map(len, texts)))


def states_of(connection: Connection, machine: str) -> dict[str, FileState]:
    """Return how far each file of a machine was sent."""
    sql = f"SELECT {_STATE} FROM nanobot_memory.file f WHERE f.machine = %s"
    return {row[0]: FileState(*row) for row in run(connection, sql, (machine,))}


def _add_counts(connection: Connection, passages: int, terms: int) -> None:
    sql = "UPDATE nanobot_memory.tenant t SET passages = t.passages + %s, terms = t.terms + %s"
    run(connection, sql, (passages, terms))


def _vector_text(vector: Sequence[float]) -> str:
    return json.dumps([round(number, 6) for number in vector])


@lru_cache(maxsize=_MAX_CACHED)
def _cached_hash(tenant: str, text: str) -> int:
    return _hash(tenant, text)


def _hash(tenant: str, text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), key=tenant_of(tenant).bytes, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
