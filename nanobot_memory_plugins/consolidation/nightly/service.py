"""The daily consolidation as the plugin and the command make it."""

from nanobot_memory_plugins.consolidation.memory import EntryMemory
from nanobot_memory_plugins.consolidation.nightly.running import NightlyConsolidation, SameThing
from nanobot_memory_plugins.consolidation.nightly.scheduler import Scheduler
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.core.context import PluginContext


def consolidation_of(context: PluginContext, matcher: SameThing | None = None) -> NightlyConsolidation:
    """Return the consolidation of a workspace, as its plugin is configured."""
    return NightlyConsolidation(
        EntryMemory(context.workspace, clock=context.clock, redact=context.redact),
        clock=context.clock,
        redact=context.redact,
        complete=context.complete,
        options=options_of(context),
        narrow=context.visible_scope,
        matcher=matcher,
    )


class NightlyService:
    """What the plugin starts with its host, and ends with it."""

    def __init__(self) -> None:
        self._scheduler: Scheduler | None = None

    def start(self, context: PluginContext, matcher: SameThing | None = None) -> None:
        """Begin to consolidate daily, unless the configuration says otherwise."""
        options = options_of(context)
        if options.consolidation_schedule and self._scheduler is None:
            self._scheduler = Scheduler(
                consolidation_of(context, matcher),
                clock=context.clock,
                hour=options.consolidation_hour,
                delay=options.consolidation_delay,
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
