"""The daily consolidation as the plugin and the command make it."""

from collections.abc import Sequence

from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.nightly.pipeline import NightlyConsolidation
from nanobot_memory_plugins.consolidation.nightly.scheduler import Scheduler
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import PluginContext
from nanobot_memory_plugins.core.protocols import EncodingStore


def consolidation_of(context: PluginContext, matcher: Matcher | None = None) -> NightlyConsolidation:
    """Return the consolidation of a workspace, as its plugin is configured."""
    return NightlyConsolidation(
        EntryRepository(context.workspace, clock=context.clock, redact=context.redact_said),
        clock=context.clock,
        redact=context.redact_said,
        complete=context.complete,
        options=options_of(context),
        narrow=context.scopes.visible,
        owner_of=context.scopes.owner,
        matcher=matcher or _matcher_of(context),
        prompts=context.prompts,
    )


def _matcher_of(context: PluginContext) -> Matcher:
    """Return what finds the entry that says the same thing: by vectors, too, where the open store has a model."""

    async def encode(texts: Sequence[str]) -> list[list[float]] | None:
        store = context.store
        return await store.encode(texts) if isinstance(store, EncodingStore) else None

    return Matcher(encode)


class NightlyService:
    """What the plugin starts with its host, and ends with it."""

    def __init__(self) -> None:
        self._scheduler: Scheduler | None = None

    def start(self, context: PluginContext, matcher: Matcher | None = None) -> None:
        """Begin to consolidate daily, unless the configuration says otherwise."""
        options = options_of(context)
        if options.consolidation_schedule and self._scheduler is None:
            self._scheduler = Scheduler(
                consolidation_of(context, matcher),
                clock=context.clock,
                hour=options.consolidation_hour,
                delay=options.consolidation_delay,
                store=lambda: context.store,
            )
            self._scheduler.start()

    async def stop(self) -> None:
        """End."""
        scheduler, self._scheduler = self._scheduler, None
        if scheduler is not None:
            await scheduler.stop()


def options_of(context: PluginContext) -> ConsolidationOptions:
    """Return the plugin's options, the defaults where there are none."""
    return context.options if isinstance(context.options, ConsolidationOptions) else ConsolidationOptions()
