"""What of a machine is on the server alone: its file is gone there, and stays gone."""

import re
from datetime import datetime

from nanobot_memory_plugins.postgres.database.connection import (
    Connection,
    bounded_transaction,
    plain_errors,
    run,
    table,
)
from nanobot_memory_plugins.postgres.database.forgetting import alone
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import clean, of_tenant
from nanobot_memory_plugins.search.documents import FileState

# Behind a path, the moment from which on the file is not there any more: what is written there later is another one.
_SHELVED = r"@[0-9]{8}T[0-9]{6}$"


def path_of(path: str) -> str:
    """Return where a file stood before it was taken away, or stands."""
    return re.sub(_SHELVED, "", path)


def is_shelved(alias: str) -> str:
    """Return the condition that rows are of a file that was taken away."""
    return f"{alias}.path ~ '{_SHELVED}'"


def shelve(connection: Connection, whose: TenantOwner, state: FileState, moment: datetime) -> bool:
    """Keep what was sent of a file although it goes, if it is whole; return whether it is. Raises `StoreError`.

    Who breaks off before the file is gone only sends it once more.
    """
    path, mine = clean(state.path), of_tenant(whose.tenant, "f")
    with plain_errors(), bounded_transaction(connection):
        alone(connection, whose)
        gone = run(
            connection,
            f"DELETE FROM {table('file')} f WHERE {mine} AND f.machine = %s AND f.path = %s AND f.size = %s "
            "AND f.mtime_ns = %s RETURNING 1",
            (whose.machine, path, state.size, state.mtime_ns),
        ).fetchone()
        if gone is None:
            return False
        for name in ("chunk", "record"):
            run(
                connection,
                f"UPDATE {table(name)} f SET path = %s WHERE {mine} AND f.machine = %s AND f.path = %s",
                (f"{path}@{moment:%Y%m%dT%H%M%S}", whose.machine, path),
            )
        run(
            connection,
            f"UPDATE {table('machine')} f SET revision = revision + 1 WHERE {mine} AND f.machine = %s",
            (whose.machine,),
        )
    return True
