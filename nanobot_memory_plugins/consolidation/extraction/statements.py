"""What the user states in a conversation: own words, without questions, guesses and what was pasted.

Only this grounds an entry. What a tool, a page or the assistant said is no statement of the user's, whatever role
the host gives it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text import Act, ReadSentence, is_pleasantry, message_reading, reading_of
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_LONGEST_SENTENCE = 1_000

_ATTEMPT = re.compile(
    r"\b(?:tried|trying|attempted|attempting|fail(?:s|ed)?|gave up(?! \w)|gave up (?:on|trying|after)"
    r"|did(?:n't| not) work|does(?:n't| not) work|won't work"
    r"|no luck)\b|试[了过着图]|尝试|失败|行不通|不管用|没成功|没用上|放弃了?(?!\w)(?!.*[改换])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that a speaker states. ``turn`` is the index of its message, ``attempt`` that it tells of a try."""

    text: str
    turn: int
    attempt: bool = False


def statements(messages: Sequence[Message], *, role: str = "user") -> list[Statement]:
    """Return what the messages of a role state: no questions, guesses or pleasantries, nothing reported."""
    return [
        Statement(stated, turn, tells_of_a_try(stated))
        for turn, message in enumerate(messages)
        if message.role == role and not message.tool_calls
        for sentence in message_reading(message).sentences
        if (stated := _stated(sentence))
    ]


def may_hold_something(messages: Sequence[Message]) -> bool:
    """Return whether users wrote more than pleasantries: what they ask and want tells of them, too."""
    return any(message.role == "user" and not is_pleasantry(message.text) for message in messages)


def is_open(text: str) -> bool:
    """Return whether a text asks or guesses, and so says nothing for sure. "Always ..., please?" is a wish."""
    return any(clause.act in (Act.ASKS, Act.GUESSES) for clause in reading_of(text).clauses)


def tells_of_a_try(text: str) -> bool:
    """Return whether a text tells of an attempt, or that something failed."""
    return _ATTEMPT.search(simplified(text)) is not None


def _stated(sentence: ReadSentence) -> str:
    """Return what a sentence states for sure, all of it as a rule, or nothing."""
    sure = [clause.text for clause in sentence.clauses if clause.act in (Act.STATES, Act.REQUESTS)]
    text = sentence.text if len(sure) == len(sentence.clauses) else " ".join(sure)
    plain = text[:_LONGEST_SENTENCE]
    return "" if is_pleasantry(plain) else plain
