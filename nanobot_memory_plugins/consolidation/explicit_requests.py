"""Explicit requests to remember or forget.

Without a model they are recognised by their first words. With a model, a turn in which no tool was called may get a
follow-up call that asks whether the message requested one.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import LanguageModelError, Message, PluginContext, language_of, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.language_model.prompts import PromptFile
from nanobot_memory_plugins.core.session_reading.question import json_in
from nanobot_memory_plugins.core.text.conversation import day_label

_BACKSTOP = PromptFile(Path(__file__).parent / "templates", "backstop")
_REMEMBER = (
    *("please remember that", "remember that", "remember:", "remember："),
    *("请记住", "記住", "记住", "请记下", "记下"),
)
_INSTRUCTION = (
    *("from now on", "please always", "please never"),
    *("从现在起", "从今以后", "今后请", "以后请", "以后不要", "以后都"),
)
_FORGET = ("please forget that", "forget that", "forget:", "forget：", "请忘掉", "请忘记", "忘掉", "忘记", "忘記")
# Characters that may follow the first words: a blank, punctuation, or in Chinese the word for "I".
_SEPARATORS = (" ", "\t", ",", "，", ":", "：", "我")
_TRIMMED = " \t\n,，:：。.!！"


def explicit_request(message: str) -> tuple[str, dict[str, str]] | None:
    """Return the tool that the first words of a message request, and its arguments, or None."""
    sentence = re.split(r"\n|(?<=[。！？!?])|(?<=\.)\s", message.strip())[0]
    folded = sentence.casefold()
    if folded.startswith(_INSTRUCTION):
        return "remember", {"text": sentence, "said": sentence, "kind": "instruction"}
    for name, beginnings in (("remember", _REMEMBER), ("forget", _FORGET)):
        for beginning in beginnings:
            rest = sentence[len(beginning) :]
            text = rest.strip(_TRIMMED)
            # Chinese words have no space between them: 记住的东西 is not a request.
            if folded.startswith(beginning) and text and rest.startswith(_SEPARATORS):
                return name, {"text": text, "said": text, "query": text}
    return None


# Cues that make a follow-up call worthwhile when the model called no tool. They decide only whether to make that call;
# the model decides what the message means.
_CUES = (
    "remember", "don't forget", "do not forget", "forget", "keep in mind", "note that", "make a note", "write down",
    "for the record", "from now on", "always ", "never ", "stop ", "no longer", "memorize", "memorise", "delete",
    "erase", "in future", "bear in mind",
    "记住", "记得", "记下", "记一下", "别忘", "不要忘", "忘掉", "忘记", "忘了", "以后", "从现在起", "今后", "每次",
    "永远", "不要再", "别再", "删掉", "删除", "備忘", "備註",
)  # fmt: skip
_MOST_CHARACTERS = 4_000
_ANSWER_TOKENS, _MOST_OPERATIONS = 400, 5


def is_answered(messages: Sequence[Message], text: str) -> bool:
    """Return whether ``text`` is the user's last message and the assistant has replied to it."""
    has_reply = False
    for message in reversed(messages):
        if message.role == "user" and message.text.strip():
            return has_reply and " ".join(text.split()) in " ".join(message.text.split())
        has_reply = has_reply or (message.role == "assistant" and bool(message.text.strip()) and not message.tool_calls)
    return False


async def requested_operations(context: PluginContext, text: str) -> list[dict[str, Any]]:
    """Return the tool calls that a message requests, as the model reads it; none when the model fails."""
    folded = text[:_MOST_CHARACTERS].casefold()
    if context.complete is None or not any(cue in folded for cue in _CUES):
        return []
    language = language_of(text)
    day = day_label(context.clock.now().astimezone().date(), language)
    message = await run_in_daemon_thread(context.redact_said, text[:_MOST_CHARACTERS])
    prompt = _BACKSTOP.fill(language, {"day": day, "message": message})
    try:
        answer = await context.complete(prompt, max_tokens=_ANSWER_TOKENS, purpose="reading:orders")
    except LanguageModelError as error:
        logger.debug("a message was not looked at again: {}", type(error).__name__)
        return []
    data = json_in(answer)
    return [item for item in data if isinstance(item, dict)][:_MOST_OPERATIONS] if isinstance(data, list) else []
