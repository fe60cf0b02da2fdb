"""What the hooks of people's own words share."""

from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.prompt_source import PromptSource
from nanobot_memory_plugins.consolidation.user_language import UserLanguage
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.plugin_host import run_in_daemon_thread


class Spoken:
    """One workspace's entries as people hear of them."""

    def __init__(self, context: PluginContext) -> None:
        options = context.options if isinstance(context.options, ConsolidationOptions) else ConsolidationOptions()
        self._language = UserLanguage(context.workspace)
        self.prompt = PromptSource(context.workspace, options, self._language, redact=context.redact)

    async def start(self) -> None:
        """Read the entries, so that the first prompt has them."""
        await run_in_daemon_thread(self.prompt.read_ahead)

    async def hear(self, text: str) -> None:
        """Learn from a message of the user's."""
        await run_in_daemon_thread(lambda: self._language.hear(text))
