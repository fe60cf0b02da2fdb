"""What a message orders outright, for where no model reads it, and a second look at one that no tool was called for."""

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
_STANDING = (
    *("from now on", "please always", "please never"),
    *("从现在起", "从今以后", "今后请", "以后请", "以后不要", "以后都"),
)
_FORGET = ("please forget that", "forget that", "forget:", "forget：", "请忘掉", "请忘记", "忘掉", "忘记", "忘記")
# What may follow a beginning: a blank, a mark, or in Chinese the one who speaks.
_BORDERS = (" ", "\t", ",", "，", ":", "：", "我")
_AROUND = " \t\n,，:：。.!！"


def plain_order(message: str) -> tuple[str, dict[str, str]] | None:
    """Return the tool that a message asks for by its beginning, and its arguments, or None."""
    sentence = re.split(r"\n|(?<=[。！？!?])|(?<=\.)\s", message.strip())[0]
    folded = sentence.casefold()
    if folded.startswith(_STANDING):
        return "remember", {"text": sentence, "said": sentence, "kind": "instruction"}
    for name, beginnings in (("remember", _REMEMBER), ("forget", _FORGET)):
        for beginning in beginnings:
            rest = sentence[len(beginning) :]
            text = rest.strip(_AROUND)
            # Chinese has no space that ends a word: 记住的东西 is none.
            if folded.startswith(beginning) and text and rest.startswith(_BORDERS):
                return name, {"text": text, "said": text, "query": text}
    return None


# Cues in a message that make a second look at its turn worth a call, where the model called no tool. They decide that
# and nothing else: what is meant is read by the model.
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


def is_answered(messages: Sequence[Message], text: str) -> bool:
    """Return whether this is the user's last message, and a reply follows it."""
    is_replied = False
    for message in reversed(messages):
        if message.role == "user" and message.text.strip():
            return is_replied and " ".join(text.split()) in " ".join(message.text.split())
        is_replied = is_replied or (
            message.role == "assistant" and bool(message.text.strip()) and not message.tool_calls
        )
    return False


def _may_ask(text: str) -> bool:
    folded = text[:_LONGEST].casefold()
    return any(cue in folded for cues in _CUES.values() for cue in cues)


async def wanted_operations(context: PluginContext, text: str) -> list[dict[str, Any]]:
    """Return the calls of tools that a message wants, as the model reads it. Raises nothing of the model's."""
    if context.complete is None or not _may_ask(text):
        return []
    language = language_of(text)
    day = day_label(context.clock.now().astimezone().date(), language)
    message = await run_in_daemon_thread(context.redact_said, text[:_LONGEST])
    prompt = _BACKSTOP.fill(language, {"day": day, "message": message})
    try:
        answer = await context.complete(prompt, max_tokens=_ANSWER_TOKENS, purpose="reading:orders")
    except LanguageModelError as error:
        logger.debug("a message was not looked at again: {}", type(error).__name__)
        return []
    read = json_in(answer)
    return [item for item in read if isinstance(item, dict)][:_MOST_OPERATIONS] if isinstance(read, list) else []
