"""The silent turn: what the model is asked, in the language of the conversation."""

from collections.abc import Sequence
from datetime import date

from nanobot_memory_plugins.core import Language, Message, Prompts, estimate_tokens
from nanobot_memory_plugins.core.text import dated, render
from nanobot_memory_plugins.flush.templates import FLUSH

# How much of each tool result the model sees: what it means is in the answer that follows it.
_TOOL_TOKENS = 80

_NAMES: dict[Language, dict[str, str]] = {"en": {}, "zh": {"user": "用户", "assistant": "助手", "tool": "工具"}}


def flush_prompt(
    messages: Sequence[Message], prompts: Prompts, *, language: Language, today: date, tokens: int, most: int
) -> list[dict[str, str]] | None:
    """Return the chat messages of a silent turn within ``tokens``, or None when there is nothing to show."""

    def filled(conversation: str) -> list[dict[str, str]]:
        values = {"day": dated(today, language), "most": str(most), "conversation": conversation}
        return prompts.rendered(FLUSH, language, values)

    room = tokens - sum(estimate_tokens(one["content"]) for one in filled(""))
    text = render(messages, tokens=room, tool_tokens=_TOOL_TOKENS, names=_NAMES[language], days=language, today=today)
    return filled(text) if text else None
