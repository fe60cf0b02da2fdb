"""Sentences about greetings and thanks, which are no memory."""

import re

from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

LEAST_WEIGHT = 0.75
"""Of the words of a candidate: lighter ones say nothing."""

SMALL_TALK = re.compile(
    r"\b(?:greet(?:s|ed|ing)?|sa(?:id|ys?) (?:hello|hi|thanks|bye|goodbye)|thank(?:s|ed)?|good (?:morning"
    r"|night|day)|appreciates?|user (?:and|(?:talked|chatted|spoke) (?:to|with)) the assistant)\b"
    r"|用户[和与跟](?:AI)?助手(?:一起)?(?:聊|谈|讨论|交谈)|打招呼|问好|道谢|感谢|说了?(?:你好|谢谢|再见)|早上好|晚安",
    re.IGNORECASE,
)


def is_small_talk(text: str) -> bool:
    """Return whether a text tells of a greeting or thanks, and of nothing else."""
    plain = simplified(text)
    return SMALL_TALK.search(plain) is not None and wording(SMALL_TALK.sub(" ", plain)).weight < LEAST_WEIGHT
