"""The prompts of the plugin: a file for each and language.

``extraction`` asks for quotes; ``extraction_plain``, and ``extraction_checks`` where known entries are looked at again,
ask models that cannot quote.
"""

from pathlib import Path

from nanobot_memory_plugins.core import PromptFile

_FOLDER = Path(__file__).parent

EXTRACTION = PromptFile(_FOLDER, "extraction")
EXTRACTION_PLAIN = PromptFile(_FOLDER, "extraction_plain")
EXTRACTION_CHECKS = PromptFile(_FOLDER, "extraction_checks", ("conversation", "checked"))
EXTRACTION_BACKGROUND = PromptFile(_FOLDER, "extraction_background")
EXTRACTION_SHORTENING = PromptFile(_FOLDER, "extraction_shortening")
CONSOLIDATION = PromptFile(_FOLDER, "consolidation", required=("entries", "said", "notes"))
PROMPTS = (CONSOLIDATION, EXTRACTION, EXTRACTION_PLAIN, EXTRACTION_CHECKS, EXTRACTION_BACKGROUND, EXTRACTION_SHORTENING)
