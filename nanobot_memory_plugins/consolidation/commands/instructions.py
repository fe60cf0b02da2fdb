"""Standing instructions in what a user writes: how the assistant is to behave from now on. Plain rules.

Only a request of the user's own that says "always", "never", "from now on" and the like, or how the user is to be
called, is one. What asks, reports, supposes or tells of habits is none, nor is a request about one text or task.
"""

import re
from enum import StrEnum

from nanobot_memory_plugins.core.text import (
    VERB,
    Act,
    Clause,
    LazyPattern,
    Reading,
    Sentence,
    Word,
    Words,
    fold,
    without_quoted,
)

# Instructions that are taken from one message, and the characters of one.
_MOST, _LONGEST = 3, 200
# Of a longer message, which may be a text that somebody pasted, only the first and the last sentence can be one.
_DOCUMENT = 700
# A message of more letters in which nobody says "I" or "me" may be a text that somebody pasted.
_PAGE = 120
_FIRST_PERSON = LazyPattern(r"\b(?:i|i'm|i've|i'd|i'll|im|me|my|mine|us|we|our)\b|[我咱俺]")

_LEAD = LazyPattern(
    r"(?:(?:please|pls|hi|hey|hello|ok|okay|so|and|but|also|just|well|thanks|for the record|note|new rule|rule"
    r"|important|one (?:more )?thing|by the way|btw)\b[ ,:!.-]*"
    r"|(?:请|麻烦|拜托|好的?|另外|对了|还有|那就?|你好)[ ,:!]*)+"
)
_MORE_VERBS = (
    r"push|merge|commit|force-push|ask|assume|begin|capitali[sz]e|cite|comment|disclose|greet|guess|mention|quote|rebase"
    r"|refer|reformat|return|run|round|spend|swear|touch|modify|work|drop|delete|overwrite|install|deploy|be|do|consult|double-check"
)
_DO = rf"(?:{VERB}|{_MORE_VERBS})\b"
_ALWAYS = r"(?:always|never|not ever)"
_SINCE_NOW = (
    r"(?:from (?:now|here|today) on(?:wards?)?|from this day on|in (?:the )?future|going forward|until further notice"
    r"|by default|every time|at all times|each time|for all future \w+)"
)
_SINCE_NOW_ZH = "(?:以后|今后|往后|日后|从现在(?:起|开始)|从今(?:天|以后)?(?:起|开始)?|从此(?:以后)?)"
_DO_ZH = "(?:用|叫|喊|称呼|回答|回复|提交|只|先|把|给|说|写|帮|提醒|统一|一律|必须|务必|尽量|简短|直接)"

STANDING = Words(
    (
        Word(rf"(?:{_ALWAYS}|don't ever|do not ever) {_DO}", "never push to main", "never heard of it"),
        Word(
            rf"{_SINCE_NOW},? (?:please )?(?:{_DO}|do not\b|don't\b|{_ALWAYS} {_DO}|no |only |you (?:should|must) )",
            "from now on, use tabs",
            "from now on i use tabs",
        ),
        Word(
            rf"(?:when(?:ever)?|every time|each time) (?:i|you)\b.*, (?:please )?(?:{_ALWAYS} )?{_DO}",
            "whenever i ask, give me code",
            "whenever i ask, it rains",
        ),
        Word(
            rf"(?:i (?:want|need|would like|expect|prefer) you to|i'd (?:like|prefer) you to|you (?:should|must|are to)"
            rf"|make sure (?:that )?you|make sure to|(?:can|could|will|would) you(?: please)?) {_ALWAYS} {_DO}",
            "you should never book flights",
            "you should never see it",
        ),
        Word(rf"{_DO}.* {_SINCE_NOW}", "answer in french from now on", "answer in french now"),
        Word(f"(?:请?你)?{_SINCE_NOW_ZH}(?:[你请都就也要可以能再]|麻烦)*{_DO_ZH}", "以后都用中文回答", "以后我会去"),
        Word(f"你?能不能{_SINCE_NOW_ZH}.*{_DO_ZH}", "能不能以后都用中文", "能不能喝咖啡"),
    )
)
"""With which a request for all times begins."""

PLAIN = Words(
    (
        Word(
            "你?(?:永远|绝对|任何时候|不管什么时候|无论什么时候|无论如何)都?(?:别|不要|不许|不准)",
            "永远不要推送到main",
            "永远不会推送",
        ),
        Word(
            f"(?:请?你)?{_SINCE_NOW_ZH}都?(?:别|不要|不许|不准)再?(?:给我|叫|用|说|讲|发|推荐|提|推|问|回|写|加|打|跟我|对我|删|改|动|自动|随便|擅自)",
            "以后不要再给我推荐股票",
            "以后不要孩子了",
        ),
        Word(
            f"(?:请?你)?{_SINCE_NOW_ZH}.{{0,16}}(?:先?问我|告诉我|回复|回答|单位来|跟我[说讲])",
            "以后涉及钱的都先问我",
            "以后再说吧",
        ),
        Word(f"(?:请你?|你){_SINCE_NOW_ZH}.{{0,6}}(?:说话|讲话|回话).{{1,8}}", "请你以后说话直接一点", "你以后说什么"),
        Word(
            "(?:请?你)?每次(?:回答|回复|写|提交|生成|翻译|总结|部署|改|给我|帮我).{0,8}都?(?:要|得|用|先|加|别|不要|必须|请)",
            "每次写代码都要加注释",
            "每次用电脑都头疼",
        ),
        Word(
            rf"(?:{_SINCE_NOW}|(?:every|each) time you\b.*),? (?:please )?(?:{_DO}|don't\b)",
            "by default, use tabs",
            "by default it is on",
        ),
    )
)
"""One that needs no other word of a request: the reading takes it for a statement."""

NAMES = Words(
    (
        Word(
            r"(?:you (?:can|may) |just |i want you to |i'd (?:like|prefer) you to )*(?:call|address) me (?:as )?"
            r"(?!(?:back|later|now|soon|again|tomorrow|today|tonight|asap|up|when|if|at|on|in|by|before|after|crazy|a|an"
            r"|the|maybe|paranoid|silly|anytime|whenever|any|every|names|right|old-fashioned|first|from|out|over)\b)"
            r"[\w'.-]+(?: [\w'.-]+)?(?: from now on| please)?",
            "call me captain",
            "call me back",
        ),
        Word(
            "(?:你|请|以后|就|都|可以|今后|一律|也){0,6}(?:叫|称呼|喊)我(?:为|作)?"
            "(?!起|来|去|做|写|买|吃|喝|别|不|早|晚|一[声下]|看|给|帮|把|回|明|后|今|醒|怎|什|的|们|一起|过|好|妈|爸|哥|姐|弟|妹|爷|奶|孩|儿|女)"
            r"[\w·]{1,6}?(?:就行|就好|就可以|吧|好了|即可)?",
            "以后叫我船长",
            "叫我起床",
        ),
    )
)
"""How the user is to be called: all of a clause."""

# A request about one text or task, or somebody else's words.
_NOT_FOR_ALL_TIMES = LazyPattern(
    r"\b(?:in|for|of|on|with|to) (?:this|that|these|those|the following)\b|\b(?:here|below|above)\b"
    r"|这[个篇段次封首份张]|下面|上面|以下"
    r"|\b(?:said|says|told me)\W*$|说的?\W*$|\b(?:is|was) (?:an?|my|the|his|her|their|our) \w"
)
_LANGUAGE = LazyPattern(
    r"\b(?:in|speak|use) (?:\w+ )?(?:english|french|german|spanish|italian|portuguese|dutch|polish|russian|turkish"
    r"|greek|arabic|hebrew|hindi|chinese|mandarin|cantonese|japanese|korean|swedish|danish|norwegian|finnish|czech)\b"
    r"|[用以讲说](?:[\u4e00-\u9fff]{0,3}[文语]|普通话|粤语|广东话|白话)"
)
_TAIL = " \t\n.!。！~～,，;；:："


class Slot(StrEnum):
    """What only one instruction at a time can say: a new one takes the place of the one before."""

    NAME = "name"
    LANGUAGE = "language"


def instructions_in(reading: Reading) -> list[str]:
    """Return the standing instructions of a message, each once, in the user's words."""
    found: dict[str, None] = {}
    sentences = reading.sentences
    if len(reading.authored) > _PAGE and not _FIRST_PERSON.search(fold(reading.authored)):
        last = reading.authored.rstrip().rpartition("\n")[2].strip()
        sentences = tuple(one for one in sentences[-1:] if one.text == last)
    if len(reading.authored) > _DOCUMENT:
        sentences = tuple(dict.fromkeys((*sentences[:1], *sentences[-1:])))
    for sentence in sentences:
        text = _instruction(sentence)
        if text:
            found.setdefault(text)
    return list(found)[:_MOST]


def slot_of(instruction: str) -> Slot | None:
    """Return what an instruction settles alone."""
    folded = _bare(instruction)
    if NAMES.fullmatch(folded):
        return Slot.NAME
    return Slot.LANGUAGE if _LANGUAGE.search(folded) else None


def _instruction(sentence: Sentence) -> str:
    if len(sentence.text) > _LONGEST or _NOT_FOR_ALL_TIMES.search(fold(sentence.text)):
        return ""
    clauses = sentence.clauses
    for number, clause in enumerate(clauses):
        if _is_standing(clause, sentence if not number else None):
            before = clauses[:number]
            if any(one.text.rstrip().endswith((":", "：")) for one in before):
                return ""
            whole = all(one.is_own_word for one in clauses)
            return (sentence.text if whole else clause.text).strip(_TAIL)
    return ""


def _is_standing(clause: Clause, sentence: Sentence | None) -> bool:
    """Say whether a clause asks for something for all times; ``sentence`` is the one that it begins."""
    if clause.act not in (Act.REQUESTS, Act.STATES):
        return False
    folded = _bare(clause.text)
    whole = _bare(sentence.text) if sentence is not None else folded
    if PLAIN.match(folded) or PLAIN.match(whole) or NAMES.fullmatch(folded):
        return True
    return clause.act is Act.REQUESTS and bool(STANDING.match(folded) or STANDING.match(whole))


def _bare(text: str) -> str:
    """Return a text for comparing, without "please" and "by the way" before it, and without what it quotes."""
    folded = without_quoted(fold(text)).strip(_TAIL)
    lead = _LEAD.match(folded)
    bare = folded[lead.end() :] if lead is not None else folded
    return re.sub(r"[ ,]+(?:please|pls|ok|okay|thanks|thank you)$", "", bare)
