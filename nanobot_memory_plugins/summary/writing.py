"""What a summary is made of: the question to the model, the check of its answer, and the summary without a model."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date

from nanobot_memory_plugins.core import Language, Message, Prompts, estimate_tokens, truncate_to_tokens
from nanobot_memory_plugins.core.text import (
    Evidence,
    asks_to_invent,
    clean_markdown,
    dated,
    excerpt,
    is_acknowledgement,
    is_pleasantry,
    is_refusal,
    knows_nothing,
    one_line,
    only_asks,
    only_jokes,
    only_supposes,
    render,
    says_nothing,
    sentence_ends,
    sentences_of,
    terms,
    without_thoughts,
)
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.summary.templates import SUMMARY

# 200 Chinese characters, and as much in English.
SUMMARY_TOKENS = 200
# Tokens of the conversation that the model is shown.
_SHOWN_TOKENS = 2_500
_TOOL_TOKENS = 60
# Share of a summary's terms that must stand in the conversation, and how many at least: "OK, noted." says nothing.
_GROUNDED_SHARE, _FEWEST_TERMS = 0.3, 3
_FEWEST_CHARS = 8
_ANSWER_CHARS = 8_000

_NAMES: dict[Language, dict[str, str]] = {"en": {}, "zh": {"user": "用户", "assistant": "助手", "tool": "工具"}}
_PARTS = {
    "en": ("The user wanted: {}", "Then: {}", "Result: {}"),
    "zh": ("用户想要：{}", "随后：{}", "结果：{}"),
}
_LABEL = re.compile(r"^\W*(summary|here is .{0,40}summary[^:]*|摘要|总结)\s*[:：]\s*", re.IGNORECASE)
_FENCE_LINE = re.compile(r"^[^\S\n]*+`{3,}\w*+[^\S\n]*+$", re.MULTILINE)


def summary_prompt(
    messages: Sequence[Message], prompts: Prompts, language: Language, today: date
) -> list[dict[str, str]]:
    """Return the chat messages that ask for a summary."""
    text = render(
        messages, tokens=_SHOWN_TOKENS, tool_tokens=_TOOL_TOKENS, names=_NAMES[language], days=language, today=today
    )
    return prompts.rendered(SUMMARY, language, {"day": dated(today, language), "conversation": text})


def usable_summary(answer: str, messages: Sequence[Message]) -> str:
    """Return a model's answer as a summary within its length, or nothing when it is none."""
    text = _FENCE_LINE.sub("", without_thoughts(answer[:_ANSWER_CHARS])).strip()
    text = _unwrapped(text)
    label = _LABEL.match(simplified(text))
    text = text[label.end() if label else 0 :].strip()
    if len(text) < _FEWEST_CHARS or is_refusal(text) or says_nothing(text):
        return ""
    evidence = Evidence(message.text for message in messages)
    if evidence.share(text) < _GROUNDED_SHARE or sum(map(evidence.holds, terms(text))) < _FEWEST_TERMS:
        return ""
    return shortened(clean_markdown(text), SUMMARY_TOKENS)


def put_together(messages: Sequence[Message], language: Language) -> str:
    """Return a summary without a model: the wish, what followed, and the last answer, in the speakers' words.

    Left out is what says nothing of anybody's life; where all of it does, the summary is empty.
    """
    telling = _telling(messages)
    wishes = [one_line(message.text) for message in telling if message.role == "user"]
    answers = [one_line(message.text) for message in telling if message.role == "assistant"]
    first, then, last = _PARTS[language]
    parts = []
    if wishes:
        parts.append(first.replace("{}", excerpt(wishes[0], 60)))
    if wishes[1:]:
        share = max(12, 56 // len(wishes[1:]))
        followed = (excerpt(wish, share) for wish in reversed(wishes[1:]))
        parts.append(then.replace("{}", _joined(followed, 56)))
    if answers:
        parts.append(last.replace("{}", excerpt(answers[-1], 56)))
    return truncate_to_tokens("\n".join(parts), SUMMARY_TOKENS)


def _telling(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without pleasantries, answers that know nothing and their questions, and what is unreal.

    Unreal is what somebody asks to be invented, only supposes or says in jest, with the answers to it.
    """
    kept: list[Message] = []
    is_unreal = False
    for message in messages:
        text = message.text
        if message.role == "user":
            is_unreal = asks_to_invent(text) or only_supposes(text) or only_jokes(text)
            if text.strip() and not is_unreal and not is_pleasantry(text) and not is_acknowledgement(text):
                kept.append(message)
        elif text.strip() and not is_unreal:
            if knows_nothing(text):
                if kept and kept[-1].role == "user" and only_asks(kept[-1].text):
                    kept.pop()
            elif not is_acknowledgement(text) and not is_pleasantry(text):
                kept.append(message)
    return kept


def shortened(text: str, tokens: int) -> str:
    """Return ``text`` within ``tokens``, cut behind a sentence where there is one."""
    if estimate_tokens(text) <= tokens:
        return text
    cut = truncate_to_tokens(text, tokens)
    ends = list(sentence_ends(cut))
    return cut[: ends[-1]].rstrip() if ends and ends[-1] > len(cut) // 2 else cut.rstrip()


def first_sentence(text: str, chars: int = 160) -> str:
    """Return the first sentence of a text, as one line of at most ``chars`` characters."""
    return one_line(next(iter(sentences_of(text)), text))[:chars]


def _joined(newest_first: Iterable[str], tokens: int) -> str:
    """Join texts in their order; of too many the newest stay."""
    kept: list[str] = []
    for text in newest_first:
        tokens -= estimate_tokens(text) + 1
        if tokens < 0:
            break
        kept.append(text)
    return " / ".join(reversed(kept))


def _unwrapped(text: str) -> str:
    """Return the text inside of a JSON object or string that a model has put around its answer."""
    if not text.startswith(("{", '"')):
        return text
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.startswith("{") else text
    if isinstance(read, dict):
        texts = [value for value in read.values() if isinstance(value, str)]
        return max(texts, key=len, default="")
    return read if isinstance(read, str) else ""
