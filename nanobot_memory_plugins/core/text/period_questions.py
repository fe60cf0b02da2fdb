"""Questions that look back on a period: what was talked about, done or decided then, of anything or of one thing."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from nanobot_memory_plugins.core.text.days import DaySpan, named_days
from nanobot_memory_plugins.core.text.folding import fold

# A longer text is no question of one sentence.
_LONGEST = 200


class Speaker(StrEnum):
    """Whose words are asked for."""

    ANYBODY = "anybody"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class PeriodQuestion:
    """A question about a period: its days, what it is about (nothing: anything at all), and who talked.

    ``words`` are those by which it names the period.
    """

    span: DaySpan
    words: str
    subject: str = ""
    speaker: Speaker = Speaker.ANYBODY


_TALK = re.compile(
    r"\b(?:talk(?:ed)?|discuss(?:ed)?|chat(?:ted)?|mention(?:ed)?|sa(?:y|id)|t(?:ell|old)|ask(?:ed)?|decid(?:e|ed)"
    r"|agree(?:d)?|d(?:o|id|one)|work(?:ed)? on|plan(?:ned)?|happen(?:ed)?|suggest(?:ed)?|recommend(?:ed)?|go over)\b"
    r"|聊|说|讲|谈|讨论|提到|告诉|问|建议|推荐|决定|做|干|安排|计划|发生"
)
_ASKS = re.compile(r"\b(?:what|which|who|summari[sz]e|recap|list|tell me|show me)\b|什么|哪些|啥|总结|回顾|列出")
_SUBJECT = re.compile(
    r"\b(?:about|on|regarding|concerning) (?P<en>.+)$|(?:关于|有关|对)(?P<zh>.+?)(?:的|我们|你|我|聊|说|讨论|$)"
)
_BY_USER = re.compile(r"\b(?:did|have|had) i\b|\bi (?:said|told|mentioned|asked)\b|我(?:说|讲|问|提|告诉)")
_BY_ASSISTANT = re.compile(
    r"\b(?:did|have|had) you\b|\byou (?:said|told|suggested|recommended)\b|你(?:说|讲|建议|推荐|告诉)"
)
_AROUND = " \t\n.,;:!?\"'"
# What stands for a period or for nothing where a subject is looked for.
_EMPTY = frozenset(("", "it", "that", "this", "them", "earlier", "then", "我们", "我", "你"))


def period_question(text: str, now: datetime, before: str = "") -> PeriodQuestion | None:
    """Return the question that a text asks about a period, seen from ``now``, or None.

    ``before`` is the user's turn before it: "and last week?" asks what that one has asked.
    """
    if len(text) > _LONGEST:
        return None
    found = named_days(text, now.date())
    if len(found) != 1:
        return None
    rest = fold(f"{text[: found[0].start]} {text[found[0].end :]}")
    if before and len(rest.split()) <= 3 and not _TALK.search(rest):
        rest = fold(before)
    if not (_TALK.search(rest) and _ASKS.search(rest)):
        return None
    return PeriodQuestion(found[0].span, text[found[0].start : found[0].end].strip(), _subject(rest), _speaker(rest))


def named_period(text: str, now: datetime) -> DaySpan | None:
    """Return the days that a text is, and nothing else: "last week", 上周, "in May"; or None."""
    found = named_days(text, now.date())
    if len(found) != 1:
        return None
    rest = f"{text[: found[0].start]}{text[found[0].end :]}".strip(_AROUND).casefold()
    return found[0].span if rest in ("", "in", "on", "the", "since", "从", "在") else None


def _subject(rest: str) -> str:
    found = _SUBJECT.search(rest.strip(_AROUND))
    subject = (found["en"] or found["zh"] or "").strip(_AROUND) if found is not None else ""
    return "" if subject in _EMPTY else subject


def _speaker(rest: str) -> Speaker:
    if _BY_ASSISTANT.search(rest):
        return Speaker.ASSISTANT
    return Speaker.USER if _BY_USER.search(rest) else Speaker.ANYBODY
