"""What the model is asked, in the language of the conversation."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.core.language_model.prompts import PromptFile
from nanobot_memory_plugins.core.text.conversation import dated
from nanobot_memory_plugins.core.text.fence import Language

COMPACTION = PromptFile(Path(__file__).parent / "templates", "compaction")

_EARLIER: dict[Language, str] = {"en": "Notes so far:", "zh": "已有笔记："}
_NEW: dict[Language, str] = {"en": "notes of this conversation", "zh": "这段对话的笔记"}
_UPDATED: dict[Language, str] = {
    "en": "the notes so far again, updated with this conversation",
    "zh": "更新后的完整笔记",
}
# Words, or Chinese characters, that make an estimated token.
_UNITS_A_TOKEN: dict[Language, float] = {"en": 0.6, "zh": 0.8}
# Shorter pieces of a prompt occur in honest notes, too.
_TELLING = 25


def summary_prompt(
    text: str, *, earlier: str, answer_tokens: int, language: Language, today: date
) -> list[dict[str, str]]:
    """Return the chat messages that ask for a summary of ``text``, with the ``earlier`` one carried on."""
    values = {
        "earlier": f"{_EARLIER[language]}\n{earlier}\n\n" if earlier else "",
        "day": dated(today, language),
        "conversation": text,
        "what": (_UPDATED if earlier else _NEW)[language],
        "size": str(max(20, int(answer_tokens * _UNITS_A_TOKEN[language]) // 10 * 10)),
    }
    return COMPACTION.filled(language, values)


def fixed_texts(language: Language) -> Sequence[str]:
    """Return what is in each prompt: an answer that repeats it is an echo."""
    return [one for one in COMPACTION.fixed_texts(language) if len(one) >= _TELLING]
