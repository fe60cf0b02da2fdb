"""Acknowledgements: answers that only say that they have heard."""

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import Word, Words

# A longer answer says something.
_LONGEST = 120

ACKNOWLEDGEMENTS = Words(
    (
        Word(
            r"\W*(?:(?:ok(?:ay)?|sure|great|good|got it|understood|alright|noted|thanks?|thank you|done|perfect"
            r"|will do)\W+)*"
            r"(?:(?:i have|i've|i'll|i will|duly|all) )*"
            r"(?:noted|got it|understood|will do|made a note|remember(?:ed)?|keep (?:that|it|this) in mind|ok(?:ay)?"
            r"|sure|done)"
            r"(?:\W+(?:(?:of )?(?:that|it|this)|down|for (?:you|later|(?:the )?(?:next time|future))|from now on|then"
            r"|now))*\W*",
            "ok, i'll keep that in mind.",
            "remember that the code is quillwort.",
        ),
        Word(
            r"\W*(?:(?:好的?|行|嗯+|收到|明白了?|没问题|了解)\W*)*(?:我?(?:已经?|都|会|全都?)*"
            r"(?:记下|记住|记录|了解|知道|明白|收到|记好|帮[你您]记)(?:了|啦|来|好|下|住|这[个件一]?[点事条]?|[你您]的?"
            r"|要求|偏好|话|信息|需求|情况)*)?\W*",
            "好的，已经记下了。",
            "好的，记住你吃素",
        ),
    )
)
"""All of an answer that only says that it has heard."""


def is_acknowledgement(text: str) -> bool:
    """Say whether a text says that it has heard, and nothing else ("OK, noted.", "好的，记下了")."""
    return len(text) <= _LONGEST and ACKNOWLEDGEMENTS.fullmatch(fold(text)) is not None
