"""The PostgreSQL plugin: puts the memory that many machines share before this machine's own."""

import asyncio
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core import Finding, NanobotMemoryError, PluginContext, Store, hookimpl, logger
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.protocols import ExchangedEntries
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.postgres.spool import Spool
    from nanobot_memory_plugins.postgres.store import SharedStore

# Seconds between looks at what other machines have forgotten.
_LOOK = 2.0
# Seconds between looks at what became of the entries, here and on other machines.
_EXCHANGE = 1.0
# Seconds between looks at what of the files may go.
_CLEAR = 30.0
_AT_ONCE = "nobody finds it any more"
_REWRITTEN = "deleted rows stay there until the tables are written anew: `nanobot-memory postgres rewrite`"
_KEPT = "they hold it for as long as whoever runs the server keeps them"
_AWAY = "the server is away; the next start tells it, and through it the other machines"


class PostgresPlugin:
    """One memory for many machines, on a server. Without the option ``dsn`` it does nothing."""

    Options = PostgresOptions

    def __init__(self) -> None:
        self._store: SharedStore | None = None
        self._tasks = OwnedTasks()
        self._carried_out: Erasure | None = None

    @hookimpl
    async def share_store(self, context: PluginContext) -> Store | None:
        """Open the shared store before the one of this machine, which stays what answers while the server is away."""
        options, local = context.options, context.store
        if not isinstance(options, PostgresOptions) or not options.dsn.get_secret_value() or local is None:
            return None
        from nanobot_memory_plugins.postgres.store import SharedStore

        self._store = await SharedStore.open(
            context.workspace, options, context.clock, local, redact=context.redact_said
        )
        return self._store

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Begin to forget here what was forgotten elsewhere; nothing is sent before that."""
        if self._store is not None and context.host.erase is not None:
            self._store.obeys = True
            self._tasks.begin(self._obey(self._store, context))
            if self._store.spool is not None:
                self._tasks.begin(_clear(self._store, self._store.spool))
            if isinstance(context.entries, ExchangedEntries):
                self._tasks.begin(_exchange(self._store, context.entries))

    @hookimpl
    async def on_stop(self) -> None:
        """End that."""
        await self._tasks.cancel()

    @hookimpl(trylast=True)
    async def on_purge(
        self,
        texts: tuple[str, ...],
        words: tuple[str, ...],
        dry_run: bool,
        everywhere: bool,
        nearly: bool,
    ) -> list[Trace]:
        """Have every machine forget something for good, and take it out of what is shared."""
        store, erasure = self._store, Erasure((), texts, words, nearly, everywhere)
        if store is None or not erasure.names_anything or erasure == self._carried_out:
            return []
        if dry_run:
            found = await store.orders.held(erasure)
        else:
            found = await store.orders.give(erasure)
        if found is None:
            return [] if dry_run else [Trace(Sentence("the shared memory"), 0, removed=False, why=_AWAY, waits=True)]
        traces = [
            Trace(Sentence("the shared memory ({machine})", machine=machine), count, why=_AT_ONCE)
            for machine, count in sorted(found.items())
            if machine != store.machine
        ]
        # Carried out, the sender may have taken it off the server before it was counted.
        if not dry_run or any(found.values()):
            traces.append(Trace(Sentence("the files of its tables on the server"), removed=False, why=_REWRITTEN))
            traces.append(Trace(Sentence("the server's log, standbys and backups"), removed=False, why=_KEPT))
        return traces

    @hookimpl
    async def diagnose(self, context: PluginContext) -> list[Finding]:
        """Say how the server stands, what is not sent yet, and what of the entries is gone."""
        if self._store is None:
            return []
        found = await self._store.findings()
        if isinstance(context.entries, ExchangedEntries):
            found += await self._store.entries.findings(context.entries)
        return found

    async def _obey(self, store: "SharedStore", context: PluginContext) -> None:
        while True:
            for number, erasure in await store.orders.waiting():
                self._carried_out = erasure
                try:
                    done = context.host.erase is None or await context.host.erase(erasure)
                    why = "a file of it is being written"
                except NanobotMemoryError as error:
                    done, why = False, error.cause
                finally:
                    self._carried_out = None
                if not done:  # until then nothing is sent, and the others know that it is still here
                    logger.warning("what another machine has forgotten is not forgotten here yet: {}", why)
                    break
                await store.orders.obeyed(number)
            await store.orders.remember()
            await asyncio.sleep(_LOOK)


async def _exchange(store: "SharedStore", entries: ExchangedEntries) -> None:
    """Keep the entries of this machine and those of the others the same."""
    told = ""
    while True:
        try:
            while await store.entries.look(entries):
                told = ""
        except (NanobotMemoryError, OSError) as error:
            why = error.cause if isinstance(error, NanobotMemoryError) else type(error).__name__
            if why != told:
                told = why
                logger.warning("entries are not exchanged with other machines now: {}", why)
        await asyncio.sleep(_EXCHANGE)


async def _clear(store: "SharedStore", spool: "Spool") -> None:
    """Take away files that everybody has."""
    while True:
        try:
            for path in await spool.clear():
                store.notify(path)
        except (NanobotMemoryError, OSError) as error:
            logger.warning("a file that everybody has cannot be taken away: {}", type(error).__name__)
        await asyncio.sleep(_CLEAR)
