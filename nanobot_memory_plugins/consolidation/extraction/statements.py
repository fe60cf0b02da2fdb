"""What the user states in a conversation: own words, without questions, guesses and what was pasted.

Only this can bear an entry out. What a tool, a page or the assistant said is no statement of the user's, whatever role
the host gives it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nanobot_memory_plugins.core.text.authored import own_text
from nanobot_memory_plugins.core.text.statements import SENTENCE_END, asks, reports
from nanobot_memory_plugins.core.values import Message
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_LONGEST_SENTENCE = 1_000

_GUESS = re.compile(
    r"\b(?:maybe|perhaps|might|(?:user|i|we|he|she|they) may|probably|possibly|presumably"
    r"|i guess|i suppose|i think|i wonder|not sure|unsure|what if"
    r"|suppose that|hypothetically|for example|e\.g\.)"
    r"|也许|(?<!尽)可能|大概|或许|我猜|估计|好像|似乎|不确定|不一定|说不定|假如|假设|比如说",
    re.IGNORECASE,
)
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
        Statement(sentence, turn, tells_of_a_try(sentence))
        for turn, message in enumerate(messages)
        if message.role == role and not message.tool_calls
        for sentence in _sentences(own_text(message))
        if not is_open(sentence) and not reports(sentence)
    ]


def is_open(sentence: str) -> bool:
    """Say whether a sentence asks or guesses, and so says nothing. "Always ..., please?" is a wish."""
    return _GUESS.search(simplified(sentence)) is not None or asks(sentence)


def tells_of_a_try(text: str) -> bool:
    """Say whether a text tells of an attempt, or that something failed."""
    return _ATTEMPT.search(simplified(text)) is not None


def _sentences(text: str) -> Iterator[str]:
    for sentence in SENTENCE_END.split(text):
        plain = sentence.strip()[:_LONGEST_SENTENCE]
        if any(character.isalnum() for character in plain) and not _PLEASANTRY.fullmatch(simplified(plain[:60])):
            yield plain
