"""The words by which decisions, TODOs, open questions, wishes and facts are told, in English and Chinese."""

import re
from enum import StrEnum

from nanobot_memory_plugins.core.fence import Language


class Kind(StrEnum):
    """What a sentence is worth keeping for, the most valuable first."""

    DECISION = "decision"
    TODO = "todo"
    QUESTION = "question"
    WISH = "wish"
    FACT = "fact"


HEADING: dict[Language, dict[Kind, str]] = {
    "en": {
        Kind.DECISION: "Decisions:",
        Kind.TODO: "TODOs:",
        Kind.QUESTION: "Open questions:",
        Kind.WISH: "Constraints and wishes:",
        Kind.FACT: "Names, numbers, identifiers:",
    },
    "zh": {
        Kind.DECISION: "决定：",
        Kind.TODO: "待办：",
        Kind.QUESTION: "未解决的问题：",
        Kind.WISH: "要求与限制：",
        Kind.FACT: "人名、数字、标识符：",
    },
}

# One pattern finds the kind by the name of its group; where several fit, the first in a sentence counts.
_CUES = {
    Kind.DECISION: (
        r"decid|decision|agreed|we chose|i chose|chosen|settled on|go(?:ing)? with|we(?:'ll| will) use"
        r"|let'?s (?:use|go|take)|switch(?:ed|ing)? to|instead of|final(?:ly|ised|ized)|approved|rejected",
        "决定|选定|选择|采用|改用|改成|确定|定了|定为|就用|敲定|同意|通过了|否决|换成",
    ),
    Kind.TODO: (
        r"to-?do|remind me|need(?:s)? to|must\b|have to|has to|don'?t forget|remember to|next step|follow up|deadline"
        r"|due (?:on|by|date)|by (?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|next|the end)"
        r"|still (?:open|missing)",
        "待办|记得|别忘|需要|得先|要做|下一步|截止|提醒|必须|还没|尚未|之前要|明天要",
    ),
    Kind.QUESTION: (
        r"open question|unclear|not sure|undecided|tbd\b|to be decided|we don'?t know|remains to",
        "待定|不确定|未定|没定|还不清楚|问题是|不知道",
    ),
    Kind.WISH: (
        r"prefer|always|never|don'?t\b|do not|must not|at most|at least|no more than|budget|allergic"
        r"|i (?:like|love|hate|want|need)|only\b|please (?:keep|use|avoid)",
        "喜欢|偏好|不要|不能|不许|只能|最多|至少|不超过|预算|限制|过敏|讨厌|希望|总是|从不|务必|请用",
    ),
    Kind.FACT: (
        r"my \w+ (?:is|was)|is called|named|i(?:'m| am) |i live|i work|lives? in|works? (?:at|for)|born",
        "我叫|名叫|我是|我的|住在|工作|生日|电话|邮箱|地址|版本|端口|密钥|编号",
    ),
}
CUE = re.compile(
    "|".join(rf"(?P<{kind}>\b(?:{english})|{chinese})" for kind, (english, chinese) in _CUES.items()), re.IGNORECASE
)

# What must be kept letter by letter: addresses, paths, versions, identifiers with digits or inner punctuation, numbers.
EXACT = re.compile(
    r"https?://[^\s<>\"'，。）)]+|[\w.+-]+@[\w-]+\.[\w.]+|(?:~|\.{0,2})/[\w.@-]+(?:/[\w.@-]+)*"
    r"|[A-Za-z_][\w-]*(?:[._:#-][\w-]+)+|\b[A-Z][A-Z0-9_]{2,}\b|[A-Za-z]*\d[\w.,:%/-]*"
    r"|\b[A-Z][a-z]+(?: (?:[A-Z][a-z]+|\d+))+"
)
