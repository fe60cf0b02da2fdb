"""Follow-ups: messages that say little without what was said before them, and what they are searched with.

Text is simplified Chinese or English.
"""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core import Message
from nanobot_memory_plugins.core.text import reading_of

# A longer message says by itself what it is about: one that begins with "and", and one that says "she".
_LONGEST_GOING_ON, _LONGEST_POINTING = 48, 100
# Characters of an earlier text that a follow-up is searched with.
_FOLLOWED = 500

_GOES_ON = re.compile(
    r"^\W*(?:and|or|but|what about|how about|same for|what else|anything else|which one)\b"
    r"|^\W*(?:why|when|where|who)\b(?! (?:is|are|do|does) (?:a|an|the)\b)"
    r"|呢\W*$|^\W*(?:那|还有|另外|然后|为什么[?？]?$|哪个|谁[?？]?$|什么时候[?？]?$)|[那这另]一?个[?？]?$",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:he|she|him|hers?|his|they|them|theirs?|it|its|both)\b"
    r"|\bthere(?!['’]s| (?:are|is|was|were|an?|any)\b)"
    r"|\b(?:which|either|neither|one) of (?:the (?:two|three)|them|those|these)\b"
    r"|\b(?:that|this|these|those) ones?\b"
    r"|\bthe (?:first|second|third|last|other|former|latter)(?: ones?\b| (?!\w)|\W*$)"
    r"|^(?:yes|yeah|yep|yup|no|nope|right|exactly|true|indeed|sure|ok|okay)\b(?=\W+\w)",
    re.IGNORECASE,
)
_CHINESE_POINTS_BACK = re.compile(
    r"[他她它]|[那这](?:边|家|[两俩三几]|[里儿])|第[一二三四](?=[个种家]|的)|前者|后者|^.{0,5}来着|^(?:对|是|嗯|不|有|没有?)啊?(?!\w)"
)
# A name before it is what it speaks of: "does Ann like her job?"
_NAMED_BEFORE = re.compile(r"[a-z,] [A-Z][a-z]")


def points_back(text: str) -> bool:
    """Return whether a text asks about something that it names only by pointing at what was said before."""
    text = text.strip()
    if len(text) > _LONGEST_POINTING:
        return False
    found = _POINTS_BACK.search(text)
    points = found is not None and not _NAMED_BEFORE.search(text[: found.start()])
    return (points or _CHINESE_POINTS_BACK.search(text) is not None) and reading_of(text).asks


def goes_on(text: str) -> bool:
    """Return whether a text has the shape of one that goes on from another ("and the red one?"), but may be whole."""
    text = text.strip()
    return len(text) <= _LONGEST_GOING_ON and _GOES_ON.search(text) is not None


def with_what_it_follows(text: str, history: Sequence[Message], back: int) -> str:
    """Return what a follow-up is searched with: the last ``back`` turns of the user, and the answer to the last."""
    if not back:
        return text
    turns = [message.text for message in history if message.role == "user"][-back:]
    answers = [message.text for message in history[-1:] if message.role == "assistant"]
    return "\n".join([*(one[:_FOLLOWED] for one in (*turns, *answers)), text])
