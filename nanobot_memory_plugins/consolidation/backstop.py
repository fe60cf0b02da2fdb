"""A second look at a turn in which the user may have asked to remember or forget, and the model called no tool.

A short list of cues decides whether a call is worth its cost, and nothing else: what is meant is read by the model.
"""

from typing import Any

from nanobot_memory_plugins.consolidation.templates import BACKSTOP
from nanobot_memory_plugins.core import LanguageModelError, PluginContext, language_of, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.session_reading.answer import json_in
from nanobot_memory_plugins.core.text.conversation import dated

_CUES = {
    "en": (
        "remember", "don't forget", "do not forget", "forget", "keep in mind", "note that", "make a note", "write down",
        "for the record", "from now on", "always ", "never ", "stop ", "no longer", "memorize", "memorise", "delete",
        "erase", "in future", "bear in mind",
    ),
    "zh": (
        "记住", "记得", "记下", "记一下", "别忘", "不要忘", "忘掉", "忘记", "忘了", "以后", "从现在起", "今后", "每次",
        "永远", "不要再", "别再", "删掉", "删除", "備忘", "備註",
    ),
}  # fmt: skip
_LONGEST = 4_000
_ANSWER_TOKENS, _MOST_OPERATIONS = 400, 5


def may_ask(text: str) -> bool:
    """Return whether a message is worth a call: a cue stands in it."""
    folded = text[:_LONGEST].casefold()
    return any(cue in folded for cues in _CUES.values() for cue in cues)


async def wanted_operations(context: PluginContext, text: str) -> list[dict[str, Any]]:
    """Return the calls of tools that a message wants, as the model reads it. Raises nothing of the model's."""
    if context.complete is None or not may_ask(text):
        return []
    language = language_of(text)
    day = dated(context.clock.now().astimezone().date(), language)
    message = await run_in_daemon_thread(context.redact_said, text[:_LONGEST])
    prompt = context.prompts.rendered(BACKSTOP, language, {"day": day, "message": message})
    try:
        answer = await context.complete(prompt, max_tokens=_ANSWER_TOKENS, purpose="reading:orders")
    except LanguageModelError as error:
        logger.debug("a message was not looked at again: {}", type(error).__name__)
        return []
    read = json_in(answer)
    return [one for one in read if isinstance(one, dict)][:_MOST_OPERATIONS] if isinstance(read, list) else []
