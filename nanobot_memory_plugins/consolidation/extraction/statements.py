"""What the user states in a conversation: own words, without questions, guesses and what was pasted.

Only this can bear an entry out. What a tool, a page or the assistant said is no statement of the user's, whatever role
the host gives it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text import Act, Sentence, authored_text, reading_of
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_LONGEST_SENTENCE = 1_000

_ATTEMPT = re.compile(
    r"\b(?:tried|trying|attempted|attempting|fail(?:s|ed)?|gave up(?! \w)|gave up (?:on|trying|after)"
    r"|did(?:n't| not) work|does(?:n't| not) work|won't work"
    r"|no luck)\b|试[了过着图]|尝试|失败|行不通|不管用|没成功|没用上|放弃了?(?!\w)(?!.*[改换])",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"(?:\W|\b(?:hi|hello|hey|thanks?|thank you|so much|a lot|very much|ok|okay|yes|yeah|yep|no|nope|sure|great|good"
    r"|nice|perfect|cool|bye|goodbye|morning|night|evening|please|go on|continue|done|right|got it|i see"
    r"|understood|well done|there)\b"
    r"|你好|您好|谢谢|多谢|感谢|你|您|好的?|嗯+|是的|对的?|不用了?|再见|早上好|晚安|辛苦了|知道了|明白了?|收到|可以|继续|行|了|啊|吧)+",
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
        for sentence in reading_of(authored_text(message)).sentences
        if (stated := _stated(sentence))
    ]


def is_open(text: str) -> bool:
    """Say whether a text asks or guesses, and so says nothing for sure. "Always ..., please?" is a wish."""
    return any(clause.act in (Act.ASKS, Act.GUESSES) for clause in reading_of(text).clauses)


def tells_of_a_try(text: str) -> bool:
    """Say whether a text tells of an attempt, or that something failed."""
    return _ATTEMPT.search(simplified(text)) is not None


def _stated(sentence: Sentence) -> str:
    """Return what a sentence states for sure, all of it as a rule, or nothing."""
    sure = [clause.text for clause in sentence.clauses if clause.act in (Act.STATES, Act.REQUESTS)]
    text = sentence.text if len(sure) == len(sentence.clauses) else " ".join(sure)
    plain = text[:_LONGEST_SENTENCE]
    if not any(character.isalnum() for character in plain) or _PLEASANTRY.fullmatch(simplified(plain[:60])):
        return ""
    return plain
