"""Whose words a question is about: the user's ("what is my port?") or the assistant's ("what did you recommend?")."""

import re
from enum import StrEnum

from nanobot_memory_plugins.redaction.script.chinese_script import simplified


class AskedSpeaker(StrEnum):
    """One of the two who talk."""

    USER = "user"
    ASSISTANT = "assistant"


_ASSISTANT = re.compile(
    r"\byou(?:'ve| have| had|'d)?(?: \w+)? (?:said|say|told|tell|gave|give|given|recommend\w*|suggest\w*|mention\w*"
    r"|propos\w+|list\w*|explain\w*|provid\w+|describ\w+|advis\w+|shar\w+|wrote|write|answer\w*|show\w*|found|find)\b"
    r"|\byour (?:suggestions?|recommendations?|advice|answer|list|explanation|proposal)\b"
    r"|[你您](?:之前|上次|曾经|以前|当时)?(?:给|向|跟|和|对)?我?"
    r"(?:推荐|建议|说过|提到|告诉|介绍|列|写|讲)",
    re.IGNORECASE,
)
_USER = re.compile(r"\b(?:i|me|my|mine|i'm|i've|i'd|we|our)\b|我", re.IGNORECASE)


def person_asked(text: str) -> AskedSpeaker | None:
    """Return whose words answer a question as a rule, or None when it does not say."""
    text = simplified(text)
    if _ASSISTANT.search(text):
        return AskedSpeaker.ASSISTANT
    return AskedSpeaker.USER if _USER.search(text) else None
