"""The prompts of the session's reading: the frame, and the two questions that core words itself."""

from pathlib import Path

from nanobot_memory_plugins.core.files.prompt_file import PromptFile
from nanobot_memory_plugins.core.text.fence import Language

_FOLDER = Path(__file__).parent

READING = PromptFile(_FOLDER, "reading", ("questions", "conversation"))
SHORTENING = PromptFile(_FOLDER, "shortening")
PROMPTS = (READING, SHORTENING)


def question(field: str, language: Language) -> str:
    """Return what is asked for a field that core words: ``entries`` or ``summary``."""
    return (_FOLDER / f"{field}.{language}.md").read_text("utf-8").strip()
