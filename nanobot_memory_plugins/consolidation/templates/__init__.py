"""The prompts of the plugin: the nightly consolidation, and the second look at a message."""

from pathlib import Path

from nanobot_memory_plugins.core.files.prompts import PromptFile

_FOLDER = Path(__file__).parent

BACKSTOP = PromptFile(_FOLDER, "backstop", required=("message",))
CONSOLIDATION = PromptFile(_FOLDER, "consolidation", required=("entries", "said", "notes"))
PROMPTS = (CONSOLIDATION, BACKSTOP)
