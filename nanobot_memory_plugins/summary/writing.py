"""What a summary is made of: the check of a model's answer, and the summary without a model."""

import re
from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core import Message, estimate_tokens
from nanobot_memory_plugins.core.text.conversation import excerpt
from nanobot_memory_plugins.core.text.evidence import Evidence, is_refusal, says_nothing, terms, without_thoughts
from nanobot_memory_plugins.core.text.fence import Language
from nanobot_memory_plugins.core.text.markdown import clean_markdown, one_line
from nanobot_memory_plugins.core.text.sentences import sentence_ends, sentences_of
from nanobot_memory_plugins.core.text.small_talk import is_small_talk
from nanobot_memory_plugins.core.text.tokens import truncate_to_tokens

# 200 Chinese characters, and as much in English.
SUMMARY_TOKENS = 200
# Share of a summary's terms that must stand in the conversation, and how many at least: "OK, noted." says nothing.
_GROUNDED_SHARE, _FEWEST_TERMS = 0.3, 3
_FEWEST_CHARS = 8
_ANSWER_CHARS = 8_000

_PARTS = {
    "en": ("The user wanted: {}", "Then: {}", "Result: {}"),
    "zh": ("用户想要：{}", "随后：{}", "结果：{}"),
}
_LABEL = re.compile(r"^\W*(summary|摘要|总结)\s*[:：]\s*", re.IGNORECASE)


def usable_summary(answer: str, messages: Sequence[Message]) -> str:
    """Return a model's answer as a summary within its length, or nothing when it is none."""
    text = _LABEL.sub("", without_thoughts(answer[:_ANSWER_CHARS])).strip()
    if len(text) < _FEWEST_CHARS or is_refusal(text) or says_nothing(text):
        return ""
    evidence = Evidence(message.text for message in messages)
    if evidence.share(text) < _GROUNDED_SHARE or sum(map(evidence.holds, terms(text))) < _FEWEST_TERMS:
        return ""
    return shortened(clean_markdown(text), SUMMARY_TOKENS)


def put_together(messages: Sequence[Message], language: Language) -> str:
    """Return a summary without a model: the wish, what followed, and the last answer, in the speakers' words."""
    telling = [one for one in messages if one.text.strip() and not is_small_talk(one.text)]
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
    if wishes and answers:
        parts.append(last.replace("{}", excerpt(answers[-1], 56)))
    return truncate_to_tokens("\n".join(parts), SUMMARY_TOKENS)


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
