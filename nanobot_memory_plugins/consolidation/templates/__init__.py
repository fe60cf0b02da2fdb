"""The prompts of the plugin: a file for each and language."""

from pathlib import Path

from nanobot_memory_plugins.core import PromptFile

_FOLDER = Path(__file__).parent

EXTRACTION = PromptFile(_FOLDER, "extraction")
CONSOLIDATION = PromptFile(_FOLDER, "consolidation", required=("entries", "said", "notes"))
