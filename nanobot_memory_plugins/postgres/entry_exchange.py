"""Exchanging the entries of this machine with those on the server: pulled first, merged here, then pushed.

What both knew last is remembered by revision and hash, in ``.storage/entries.json``: no text stands there, and without
it nothing is lost but the knowledge of who changed what.
"""

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator, Collection, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import Finding, Health, logger
from nanobot_memory_plugins.core.files import exact_time, make_missing, read_time
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.protocols import ExchangedEntries
from nanobot_memory_plugins.core.values import EntryUpdate
from nanobot_memory_plugins.postgres.database import entries, forgetting
from nanobot_memory_plugins.postgres.database.connection import Connection, bounded_transaction, plain_errors
from nanobot_memory_plugins.postgres.database.entries import EntryWrite, Pulled
from nanobot_memory_plugins.postgres.database.tenant import TenantOwner
from nanobot_memory_plugins.postgres.database.where import clean
from nanobot_memory_plugins.postgres.questions import Ask
from nanobot_memory_plugins.redaction.script.messages import Sentence

FILE = "entries.json"
# Seconds that somebody who was told to exchange waits for another process, and how often he looks.
_PATIENCE, _MOST_LOOKS = 10.0, 20
_SUBJECT = "shared memory: entries"
_COME_BACK = "An agent that runs brings them back from the server, and so does `nanobot-memory postgres send`."
# How long doctor tells of it.
_TOLD_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Agreed:
    """What this machine and the server both knew last: of each entry its revision, and the hash of its text.

    A revision below 0 is of an entry that the server has lost. ``mark`` was written on the server with that: one that
    has another has lost something. ``rebuilt`` says when entries that were gone from this machine's file came back
    last, and how many.
    """

    cursor: int = 0
    mark: str = ""
    known: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    rebuilt: tuple[str, int] | None = None

    def without(self, ids: Collection[str]) -> "Agreed":
        """Return the same as if some entries had never been seen."""
        return replace(self, known={id_: one for id_, one in self.known.items() if id_ not in ids})

    @property
    def revisions(self) -> dict[str, int]:
        """The revisions alone."""
        return {id_: revision for id_, (revision, _) in self.known.items()}


class EntryExchange:
    """Keeps the entries of one machine and those of its tenant the same. One process of a machine at a time does so."""

    def __init__(self, whose: TenantOwner, folder: Path, ask: Ask) -> None:
        self._whose = whose
        self._file = folder / FILE
        self._ask = ask
        self._seen = ""
        self._is_answered = False

    async def look(self, access: ExchangedEntries) -> bool:
        """Take in what changed elsewhere, and send what changed here; return whether there was anything.

        Raises `MemoryFileError` where this machine's entries cannot be read or written, and `OSError`.
        """
        async with self._alone(0) as is_alone:  # else another process of this machine does it
            return is_alone and await _unbroken(self._look(access))

    async def settle(self, access: ExchangedEntries) -> int | None:
        """Do so until there is nothing left to do; return how many entries are not on the server as they are here.

        None: that cannot be said, since the server or another process of this machine keeps it waiting. Raises as
        `look` does.
        """
        async with self._alone(_PATIENCE) as is_alone:
            if not is_alone:
                return None
            looks = idle = 0
            while looks < _MOST_LOOKS and idle < 2:  # once more: somebody may have been faster than the first
                looks, idle = looks + 1, 0 if await _unbroken(self._look(access)) else idle + 1
            return await self._unsent(access) if self._is_answered else None

    async def findings(self, access: ExchangedEntries) -> list[Finding]:
        """Say for ``nanobot-memory doctor`` what is gone from this machine's file, or was lately."""
        agreed = await run_in_daemon_thread(self._read)
        here = await run_in_daemon_thread(access.exported)
        lost = await run_in_daemon_thread(lambda: lost_in(access, agreed, here))
        if lost:
            state = Sentence("{count} are gone from this machine's file, and nobody took them out", count=len(lost))
            return [Finding(_SUBJECT, state, Health.DEGRADED, _COME_BACK)]
        since = read_time(agreed.rebuilt[0]) if agreed.rebuilt else None
        if agreed.rebuilt is None or since is None or datetime.now(UTC) - since > _TOLD_FOR:
            return []
        state = Sentence(
            "{count} that were gone from this machine's file came back from the server ({time:%Y-%m-%d %H:%M} UTC)",
            count=agreed.rebuilt[1],
            time=since.astimezone(UTC),
        )
        return [Finding(_SUBJECT, state, Health.INFO)]

    @asynccontextmanager
    async def _alone(self, patience: float) -> AsyncIterator[bool]:
        """Be the only process of this machine that exchanges, if that can be had."""
        from filelock import Timeout

        from nanobot_memory_plugins.core.files import private_lock

        await run_in_daemon_thread(lambda: make_missing(self._file.parent))
        lock = private_lock(self._file.with_suffix(".lock"), thread_local=False)
        try:
            await run_in_daemon_thread(lambda: lock.acquire(timeout=patience))
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    async def _unsent(self, access: ExchangedEntries) -> int:
        agreed = await run_in_daemon_thread(self._read)
        return len(changed(self._whose, agreed, await run_in_daemon_thread(access.exported)))

    async def _look(self, access: ExchangedEntries) -> bool:
        agreed = await run_in_daemon_thread(self._read)
        pulled = await self._ask(lambda connection: self._pull(connection, agreed))
        self._is_answered = pulled is not None
        version = await run_in_daemon_thread(access.version)
        if pulled is None or (not pulled.rows and not pulled.is_whole and version == self._seen):
            return False
        here = await run_in_daemon_thread(access.exported)
        if lost := await run_in_daemon_thread(lambda: lost_in(access, agreed, here)):
            agreed = agreed.without(lost)
            pulled = await self._ask(lambda connection: self._pull(connection, agreed, whole=True))
            if pulled is None:
                return False
        updates, agreed = learned(self._whose, agreed, pulled, here)
        if updates:
            await run_in_daemon_thread(lambda: access.take_in(updates))
            version = await run_in_daemon_thread(access.version)
            here = await run_in_daemon_thread(access.exported)
        if back := len(lost & here.keys()):
            agreed = replace(agreed, rebuilt=(exact_time(datetime.now(UTC)), back))
            logger.warning("{} entries were gone from this machine's file, and came back from the server", back)
        await run_in_daemon_thread(lambda: self._write(agreed))
        writes = changed(self._whose, agreed, here)
        done: dict[str, int] = {}
        if writes and (pushed := await self._ask(lambda connection: self._push(connection, agreed, writes))):
            done, mark = pushed
        if done:
            sent = {one.id: (done[one.id], hash_of(one.body)) for one in writes if one.id in done}
            agreed = replace(agreed, known={**agreed.known, **sent}, mark=mark)
            await run_in_daemon_thread(lambda: self._write(agreed))
        if len(done) == len(writes):
            self._seen = version  # else somebody was faster, or something is to be forgotten first
        return bool(updates or done)

    def _pull(self, connection: Connection, agreed: Agreed, *, whole: bool = False) -> Pulled:
        seen = (agreed.cursor, agreed.mark)
        with plain_errors():
            if not whole and entries.is_as_before(connection, self._whose, *seen):
                return Pulled((), *seen)
            with bounded_transaction(connection):
                forgetting.introduce(connection, self._whose)
                return entries.pull(connection, self._whose, *seen, agreed.revisions, whole=whole)

    def _push(self, connection: Connection, agreed: Agreed, writes: list[EntryWrite]) -> tuple[dict[str, int], str]:
        with plain_errors(), bounded_transaction(connection):
            forgetting.introduce(connection, self._whose)
            version, _ = forgetting.alone(connection, self._whose)
            # After the wait for others: what one of them has ordered to be forgotten is forgotten here first.
            is_same = entries.has_mark(connection, self._whose, agreed.mark)  # else everything is looked at again
            if not is_same or forgetting.has_orders(connection, self._whose):
                return {}, agreed.mark
            done = entries.push(connection, self._whose, writes, version)
            return done, entries.make_mark(connection, self._whose) if done else agreed.mark

    def _read(self) -> Agreed:
        try:
            values = json.loads(self._file.read_text(encoding="utf-8"))
            if values["tenant"] != self._whose.tenant.id.hex:
                return Agreed()
            known = {str(id_): (int(revision), str(hashed)) for id_, (revision, hashed) in values["known"].items()}
            rebuilt = values.get("rebuilt")
            mark = str(values.get("mark", ""))
            return Agreed(int(values["cursor"]), mark, known, (str(rebuilt[0]), int(rebuilt[1])) if rebuilt else None)
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return Agreed()

    def _write(self, agreed: Agreed) -> None:
        values = {
            "tenant": self._whose.tenant.id.hex, "cursor": agreed.cursor, "mark": agreed.mark, "known": agreed.known,
        }  # fmt: skip
        values |= {"rebuilt": agreed.rebuilt} if agreed.rebuilt is not None else {}
        temporary = self._file.with_name(f".{self._file.name}.tmp")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(values))
        os.replace(temporary, self._file)


async def _unbroken(work: Coroutine[Any, Any, bool]) -> bool:
    """Do something that is not to be broken off between what is done and what is remembered of it."""
    doing = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing})
        doing.exception()
        raise


def learned(
    whose: TenantOwner, agreed: Agreed, pulled: Pulled, here: Mapping[str, str]
) -> tuple[list[EntryUpdate], Agreed]:
    """Return what is to be merged here of what was pulled, and what is agreed upon then."""
    known = dict(agreed.known)
    if pulled.is_whole:
        there = {row.id for row in pulled.rows}
        known = {
            id_: one if id_ in there else (-abs(one[0]), one[1])
            for id_, one in known.items()
            if id_ in there or one[1] != _NOTHING
        }
    updates = []
    for row in pulled.rows:
        before, ours = known.get(row.id), here.get(row.id, "")
        before = (abs(before[0]), before[1]) if before is not None else None
        known[row.id] = (row.revision, hash_of(row.body))
        if clean(ours) == row.body:
            continue
        base = row.base
        if before is not None and row.revision < before[0]:
            base = row.body  # the server went back behind what we knew: what is here goes there again
        elif (
            before is not None
            and pulled.is_whole
            and (base or row.revision == before[0])
            and hash_of(base) != before[1]
        ):
            base = ""  # another revision of this number: what was made of the lost one stays beside it
        elif before is not None and hash_of(ours) == before[1]:
            base = ours  # nobody has changed it here
        is_other = bool(before is None and ours and row.number != entries.number_of(whose, row.id, ours))
        updates.append(EntryUpdate(row.id, base, row.body, row.forgotten, is_other))
    return updates, replace(agreed, cursor=pulled.cursor, mark=pulled.mark, known=known)


def lost_in(access: ExchangedEntries, agreed: Agreed, here: Mapping[str, str]) -> frozenset[str]:
    """Return the entries that are gone here although nobody took them out: their file is missing, or was.

    Raises `MemoryFileError`.
    """
    gone = [id_ for id_, (_, hashed) in agreed.known.items() if id_ not in here and hashed != _NOTHING]
    return frozenset(gone) - frozenset(access.taken_out(gone)) if gone else frozenset()


def changed(whose: TenantOwner, agreed: Agreed, here: Mapping[str, str]) -> list[EntryWrite]:
    """Return what of the entries here is not as it was agreed upon."""
    writes = []
    for id_, text in here.items():
        revision, hashed = agreed.known.get(id_, (0, ""))
        is_changed = hashed != hash_of(text)
        if is_changed or revision < 0:  # the number goes on, so that others see which of two is later
            at = abs(revision) + is_changed if revision < 0 else 1
            writes.append(EntryWrite(id_, entries.number_of(whose, id_, text), max(0, revision), text, at))
    for id_, (revision, hashed) in agreed.known.items():
        if id_ not in here and hashed != _NOTHING and revision > 0:
            writes.append(EntryWrite(id_, entries.number_of(whose, id_, ""), revision, ""))
    return writes


def hash_of(text: str) -> str:
    """Return the hash of an entry's text, by which it is known when it was changed."""
    return hashlib.blake2b(clean(text).encode("utf-8"), digest_size=16).hexdigest()


_NOTHING = hash_of("")
