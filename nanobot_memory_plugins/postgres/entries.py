"""The exchange of scored entries between this machine's file and the server, which has a row for each.

The state database stores the revision and the hash of each entry that both sides knew last. It contains no text, and
losing it loses only the knowledge of which side changed an entry.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.erasure.matching import ErasureMatcher
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import ExchangedEntries
from nanobot_memory_plugins.core.state import StateDatabase
from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.values.entries import EntryUpdate, exported_text
from nanobot_memory_plugins.postgres.connection import Connection, run, run_many
from nanobot_memory_plugins.postgres.passages import Owner, has_pending_erasure, lock_tenant, register
from nanobot_memory_plugins.postgres.server import Server

_TASK = "shared entries"
# Seconds that a cancelled exchange may take to finish, and that `exchange_all` waits for another process.
_LOCK_SECONDS = 20.0
_MAX_ROUNDS = 20


# Changes of this machine to entries, by id: the revision that it knows, 0 for a new entry, and the new text, empty for
# a removed entry.
Writes = dict[str, tuple[int, str]]


class EntryExchange:
    """Synchronizes the entries of one machine with its tenant's, in one process of the machine at a time."""

    def __init__(self, owner: Owner, paths: MemoryPaths, server: Server) -> None:
        self._owner = owner
        self._state = StateDatabase.of(paths)
        self._lock = paths.index_folder / "entries.lock"
        self._server = server
        self._exchanged_version = ""

    async def exchange_once(self, access: ExchangedEntries, *, lock_timeout: float = 0.0) -> bool | None:
        """Merge changes from the server, send changes to it, and return whether there were any.

        None when the server is away or another process holds the lock. Raises `MemoryFileError` when this machine's
        entries cannot be read or written, and `OSError`.
        """
        exchange = asyncio.ensure_future(run_in_daemon_thread(self._exchange_locked, access, lock_timeout))
        try:
            return await asyncio.shield(exchange)
        except asyncio.CancelledError:  # finish, so that the known revisions are stored with the changes
            await asyncio.wait({exchange}, timeout=_LOCK_SECONDS)
            raise

    async def exchange_all(self, access: ExchangedEntries) -> int | None:
        """Exchange until there are no more changes, and return how many entries differ from the server.

        None when that is unknown. Raises as `exchange_once` does.
        """
        for _ in range(_MAX_ROUNDS):
            is_new = await self.exchange_once(access, lock_timeout=_LOCK_SECONDS)
            if is_new is None:
                return None
            if not is_new:
                break
        return await run_in_daemon_thread(lambda: len(local_changes(self._load_known()[1], access.export_entries())))

    def _exchange_locked(self, access: ExchangedEntries, lock_timeout: float) -> bool | None:
        from filelock import Timeout

        self._lock.parent.mkdir(0o700, parents=True, exist_ok=True)
        try:
            with private_lock(self._lock).acquire(timeout=lock_timeout):
                return self._exchange(access)
        except (Timeout, StoreError):
            return None

    def _exchange(self, access: ExchangedEntries) -> bool:
        known_state, known = self._load_known()
        state = self._server.use(_entries_state)
        version = access.version()
        if state == known_state and version == self._exchanged_version:
            return False
        local = access.export_entries()
        missing = [id_ for id_, (_, digest) in known.items() if id_ not in local and digest != _REMOVED]
        lost = set(missing) - set(access.removed_entries(missing) if missing else ())
        for id_ in lost:  # lost with their file, not removed by anybody: restore them from the server
            del known[id_]
        updates: list[EntryUpdate] = []
        if state != known_state or lost:
            state, rows, server_revisions = self._server.use(lambda connection: pull(connection, known))
            updates, known = merge_changes(known, rows, server_revisions, local)
        if updates:
            access.merge_updates(updates)
            version, local = access.version(), access.export_entries()
        if back := len(lost & local.keys()):
            logger.warning("{} entries were gone from this machine's file, and came back from the server", back)
        writes, written = local_changes(known, local), dict[str, int]()
        try:
            if writes:
                written = self._server.use(lambda connection: push(connection, self._owner, writes))
        finally:
            known |= {id_: (revision, hash_of(writes[id_][1])) for id_, revision in written.items()}
            self._state.set_task(_TASK, self._owner.tenant.hex, {"state": state, "known": known})
        if len(written) == len(writes):
            self._exchanged_version = version  # else another machine was faster, or an erasure is pending
        return bool(updates or written)

    def _load_known(self) -> tuple[str, dict[str, tuple[int, str]]]:
        """Return the server's state at the last exchange, and the revision and text hash of each entry by id.

        While the server's state is the same, no entry has changed there.
        """
        values = self._state.task(_TASK, self._owner.tenant.hex) or {}
        known = {id_: (int(revision), str(digest)) for id_, (revision, digest) in values.get("known", {}).items()}
        return values.get("state", ""), known


def merge_changes(
    known: Mapping[str, tuple[int, str]],
    rows: Sequence[tuple[int, EntryUpdate]],
    server_revisions: Mapping[str, int],
    local: Mapping[str, str],
) -> tuple[list[EntryUpdate], dict[str, tuple[int, str]]]:
    """Return the updates to merge into the local entries, and what is known after that.

    ``rows`` are changed entries with their revisions. An entry that the server has lost, which is not in
    ``server_revisions``, is not an update: it is sent again.
    """
    new_known = {id_: (entry[0], entry[1] if id_ in server_revisions else _LOST) for id_, entry in known.items()}
    updates = []
    for revision, update in rows:
        before, body, base = known.get(update.id), local.get(update.id, ""), update.base
        new_known[update.id] = (revision, hash_of(update.remote))
        if clean_markdown(body) == update.remote:
            continue
        if before is not None and revision < before[0]:
            base = update.remote  # the server was restored to an older state: the local text is sent again
        elif before is not None and (revision == before[0] or (base and hash_of(base) != before[1])):
            base = ""  # the server lost the known revision and has another text: keep both
        elif before is not None and hash_of(body) == before[1]:
            base = body  # unchanged here
        updates.append(replace(update, base=base))
    return updates, new_known


def local_changes(known: Mapping[str, tuple[int, str]], local: Mapping[str, str]) -> Writes:
    """Return the local entries that differ from their known state on the server, and the removed ones."""
    current = ((id_, text, *known.get(id_, (0, ""))) for id_, text in local.items())
    writes = {id_: (revision, text) for id_, text, revision, digest in current if digest != hash_of(text)}
    for id_, (revision, digest) in known.items():
        if id_ not in local and digest not in (_REMOVED, _LOST):
            writes[id_] = revision, ""
    return writes


def hash_of(text: str) -> str:
    """Return the hash of an entry's text, by which changes are recognized."""
    return hashlib.blake2b(clean_markdown(text).encode("utf-8"), digest_size=16).hexdigest()


_REMOVED, _LOST = hash_of(""), "lost"


def pull(
    connection: Connection, known: Mapping[str, tuple[int, str]]
) -> tuple[str, list[tuple[int, EntryUpdate]], dict[str, int]]:
    """Return the server's state, the entries that differ from ``known`` with their revisions, and all revisions by id.

    The text of a removed entry is empty. The base of an update is the text at the known revision, or the last text of a
    removed entry that was never known here.
    """
    state = _entries_state(connection)
    revision_rows = run(connection, "SELECT e.id, e.revision, e.digest FROM nanobot_memory.entry e").fetchall()
    revisions = {str(id_): int(revision) for id_, revision, _ in revision_rows}
    news = [id_ for id_, revision, digest in revision_rows if known.get(id_) != (revision, digest)]
    rows = run(
        connection,
        "SELECT e.revision, e.id, coalesce((SELECT c.body FROM nanobot_memory.change c WHERE c.id = e.id "
        "AND c.body IS NOT NULL AND c.revision <= coalesce(u.revision, CASE WHEN e.body IS NULL THEN e.revision "
        "ELSE 0 END) ORDER BY c.revision DESC LIMIT 1), ''), coalesce(e.body, ''), e.forgotten "
        "FROM nanobot_memory.entry e LEFT JOIN unnest(%s::text[], %s::int[]) AS u(id, revision) ON u.id = e.id "
        "WHERE e.id = ANY(%s) ORDER BY e.id",
        (list(known), [revision for revision, _ in known.values()], news),
    ).fetchall()
    return state, [(revision, EntryUpdate(*update)) for revision, *update in rows], revisions


def push(connection: Connection, owner: Owner, writes: Writes) -> dict[str, int]:
    """Write entries that were not changed on the server meanwhile, and return the new revision of each written one."""
    register(connection, owner)
    lock_tenant(connection)
    if has_pending_erasure(connection, owner.machine):
        return {}
    written = run(
        connection,
        "INSERT INTO nanobot_memory.entry AS e (id, revision, machine, digest, body) "
        "SELECT u.id, u.revision + 1, %s, u.digest, u.body FROM unnest(%s::text[], %s::int[], %s::text[], %s::text[]) "
        "AS u(id, revision, digest, body) ON CONFLICT (tenant, id) DO UPDATE SET revision = excluded.revision, "
        "machine = excluded.machine, changed_at = clock_timestamp(), digest = excluded.digest, body = excluded.body "
        "WHERE e.revision = excluded.revision - 1 AND NOT e.forgotten RETURNING e.id, e.revision, e.body",
        (
            owner.machine,
            list(writes),
            [revision for revision, _ in writes.values()],
            [hash_of(body) for _, body in writes.values()],
            [clean_markdown(body) or None for _, body in writes.values()],
        ),
    ).fetchall()
    run_many(
        connection,
        "INSERT INTO nanobot_memory.change (id, revision, body) VALUES (%s, %s, %s) "
        "ON CONFLICT (tenant, id, revision) DO UPDATE SET body = excluded.body",
        written,
    )
    if written:
        _mark_changed(connection)
    return {str(id_): int(revision) for id_, revision, _ in written}


def forget(connection: Connection, machine: str, matcher: ErasureMatcher) -> None:
    """Erase the entries that match, and their earlier texts.

    Their empty rows stay, so that every machine learns of it and none restores them.
    """
    texts: dict[str, str | None] = dict(run(connection, "SELECT e.id, e.body FROM nanobot_memory.entry e").fetchall())
    rows = run(connection, "SELECT c.id, c.revision, c.body FROM nanobot_memory.change c WHERE c.body IS NOT NULL")
    earlier = [(id_, revision) for id_, revision, body in rows.fetchall() if _matches(matcher, body)]
    # A machine that is away may have changed an entry that was removed meanwhile.
    ids = {id_ for id_, body in texts.items() if body and _matches(matcher, body)}
    ids |= {id_ for id_, _ in earlier if not texts.get(id_)}
    run(
        connection,
        "UPDATE nanobot_memory.entry e SET body = NULL, digest = %s, forgotten = true, revision = e.revision + 1, "
        "machine = %s, changed_at = clock_timestamp() WHERE e.id = ANY(%s)",
        (_REMOVED, machine, list(ids)),
    )
    run(
        connection,
        "DELETE FROM nanobot_memory.change c USING unnest(%s::text[], %s::int[]) AS u(id, revision) "
        "WHERE c.id = u.id AND c.revision = u.revision",
        ([id_ for id_, _ in earlier], [revision for _, revision in earlier]),
    )
    if ids:
        _mark_changed(connection)


def _entries_state(connection: Connection) -> str:
    row = run(connection, "SELECT t.entries FROM nanobot_memory.tenant t").fetchone()
    return row[0].hex if row is not None else ""


def _mark_changed(connection: Connection) -> None:
    run(connection, "UPDATE nanobot_memory.tenant t SET entries = gen_random_uuid()")


def _matches(matcher: ErasureMatcher, body: str) -> bool:
    return matcher.count(exported_text(body)) > 0
