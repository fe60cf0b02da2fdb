"""What the hooks of people's own words share."""

from loguru import logger

from nanobot_memory_plugins.consolidation.moving import move_entries
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt_source import PromptSource
from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.consolidation.user_language import UserLanguage
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.plugin_host import run_in_daemon_thread


class Spoken:
    """One workspace's entries as people hear of them."""

    def __init__(self, context: PluginContext) -> None:
        options = context.options if isinstance(context.options, ConsolidationOptions) else ConsolidationOptions()
        self._repository = EntryRepository(context.workspace, clock=context.clock, redact=context.redact)
        self._language = UserLanguage(context.workspace)
        self.prompt = PromptSource(context.workspace, options, self._language, redact=context.redact)

    async def start(self) -> None:
        """Give the entries their own file where there is one, and read them, so that the first prompt has them."""
        await run_in_daemon_thread(self._start)

    def _start(self) -> None:
        try:
            if move_entries(self._repository):
                logger.info(
                    "the entries of MEMORY.md are in ENTRIES.md now; `nanobot-memory entries undo` moves them back"
                )
        except MemoryFileError as error:
            logger.warning("the entries are left in MEMORY.md: {}", error.cause)
        self.prompt.read_ahead()

    async def hear(self, text: str) -> None:
        """Learn from a message of the user's."""
        await run_in_daemon_thread(lambda: self._language.hear(text))
