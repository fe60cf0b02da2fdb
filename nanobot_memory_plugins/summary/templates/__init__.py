"""The prompt of the plugin: a file for each language."""

from pathlib import Path

from nanobot_memory_plugins.core import PromptFile

SUMMARY = PromptFile(Path(__file__).parent, "summary")
