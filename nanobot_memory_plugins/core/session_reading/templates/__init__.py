"""The prompts of the session's reading: the frame, and the two questions that core words itself."""

from pathlib import Path

from nanobot_memory_plugins.core.files.prompts import PromptFile, Prompts
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.values.session_reading import ENTRIES, SUMMARY

_FOLDER = Path(__file__).parent

READING = PromptFile(_FOLDER, "reading")
_QUESTIONS = {name: PromptFile(_FOLDER, name) for name in (ENTRIES, SUMMARY)}


def question(field: str, language: Language, prompts: Prompts) -> str:
    """Return what is asked for a field that core words: ``entries`` or ``summary``."""
    return prompts.rendered(_QUESTIONS[field], language, {})[-1]["content"]
