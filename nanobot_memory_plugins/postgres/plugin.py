"""The PostgreSQL plugin: puts the memory that many machines share before this machine's own."""

import asyncio
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core import Finding, Health, NanobotMemoryError, PluginContext, Store, hookimpl, logger
from nanobot_memory_plugins.core.isolation.threads import OwnedTasks
from nanobot_memory_plugins.core.protocols import ExchangedEntries
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.postgres.options import PostgresOptions
from nanobot_memory_plugins.redaction.script.messages import Sentence

if TYPE_CHECKING:
    from nanobot_memory_plugins.postgres.store import SharedStore

# Seconds between looks at what other machines have forgotten, and at what became of the entries.
_LOOK = 1.0
_AT_ONCE = "nobody finds it any more"
_KEPT = (
    "deleted rows stay there until a VACUUM FULL; its log, standbys and backups hold them for as long as they are kept"
)
_AWAY = "the server is away; it is told once it is back, and through it the other machines"


class PostgresPlugin:
    """One memory for many machines, on a server. Without the option ``dsn`` it does nothing."""

    Options = PostgresOptions

    def __init__(self) -> None:
        self._store: SharedStore | None = None
        self._refused = ""
        self._tasks = OwnedTasks()
        self._carried_out: Erasure | None = None
        self._untold: list[Erasure] = []

    @hookimpl
    async def open_shared_store(self, context: PluginContext) -> Store | None:
        """Open the shared store before the one of this machine, which stays what answers while the server is away.

        Nothing is opened while an option is wrong: a typing error must not publish one memory to another tenant.
        """
        options, local = context.options, context.store
        if not isinstance(options, PostgresOptions) or not options.shares or local is None:
            return None
        self._refused = refusal(options, context.host.wrong_options)
        if self._refused:
            logger.error("the memory is not shared: {}", self._refused)
            return None
        from nanobot_memory_plugins.postgres.store import SharedStore

        store = SharedStore(context.workspace, options, context.clock, local, redact=context.redact_said)
        await store.start()
        self._store = store
        return self._store

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Begin to forget here what was forgotten elsewhere, and to exchange entries."""
        if self._store is not None and context.host.erase is not None:
            self._tasks.begin(self._keep_up(self._store, context))

    @hookimpl
    async def on_stop(self) -> None:
        """End that."""
        await self._tasks.cancel()

    @hookimpl(trylast=True)
    async def on_purge(
        self,
        texts: tuple[str, ...],
        words: tuple[str, ...],
        ids: tuple[str, ...],
        dry_run: bool,
        everywhere: bool,
    ) -> list[Trace]:
        """Have every machine forget something for good, and take it out of what is shared."""
        store, erasure = self._store, Erasure(ids, texts, words, everywhere)
        if store is None or not erasure.has_targets or erasure == self._carried_out:
            return []
        found = await store.found(erasure) if dry_run else await store.forget(erasure)
        if found is None:
            self._untold += [] if dry_run else [erasure]
            return [] if dry_run else [Trace(Sentence("the shared memory"), 0, removed=False, why=_AWAY, waits=True)]
        traces = [
            Trace(Sentence("the shared memory ({machine})", machine=machine), count, why=_AT_ONCE)
            for machine, count in sorted(found.items())
            if machine != store.owner.machine
        ]
        # Carried out, the sender may have taken it off the server before it was counted.
        if not dry_run or any(found.values()):
            traces.append(Trace(Sentence("the files of the server"), removed=False, why=_KEPT))
        return traces

    @hookimpl
    async def diagnose(self) -> list[Finding]:
        """Return the state of the server, and what is not sent yet."""
        if self._refused:
            return [
                Finding(
                    "shared memory",
                    Sentence("not shared: {why}", why=self._refused),
                    Health.BAD,
                    "Correct the options of postgres in the configuration; until then this machine's own index answers,"
                    " and nothing is sent.",
                )
            ]
        return await self._store.findings() if self._store is not None else []

    async def _keep_up(self, store: "SharedStore", context: PluginContext) -> None:
        logged = ""
        while True:
            try:
                await self._forget(store, context)
                if isinstance(context.entries, ExchangedEntries):
                    while await store.entries.look(context.entries):
                        continue
                logged = ""
            except (NanobotMemoryError, OSError) as error:
                reason = error.cause if isinstance(error, NanobotMemoryError) else type(error).__name__
                if reason != logged:
                    logged = reason
                    logger.warning("what other machines made of the memory is not taken in now: {}", reason)
            await asyncio.sleep(_LOOK)

    async def _forget(self, store: "SharedStore", context: PluginContext) -> None:
        if self._untold and store.server.up and context.host.erase is not None:
            # Which finishes what was broken off, and comes back to `on_purge`.
            await context.host.erase(self._untold[0])
            del self._untold[0]
        for revision, erasure in await store.to_forget():
            self._carried_out = erasure
            try:
                done = context.host.erase is None or await context.host.erase(erasure)
            finally:
                self._carried_out = None
            if not done:  # until then nothing is sent, and the others know that it is still here
                logger.warning("what another machine has forgotten is not forgotten here yet: a file is being written")
                return
            await store.has_forgotten(revision)


def refusal(options: PostgresOptions, wrong: tuple[str, ...]) -> str:
    """Return why no memory may be shared with these options, or nothing."""
    if wrong:
        return " ".join(wrong)
    if not options.tenant.strip():
        return Sentence(
            "the option tenant of postgres is missing: it names whose memory it is, on every machine alike."
        )
    return ""
