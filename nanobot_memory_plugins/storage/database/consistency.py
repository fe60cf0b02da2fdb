"""Whether every vector has its document and every document that counts as embedded its vector."""

import apsw

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.storage.database.connection import VectorBackend, query
from nanobot_memory_plugins.storage.database.schema import next_revision
from nanobot_memory_plugins.storage.database.spaces import VectorSpace, all_spaces, remove_vector


def orphans_and_lost(connection: apsw.Connection, space: VectorSpace) -> tuple[list[int], list[int]]:
    """Return the row ids of the vectors that belong to no document, and of documents that have lost their vector.

    A space in sqlite-vec can be looked at only where that is loaded.
    """
    stored = (
        f"SELECT rowid FROM {space.table}"
        if space.backend is VectorBackend.VEC0
        else f"SELECT doc_id FROM vectors WHERE space_id = {space.id}"
    )
    known = f"SELECT doc_id FROM embedded WHERE space_id = {space.id} AND usable"
    orphans = query(connection, f"SELECT * FROM ({stored} EXCEPT {known})")
    lost = query(connection, f"SELECT * FROM ({known} EXCEPT {stored})")
    return [row[0] for row in orphans], [row[0] for row in lost]


def repair_vectors(connection: apsw.Connection, available: VectorBackend) -> bool:
    """Drop the vectors of no document, and let lost ones be made again; return whether there were any.

    Part of the caller's transaction.
    """
    repaired = 0
    for space in all_spaces(connection):
        if space.backend is VectorBackend.VEC0 and available is not VectorBackend.VEC0:
            continue
        orphans, lost = orphans_and_lost(connection, space)
        for doc_id in orphans:
            remove_vector(connection, space, doc_id)
        connection.executemany(
            "DELETE FROM embedded WHERE space_id = ? AND doc_id = ?", ((space.id, doc_id) for doc_id in lost)
        )
        repaired += len(orphans) + len(lost)
    if repaired:
        next_revision(connection)
        logger.warning("index and vectors were out of step at {} passages; they are embedded again", repaired)
    return bool(repaired)
