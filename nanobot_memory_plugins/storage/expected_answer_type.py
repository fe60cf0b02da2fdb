"""What kind of answer a question asks for, and whether a text holds one of the kind.

"When ..." asks for a time and "how many ..." for a number. A text that holds neither seldom answers.
"""

import re
from enum import StrEnum

from nanobot_memory_plugins.core.text.calendar import FULL_WEEKDAY, MONTHS
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# In most texts "may" is no month.
_MONTH = "|".join(one for one in MONTHS if one != "may")
# What of a long text is looked through.
_LOOKED_THROUGH = 4_000


class AnswerKind(StrEnum):
    """What a question asks for."""

    TIME = "time"
    NUMBER = "number"
    NAME = "name"
    NAME_IN_CHINESE = "name_in_chinese"


_CHINESE = re.compile("[\u4e00-\u9fff]")
_ASKED = {
    AnswerKind.TIME: re.compile(
        r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|哪天|哪一天|什么时候|何时|几号|几月"
        r"|哪年|哪一年|いつ|언제",
        re.IGNORECASE,
    ),
    AnswerKind.NUMBER: re.compile(
        r"\bhow (?:many|much|long|old|often|far|big|tall)\b|多少|几[个次人天年岁只本种]"
        r"|多大|多长|多久|多高|いくつ|いくら|몇",
        re.IGNORECASE,
    ),
    AnswerKind.NAME: re.compile(
        r"\b(?:where|who|whose|which)\b|\bname\b"
        r"|\bwhat (?:book|movie|film|song|game|city|country|state|place|type|kind|company|brand)\b"
        r"|谁|哪里|哪儿|在哪|名字|叫什么|哪个|哪部|哪家|哪些|どこ|누구|어디",
        re.IGNORECASE,
    ),
}
HELD = {
    AnswerKind.TIME: re.compile(
        r"\b(?:yesterday|today|tonight|tomorrow|last|ago|next|week|weekend|month|year|morning|recently|since|just"
        rf"|{FULL_WEEKDAY}|{_MONTH})\b|\b(?:19|20)\d\d\b|昨天|今天|明天|前天|后天|上周|下周|星期|礼拜|\d\s?[月年日号点]"
        r"|[一二三四五六七八九十]\s?[月日号点]|去年|今年|明年",
        re.IGNORECASE,
    ),
    AnswerKind.NUMBER: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|dozen|first|second|third)\b"
        r"|[一二三四五六七八九十两几百千万]",
        re.IGNORECASE,
    ),
    # A capital inside a sentence, or a title.
    AnswerKind.NAME: re.compile(
        r"(?<=[a-z,;:'’\"] )[\"“]?[A-Z][A-Za-z]+|\"[^\"\n]{1,80}\"|《[^》\n]{1,80}》|「[^」\n]{1,80}」"
    ),
    # Capitals of English sentences beside say nothing: a title, or Latin letters within Chinese.
    AnswerKind.NAME_IN_CHINESE: re.compile(
        r"[\u4e00-\u9fff] ?[A-Za-z]{2,}|《[^》\n]{1,80}》|「[^」\n]{1,80}」|“[^”\n]{1,80}”"
    ),
}


def kinds_asked(question: str) -> frozenset[AnswerKind]:
    """Return the kinds of answer that a question asks for; as a rule one or none."""
    question = simplified(question)
    asked = {kind for kind, pattern in _ASKED.items() if pattern.search(question)}
    if AnswerKind.NAME in asked and _CHINESE.search(question):
        asked = asked - {AnswerKind.NAME} | {AnswerKind.NAME_IN_CHINESE}
    return frozenset(asked)


def holds(text: str, kind: AnswerKind) -> bool:
    """Tell whether a text holds something of the kind."""
    return HELD[kind].search(simplified(text[:_LOOKED_THROUGH])) is not None
