"""What denies in a text: one list for all who must not take "not" for its opposite.

A text is compared with another one, so it matters most that both are read alike. "Hates" and "stopped" deny as well:
who hates coriander does not like it. Chinese of both scripts.
"""

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Two that come to a yes, a question ("去不去"), and words that hold one of the characters and deny nothing.
_DENYING_NOTHING = (
    r"(?:并?不[是会能可得]|没有?|并非|无)不(?![过同错])|(?P<asked>[\u4e00-\u9fff]{1,2})[不没未](?P=asked)"
    "|不(?:过(?!敏)|同(?!意)|[错仅但论管少久断止只光然如妨])|[差巴]不[多得]|说不定|[对了]不起|忍不住|不客气|不好意思"
    "|没(?:有?关系|事|错)|无[论非疑聊]"
)
_DENYING = (
    r"\b(?:not|no|nor|neither|never|without|cannot|stop(?:s|ped)?|quits?|g[ai]ven? up|dislike[sd]?|hate[sd]?|avoids?"
    r"|refuse[sd]?|against)\b|(?<!\w)\w+n['’]t\b|\b(?:do|does|did|ca|wo|is|are|was|were|has|have|had)nt\b"
    "|[不没勿毋戒]|无(?!线|锡|花果|人机|名指)|(?<![特分区性级识个差类辨告离道送])别(?![人的墅名处致])|未(?![来免])|并非|绝非"
    "|切莫|莫[要再]|讨厌|厌恶|拒绝|避免|禁止|反对|否认|放弃|停[止用掉]"
)
_ANY = LazyPattern(f"(?:{_DENYING_NOTHING})|(?P<denies>{_DENYING})", re.IGNORECASE)


def negations(text: str) -> Iterator[re.Match[str]]:
    """Yield what denies in a text; the places are those of the text, in whatever script."""
    return (found for found in _ANY.finditer(simplified(text)) if found["denies"])


def denies(text: str) -> bool:
    """Return whether a text denies something."""
    return next(negations(text), None) is not None


def without_negations(text: str) -> str:
    """Return a text with a blank in the place of each word that denies."""
    pieces: list[str] = []
    at = 0
    for found in negations(text):
        pieces.append(text[at : found.start()])
        at = found.end()
    return " ".join((*pieces, text[at:]))
