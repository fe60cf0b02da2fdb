"""The PostgreSQL plugin: opens the shared memory in front of this machine's own store."""

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

# Seconds between checks for erasures of other machines and for changed entries.
_POLL_SECONDS = 1.0
_AT_ONCE = "nobody finds it any more"
_KEPT = (
    "deleted rows stay there until a VACUUM FULL; its log, standbys and backups hold them for as long as they are kept"
)
_AWAY = "the server is away; it and the other machines forget it once it is back"


class PostgresPlugin:
    """One memory for many machines, on a server. Without the option ``dsn`` it does nothing."""

    Options = PostgresOptions

    def __init__(self) -> None:
        self._store: SharedStore | None = None
        self._refusal = ""
        self._tasks = OwnedTasks()
        self._current_erasure: Erasure | None = None
        self._unsent_erasures: list[Erasure] = []

    @hookimpl
    async def open_shared_store(self, context: PluginContext) -> Store | None:
        """Open the shared store in front of this machine's own, which answers while the server is away.

        It does nothing while an option is wrong: a typing error must not publish a memory to another tenant.
        """
        options, local = context.options, context.store
        if not isinstance(options, PostgresOptions) or not options.is_shared or local is None:
            return None
        self._refusal = refusal(options, context.host.wrong_options)
        if self._refusal:
            logger.error("the memory is not shared: {}", self._refusal)
            return None
        from nanobot_memory_plugins.postgres.store import SharedStore

        store = SharedStore(context.workspace, options, context.clock, local, redact=context.redact_said)
        await store.start()
        self._store = store
        return self._store

    @hookimpl
    async def on_start(self, context: PluginContext) -> None:
        """Start to carry out erasures of other machines, and to exchange entries."""
        if self._store is not None and context.host.erase is not None:
            self._tasks.begin(self._synchronize(self._store, context))

    @hookimpl
    async def on_stop(self) -> None:
        """Stop these tasks."""
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
        """Erase something from the server and on every machine."""
        store, erasure = self._store, Erasure(ids, texts, words, everywhere)
        if store is None or not erasure.has_targets or erasure == self._current_erasure:
            return []
        counts = await store.count_matches(erasure) if dry_run else await store.forget(erasure)
        if counts is None:
            self._unsent_erasures += [] if dry_run else [erasure]
            return [] if dry_run else [Trace(Sentence("the shared memory"), 0, removed=False, why=_AWAY, waits=True)]
        traces = [
            Trace(Sentence("the shared memory ({machine})", machine=machine), count, why=_AT_ONCE)
            for machine, count in sorted(counts.items())
            if machine != store.owner.machine
        ]
        # The sender may have deleted it from the server before it was counted.
        if not dry_run or any(counts.values()):
            traces.append(Trace(Sentence("the files of the server"), removed=False, why=_KEPT))
        return traces

    @hookimpl
    async def diagnose(self) -> list[Finding]:
        """Report the state of the server, and unsent content."""
        if self._refusal:
            return [
                Finding(
                    "shared memory",
                    Sentence("not shared: {why}", why=self._refusal),
                    Health.BAD,
                    "Correct the options of postgres in the configuration; until then this machine's own index answers,"
                    " and nothing is sent.",
                )
            ]
        return await self._store.findings() if self._store is not None else []

    async def _synchronize(self, store: "SharedStore", context: PluginContext) -> None:
        logged = ""
        while True:
            try:
                await self._carry_out_erasures(store, context)
                if isinstance(context.entries, ExchangedEntries):
                    while await store.entries.exchange_once(context.entries):
                        continue
                logged = ""
            except (NanobotMemoryError, OSError) as error:
                reason = error.cause if isinstance(error, NanobotMemoryError) else type(error).__name__
                if reason != logged:
                    logged = reason
                    logger.warning("what other machines made of the memory is not taken in now: {}", reason)
            await asyncio.sleep(_POLL_SECONDS)

    async def _carry_out_erasures(self, store: "SharedStore", context: PluginContext) -> None:
        if self._unsent_erasures and store.server.is_up and context.host.erase is not None:
            # This finishes an interrupted purge, and calls `on_purge` again.
            await context.host.erase(self._unsent_erasures[0])
            del self._unsent_erasures[0]
        for revision, erasure in await store.pending_erasures():
            self._current_erasure = erasure
            try:
                is_erased = context.host.erase is None or await context.host.erase(erasure)
            finally:
                self._current_erasure = None
            if not is_erased:  # until then nothing is sent, and other machines see that the erasure is pending
                logger.warning("what another machine has forgotten is not forgotten here yet: a file is being written")
                return
            await store.confirm_erasure(revision)


def refusal(options: PostgresOptions, wrong: tuple[str, ...]) -> str:
    """Return why no memory may be shared with these options, empty if it may."""
    if wrong:
        return " ".join(wrong)
    if not options.tenant.strip():
        return Sentence(
            "the option tenant of postgres is missing: it names this memory, and is the same on every machine."
        )
    return ""
