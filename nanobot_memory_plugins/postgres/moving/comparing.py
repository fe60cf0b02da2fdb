"""What stands in this machine's files and what stands on the server, by count and by hash."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from nanobot_memory_plugins.core.files import open_regular
from nanobot_memory_plugins.postgres.database.connection import Connection, plain_errors, run, table
from nanobot_memory_plugins.postgres.database.passages import passage_of
from nanobot_memory_plugins.postgres.database.schema import AVERAGE_TERMS
from nanobot_memory_plugins.postgres.database.shelving import is_shelved
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import of_tenant
from nanobot_memory_plugins.search.documents import Document
from nanobot_memory_plugins.search.indexer.session import PASSING_SOURCE, SessionSettings
from nanobot_memory_plugins.search.sources.pieces import Chunking, Keys
from nanobot_memory_plugins.search.sources.places import Places
from nanobot_memory_plugins.search.sources.reader import read_pieces
from nanobot_memory_plugins.search.timestamps import timestamp


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of things that are to be the same, each thing by its hash: how many, and one hash over all."""

    here: frozenset[bytes]
    there: frozenset[bytes]

    @property
    def is_same(self) -> bool:
        """Whether both are the same."""
        return self.here == self.there

    @property
    def digest(self) -> str:
        """One hash over everything that is here."""
        return digest_of(self.here)


def digest_of(hashes: Iterable[bytes]) -> str:
    """Return one hash over hashes, whatever their order."""
    whole = hashlib.sha256()
    for one in sorted(hashes):
        whole.update(one)
    return whole.hexdigest()


def compared_with_server(
    connection: Connection, whose: TenantOwner, places: Places, chunking: Chunking, now: datetime
) -> Comparison:
    """Compare the passages of this machine's files with those that it has on the server. Raises `StoreError`.

    Observations that are too old to be searched stand in the files, and are taken off the server once a day: so neither
    side's count.
    """
    age = SessionSettings().observation_max_age
    limit = timestamp(now - age) if age is not None else None
    here = frozenset(
        passage.id.to_bytes(8, "big", signed=True) + passage.row_hash
        for documents, _ in pieces(places, chunking)
        for passage in (
            passage_of(whose.tenant, whose.machine, one, AVERAGE_TERMS) for one in documents if not _is_old(one, limit)
        )
    )
    with plain_errors():
        sql = (
            f"SELECT c.id, c.row_hash FROM {table('chunk')} c WHERE {of_tenant(whose.tenant, 'c')} "
            f"AND c.machine = %(machine)s AND NOT {is_shelved('c')} "
            'AND (c.source, coalesce(c."timestamp" < %(limit)s, false)) <> (%(passing)s, true)'
        )
        values = {"machine": whose.machine, "limit": limit, "passing": PASSING_SOURCE}
        there = frozenset(
            int(number).to_bytes(8, "big", signed=True) + bytes(row_hash)
            for number, row_hash in run(connection, sql, values)
        )
    return Comparison(here, there)


def _is_old(document: Document, limit: float | None) -> bool:
    if limit is None or document.source != PASSING_SOURCE or document.time is None:
        return False
    return timestamp(document.time) < limit


def pieces(places: Places, chunking: Chunking) -> Iterator[tuple[list[Document], bytes]]:
    """Yield everything that stands in the memory files: the passages of each piece, and its bytes."""
    for source in places.find():
        keys, ordinal = Keys(), 0
        with open_regular(source.path) as file:
            for piece in read_pieces(file, source, 0, 1, chunking):
                documents = keys.number(piece.documents, ordinal)
                ordinal += len(documents)
                yield documents, piece.raw


def hash_of(raw: bytes) -> bytes:
    """Return the hash of a record's bytes, whatever empty lines stand around it."""
    return hashlib.sha256(raw.strip()).digest()
