"""Passages as rows of the shared memory: what is stored of a document, and how it is read back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.postgres.database.connection import Connection, run, run_many, table
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.postgres.database.weights import weights_of
from nanobot_memory_plugins.postgres.database.where import clean, of_tenant
from nanobot_memory_plugins.search.candidate_rows import CandidateRow
from nanobot_memory_plugins.search.document_rows import (
    DOCUMENT_COLUMNS,
    document_values,
    embedding_hash,
    row_hash,
)
from nanobot_memory_plugins.search.documents import Document
from nanobot_memory_plugins.search.indexed_text import derived_of
from nanobot_memory_plugins.search.timestamps import timestamp

_COLUMNS = tuple(name.strip().strip('"') for name in DOCUMENT_COLUMNS.split(","))
_STORED = (
    "id",
    "machine",
    *_COLUMNS,
    "timestamp",
    "body_terms",
    "head_terms",
    "traits",
    "embedding_hash",
    "row_hash",
    "terms",
    "bm25",
)
_PLACE = {"bm25": "%s::sparsevec", "terms": "string_to_array(%s, ' ')::bigint[]"}
_QUOTED = ", ".join(f'"{name}"' for name in _STORED)
_INSERT = (
    f"INSERT INTO {table('chunk')} (tenant, version, large, {_QUOTED}) "
    f"VALUES (%s, %s, %s, {', '.join(_PLACE.get(name, '%s') for name in _STORED)})"
)
# Between a machine's name and what is named there: neither a path nor a key of ours begins with a name and this.
OF_MACHINE = ":"


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A document as it is stored, made before the transaction begins."""

    id: int
    row_hash: bytes
    embedding_hash: bytes
    values: tuple[Any, ...]


def passage_of(tenant: Tenant, machine: str, document: Document, average: float) -> StoredPassage:
    """Segment and weigh a document of a machine."""
    values = tuple(clean(value) if isinstance(value, str) else value for value in document_values(document))
    body, head, traits = derived_of(document)
    body, head = clean(body), clean(head)
    hashed = [tenant.term(term) for term in f"{body} {head}".split()]
    identity, embedded = row_hash(values), embedding_hash(document)
    number = tenant.chunk(machine, values[0])
    time = timestamp(document.time) if document.time else None
    distinct = " ".join(map(str, sorted(set(hashed))))
    stored = (number, machine, *values, time, body, head, traits, embedded, identity, distinct)
    return StoredPassage(number, identity, embedded, (*stored, weights_of(hashed, average)))


def insert(
    connection: Connection, tenant: Tenant, passages: Sequence[StoredPassage], version: int, *, large: bool
) -> None:
    """Write passages that are not there."""
    with connection.cursor() as cursor:
        run_many(cursor, _INSERT, [(tenant.id, version, large, *one.values) for one in passages])


def row_columns(alias: str = "c") -> str:
    """Return the columns of a `CandidateRow`. Before path and key of another machine stands its name (``machine``)."""
    foreign = f"CASE WHEN {alias}.machine = %(machine)s THEN '' ELSE {alias}.machine || '{OF_MACHINE}' END"
    named = {"key": f"{foreign} || {alias}.key", "path": f"{foreign} || {alias}.path"}
    own = [named.get(name, f'{alias}."{name}"') for name in _COLUMNS]
    return ", ".join((f"{alias}.id", f"{alias}.body_terms", f"{alias}.head_terms", f"{alias}.traits", *own))


def rows_of(found: Iterable[Sequence[Any]]) -> list[CandidateRow]:
    """Return rows as the search takes them."""
    return [CandidateRow._make(one) for one in found]


def delete(connection: Connection, tenant: Tenant, ids: Sequence[int], *, large: bool) -> int:
    """Delete passages with their vectors; return how many there were."""
    if not ids:
        return 0
    mine = of_tenant(tenant, "c")
    run(
        connection,
        f"DELETE FROM {table('embedding')} c WHERE {mine} AND c.id = ANY(%s)",
        (list(ids),),
    )
    gone = run(
        connection,
        f"DELETE FROM {table('chunk')} c WHERE {mine} AND c.id = ANY(%s) RETURNING c.terms",
        (list(ids),),
    ).fetchall()
    if large:
        count(connection, tenant, [row[0] for row in gone], -1)
    return len(gone)


def count(connection: Connection, tenant: Tenant, terms: Sequence[Sequence[int]], step: int) -> None:
    """Count in how many passages of a large tenant each term stands. In order, or two writers wait for each other."""
    counted: dict[int, int] = {}
    for one in terms:
        for term in set(one):
            counted[term] = counted.get(term, 0) + step
    if counted:
        run(
            connection,
            f"INSERT INTO {table('term')} AS t (tenant, term, documents) "
            "SELECT %s, u.term, u.documents FROM unnest(%s::bigint[], %s::int[]) AS u(term, documents) ORDER BY u.term "
            "ON CONFLICT (tenant, term) DO UPDATE SET documents = t.documents + excluded.documents",
            (tenant.id, list(counted), list(counted.values())),
        )
