"""What the model is asked, in the language of the conversation."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.core.files.memory_files import REDACTION_FAILED
from nanobot_memory_plugins.core.language_model.prompts import PromptFile
from nanobot_memory_plugins.core.text.conversation import dated
from nanobot_memory_plugins.core.text.fence import Language

COMPACTION = PromptFile(Path(__file__).parent / "templates", "compaction")
# Characters of one text that are looked at, half from either end: no excerpt reaches further in.
_TEXT_CHARS = 200_000
_GAP = "\n[…]\n"


class Hiding:
    """Hides secrets in texts; each text is looked through once, however often it is asked for. It blocks."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Return the text without its secrets; nothing of it where they cannot be looked for."""
        if not text:
            return text
        known = self._known.get(text)
        if known is None:
            half = _TEXT_CHARS // 2
            ends = [text] if len(text) <= _TEXT_CHARS else [text[:half], text[-half:]]
            try:
                known = _GAP.join(map(self._redact, ends))
            except Exception:  # nothing gets through of a text whose secrets cannot be looked for
                known = REDACTION_FAILED
            self._known[text] = known
        return known


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
