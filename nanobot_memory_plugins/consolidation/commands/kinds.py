"""What kind of thing was said, by a few words: good enough to sort by; the daily consolidation may correct it."""

import re

from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.core.text import CHINESE_WEEK, FULL_WEEKDAY
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_RULES = (
    (
        Category.TODO,
        rf"\b(?:todo|to-do|deadline|due|remind|appointment|tomorrow|next (?:week|month|{FULL_WEEKDAY})|have to"
        rf"|need to)\b|待办|截止|明天|后天|下个?(?:月|{CHINESE_WEEK})|提醒|预约|要交",
    ),
    (
        Category.PREFERENCE,
        r"\b(?:prefers?|likes?|loves?|hates?|dislikes?|favou?rite|rather|always|never|can't stand|answer (?:me )?in"
        r"|call me)\b"
        r"|喜欢|偏好|讨厌|最爱|不吃|不喝|总是|不要|只用|只喝|只吃|叫我|回答",
    ),
    (
        Category.DECISION,
        r"\b(?:decided|decision|agreed|we(?:'ll| will) use|chose|settled on)\b|决定|商定|选定|改用",
    ),
    (
        Category.WORKFLOW,
        rf"\b(?:every (?:day|morning|evening|week|month|{FULL_WEEKDAY})"
        rf"|usually|each (?:day|week|time)|on (?:{FULL_WEEKDAY})s)\b"
        rf"|每天|每个?{CHINESE_WEEK}|每月|每次|通常|习惯",
    ),
)
_COMPILED = tuple((category, re.compile(pattern, re.IGNORECASE)) for category, pattern in _RULES)


def category_of(text: str) -> Category:
    """Return the category of a statement; without a telling word it is a fact."""
    text = simplified(text)
    return next((category for category, pattern in _COMPILED if pattern.search(text)), Category.FACT)
