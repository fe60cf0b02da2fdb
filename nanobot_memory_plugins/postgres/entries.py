"""The scored entries of a tenant: a row each, and how this machine's are kept the same as those.

What both knew last is remembered by revision and hash, in the state database: it contains no text, and without it
nothing is lost but the knowledge of who changed what.
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
from nanobot_memory_plugins.postgres.passages import Owner, begin, has_to_forget, introduce
from nanobot_memory_plugins.postgres.server import Server

_TASK = "shared entries"
# Seconds that the end waits for an exchange, and whoever asks for one for another process.
_PATIENCE = 20.0
_MOST_LOOKS = 20


# What this machine makes of entries, by id: the revision at which it knows each, 0 for a new one, and its text, empty
# where it is taken out.
Writes = dict[str, tuple[int, str]]


class EntryExchange:
    """Keeps the entries of one machine and those of its tenant the same. One process of a machine at a time does so."""

    def __init__(self, owner: Owner, paths: MemoryPaths, server: Server) -> None:
        self._owner = owner
        self._state = StateDatabase.of(paths)
        self._lock = paths.index_folder / "entries.lock"
        self._server = server
        self._seen = ""

    async def look(self, access: ExchangedEntries, *, patience: float = 0.0) -> bool | None:
        """Take in what changed elsewhere, and send what changed here; return whether there was anything.

        None: the server, or another process of this machine, keeps it waiting. Raises `MemoryFileError` where this
        machine's entries cannot be read or written, and `OSError`.
        """
        looking = asyncio.ensure_future(run_in_daemon_thread(self._look, access, patience))
        try:
            return await asyncio.shield(looking)
        except asyncio.CancelledError:  # not to be broken off between what is done and what is remembered of it
            await asyncio.wait({looking}, timeout=_PATIENCE)
            raise

    async def settle(self, access: ExchangedEntries) -> int | None:
        """Exchange until there is nothing left to do; return how many entries are not on the server as they are here.

        None: that cannot be said. Raises as `look` does.
        """
        for _ in range(_MOST_LOOKS):
            is_new = await self.look(access, patience=_PATIENCE)
            if is_new is None:
                return None
            if not is_new:
                break
        return await run_in_daemon_thread(lambda: len(changed(self._agreed()[1], access.export_entries())))

    def _look(self, access: ExchangedEntries, patience: float) -> bool | None:
        from filelock import Timeout

        self._lock.parent.mkdir(0o700, parents=True, exist_ok=True)
        try:
            with private_lock(self._lock).acquire(timeout=patience):
                return self._exchange(access)
        except (Timeout, StoreError):
            return None

    def _exchange(self, access: ExchangedEntries) -> bool:
        former, known = self._agreed()
        state = self._server.use(_state)
        version = access.version()
        if state == former and version == self._seen:
            return False
        local = access.export_entries()
        gone = [id_ for id_, (_, digest) in known.items() if id_ not in local and digest != _NOTHING]
        lost = set(gone) - set(access.removed_entries(gone) if gone else ())
        for id_ in lost:  # with their file: nobody took them out, so they come back
            del known[id_]
        updates: list[EntryUpdate] = []
        if state != former or lost:
            state, rows, server_revisions = self._server.use(lambda connection: pull(connection, known))
            updates, known = learned(known, rows, server_revisions, local)
        if updates:
            access.merge_updates(updates)
            version, local = access.version(), access.export_entries()
        if back := len(lost & local.keys()):
            logger.warning("{} entries were gone from this machine's file, and came back from the server", back)
        writes, done = changed(known, local), dict[str, int]()
        try:
            if writes:
                done = self._server.use(lambda connection: push(connection, self._owner, writes))
        finally:
            known |= {id_: (revision, hash_of(writes[id_][1])) for id_, revision in done.items()}
            self._state.set_task(_TASK, self._owner.tenant.hex, {"state": state, "known": known})
        if len(done) == len(writes):
            self._seen = version  # else somebody was faster, or something is to be forgotten first
        return bool(updates or done)

    def _agreed(self) -> tuple[str, dict[str, tuple[int, str]]]:
        """Return what this machine and the server both knew last: of each entry its revision, and its text's hash.

        The first is the server's word for all of them: while it has the same there is nothing to look at.
        """
        values = self._state.task(_TASK, self._owner.tenant.hex) or {}
        known = {id_: (int(revision), str(digest)) for id_, (revision, digest) in values.get("known", {}).items()}
        return values.get("state", ""), known


def learned(
    known: Mapping[str, tuple[int, str]],
    rows: Sequence[tuple[int, EntryUpdate]],
    server_revisions: Mapping[str, int],
    local: Mapping[str, str],
) -> tuple[list[EntryUpdate], dict[str, tuple[int, str]]]:
    """Return what is to be merged here of what is news, each with its revision, and what is known then.

    What the server has lost (it is not in ``server_revisions``) is no news: it is sent again.
    """
    after = {id_: (entry[0], entry[1] if id_ in server_revisions else _LOST) for id_, entry in known.items()}
    updates = []
    for revision, update in rows:
        before, body, base = known.get(update.id), local.get(update.id, ""), update.base
        after[update.id] = (revision, hash_of(update.remote))
        if clean_markdown(body) == update.remote:
            continue
        if before is not None and revision < before[0]:
            base = update.remote  # the server went back to an older state than was known: what is here goes there again
        elif before is not None and (revision == before[0] or (base and hash_of(base) != before[1])):
            base = ""  # it lost what was known, and somebody has written anew: both stay
        elif before is not None and hash_of(body) == before[1]:
            base = body  # nobody has changed it here
        updates.append(replace(update, base=base))
    return updates, after


def changed(known: Mapping[str, tuple[int, str]], local: Mapping[str, str]) -> Writes:
    """Return what of the entries here is not as it is known to be on the server."""
    here = ((id_, text, *known.get(id_, (0, ""))) for id_, text in local.items())
    writes = {id_: (revision, text) for id_, text, revision, digest in here if digest != hash_of(text)}
    for id_, (revision, digest) in known.items():
        if id_ not in local and digest not in (_NOTHING, _LOST):
            writes[id_] = revision, ""
    return writes


def hash_of(text: str) -> str:
    """Return the hash of an entry's text, by which it is known when it was changed."""
    return hashlib.blake2b(clean_markdown(text).encode("utf-8"), digest_size=16).hexdigest()


_NOTHING, _LOST = hash_of(""), "lost"


def pull(
    connection: Connection, known: Mapping[str, tuple[int, str]]
) -> tuple[str, list[tuple[int, EntryUpdate]], dict[str, int]]:
    """Return the state of the entries, those that are not as they are known with their revisions, and that of each.

    The text of one that was taken out is empty; with each comes what it was before.
    """
    state = _state(connection)
    found = run(connection, "SELECT e.id, e.revision, e.digest FROM nanobot_memory.entry e").fetchall()
    revisions = {str(id_): int(revision) for id_, revision, _ in found}
    news = [id_ for id_, revision, digest in found if known.get(id_) != (revision, digest)]
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
    """Change entries that nobody has changed since; return the new revision of each that was."""
    introduce(connection, owner)
    begin(connection)
    if has_to_forget(connection, owner.machine):
        return {}
    done = run(
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
        done,
    )
    if done:
        _touch(connection)
    return {str(id_): int(revision) for id_, revision, _ in done}


def forget(connection: Connection, machine: str, matcher: ErasureMatcher) -> None:
    """Take out for good the entries that hold what is wanted, and what they ever said.

    Their rows stay, empty: so every machine learns of it, and none brings them back.
    """
    now: dict[str, str | None] = dict(run(connection, "SELECT e.id, e.body FROM nanobot_memory.entry e").fetchall())
    was = run(connection, "SELECT c.id, c.revision, c.body FROM nanobot_memory.change c WHERE c.body IS NOT NULL")
    earlier = [(id_, revision) for id_, revision, body in was.fetchall() if _holds(matcher, body)]
    # One that was taken out already may have been changed by a machine that is away.
    ids = {id_ for id_, body in now.items() if body and _holds(matcher, body)}
    ids |= {id_ for id_, _ in earlier if not now.get(id_)}
    run(
        connection,
        "UPDATE nanobot_memory.entry e SET body = NULL, digest = %s, forgotten = true, revision = e.revision + 1, "
        "machine = %s, changed_at = clock_timestamp() WHERE e.id = ANY(%s)",
        (_NOTHING, machine, list(ids)),
    )
    run(
        connection,
        "DELETE FROM nanobot_memory.change c USING unnest(%s::text[], %s::int[]) AS u(id, revision) "
        "WHERE c.id = u.id AND c.revision = u.revision",
        ([id_ for id_, _ in earlier], [revision for _, revision in earlier]),
    )
    if ids:
        _touch(connection)


def _state(connection: Connection) -> str:
    row = run(connection, "SELECT t.entries FROM nanobot_memory.tenant t").fetchone()
    return row[0].hex if row is not None else ""


def _touch(connection: Connection) -> None:
    run(connection, "UPDATE nanobot_memory.tenant t SET entries = gen_random_uuid()")


def _holds(matcher: ErasureMatcher, body: str) -> bool:
    return matcher.count(exported_text(body)) > 0
