"""The question to a model that cannot quote: what of this conversation is worth remembering."""

from nanobot_memory_plugins.consolidation.extraction.model_call import Question
from nanobot_memory_plugins.consolidation.extraction.prompt import KNOWN, MOST_KNOWN, known_entries, listed
from nanobot_memory_plugins.consolidation.templates import EXTRACTION_BACKGROUND, EXTRACTION_CHECKS, EXTRACTION_PLAIN
from nanobot_memory_plugins.core import Language, Prompts
from nanobot_memory_plugins.core.text import dated


def question_prompt(
    prompts: Prompts, question: Question, conversation: str, language: Language
) -> list[dict[str, str]]:
    """Return the chat messages of a question. ``conversation`` is written out and fits.

    A small model answers for the ids of an example that has some where it has nothing to check: it is shown another.
    """
    checked = question.checked
    asked_about = {entry.id for entry in checked}
    known = known_entries(question.entries, conversation)
    others = [entry for entry in known if entry.id not in asked_about][: MOST_KNOWN - len(asked_about)]
    values = {
        "day": dated(question.day, language),
        "known": listed(KNOWN[language], others),
        "conversation": conversation,
        "checked": listed("{entries}", checked),
    }
    if question.background:
        return prompts.rendered(EXTRACTION_BACKGROUND, language, values)
    return prompts.rendered(EXTRACTION_CHECKS if checked else EXTRACTION_PLAIN, language, values)
