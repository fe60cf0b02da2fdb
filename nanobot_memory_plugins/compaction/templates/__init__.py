"""The prompt of the plugin: a file for each language."""

from pathlib import Path

from nanobot_memory_plugins.core.files.prompts import PromptFile

COMPACTION = PromptFile(Path(__file__).parent, "compaction")
