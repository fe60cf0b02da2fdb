"""Standing instructions in what a user writes: how the assistant is to behave from now on. Plain rules.

Only a request of the user's own that says "always", "never", "from now on" and the like, or how the user is to be
called, is one. What asks, reports, supposes or tells of habits is none, nor is a request about one text or task.
"""

import re
from datetime import datetime
from enum import StrEnum

from nanobot_memory_plugins.consolidation.model.plan_days import day_meant, end_of
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
    r"push|merge|commit|force-push|ask|assume|begin|capitali[sz]e|cite|comment|disclose|greet|guess|mention"
    r"|quote|rebase"
    r"|refer|reformat|return|run|round|spend|swear|touch|modify|work|drop|delete|overwrite|install|deploy|be|do"
    r"|consult|double-check"
)
_DO = rf"(?:{VERB}|{_MORE_VERBS})\b"
_ALWAYS = r"(?:always|never|not ever)"
_SINCE_NOW = (
    r"(?:from (?:now|here|today) on(?:wards?)?|from this day on|in (?:the )?future(?! tense)|going forward"
    r"|until further notice"
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
            rf"(?:i (?:want|need|would like|expect|prefer) you to|i'd (?:like|prefer) you to|you (?:should|must"
            rf"|are to)"
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
            "(?:请?你)?每次(?:回答|回复|写|提交|生成|翻译|总结|部署|改|给我|帮我).{0,8}都?(?:要|得|用|先|加|别"
            "|不要|必须|请)",
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
            r"(?!(?:back|later|now|soon|again|tomorrow|today|tonight|asap|up|when|if|at|on|in|by|before|after"
            r"|crazy|a|an"
            r"|the|maybe|paranoid|silly|anytime|whenever|any|every|names|right|old-fashioned|first|from|out|over)\b)"
            r"[\w'.-]+(?: [\w'.-]+)?(?: from now on| please)?",
            "call me captain",
            "call me back",
        ),
        Word(
            "(?:你|请|以后|就|都|可以|今后|一律|也){0,6}(?:叫|称呼|喊)我(?:为|作)?"
            "(?!起|来|去|做|写|买|吃|喝|别|不|早|晚|一[声下]|看|给|帮|把|回|明|后|今|醒|怎|什|的|们|一起|过|好"
            "|妈|爸|哥|姐|弟|妹|爷|奶|孩|儿|女)"
            r"[\w·]{1,6}?(?:就行|就好|就可以|吧|好了|即可)?",
            "以后叫我船长",
            "叫我起床",
        ),
    )
)
"""How the user is to be called: all of a clause."""

_ANSWERING = (
    r"(?:us(?:e|ing)|call(?:ing)?|say(?:ing)?|apologi[sz](?:e|ing)|add(?:ing)?|ask(?:ing)?|giv(?:e|ing)"
    r"|suggest(?:ing)?|recommend(?:ing)?"
    r"|start(?:ing)?|end(?:ing)?|repeat(?:ing)?|tell(?:ing)?|send(?:ing)?|includ(?:e|ing)|mention(?:ing)?"
    r"|bring(?:ing)? up|explain(?:ing)?"
    r"|be(?:ing)?|writ(?:e|ing)|sugar-?coat(?:ing)?|assum(?:e|ing)|summari[sz](?:e|ing)|quot(?:e|ing)"
    r"|talk(?:ing)?|lectur(?:e|ing)|joke|joking"
    r"|answer(?:ing)?|repl(?:y|ying)|respond(?:ing)?|address(?:ing)?|spoil(?:ing)?|translat(?:e|ing)"
    r"|correct(?:ing)?|flatter(?:ing)?|hedg(?:e|ing))"
)
_LASTS = (
    r"(?:(?<=want you to )(?:ever|never|always)|any ?more|for good|every time|each time|any ?time|whenever"
    r"|as a rule|in (?:all|every) (?:of )?(?:our|your|my)\b.*"
    r"|going forward|from (?:here|now|this point|today) (?:on|in|onwards?)(?: (?:in|out))?|hereafter|henceforth"
    r"|in (?:the )?future(?= ?(?:[,.!]|$|please))|by default"
    r"|on (?:weekends|weekdays|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)"
    r"|until further notice|permanently"
    r"|at all times|in general|across the board|every (?:single )?(?:answer|reply|e-?mail|message|recipe|draft"
    r"|summary|list|time|script|commit))"
)

_STYLE = (
    r"(?:emojis?|em ?-?dashes|bullet ?points?|bullets|disclaimers?|tables|jargon|slang|small talk"
    r"|exclamation marks?|headings|apologies|puns?"
    r"|jokes|hedging|flattery|pleasantries|smileys|abbreviations|footnotes|caveats|filler|markdown|bold"
    r"|preambles?|recaps?|sign-?offs?)"
)

BROAD = Words(
    (
        Word(
            rf"(?:stop|quit|cease|no more|cut out|enough of)(?: it with)?(?: the| your"
            rf"| all the)? (?:{_ANSWERING}\b.*(?:\b(?:me|my|us)\b|\bevery\b|\bagain\b|{_LASTS}).*|{_STYLE}\b.*)",
            "stop using emojis with me",
            "stop the server before you use it again and again",
        ),
        Word(
            r"(?:address|refer to|introduce) (?:me|my [\w' -]{2,30}|us) as (?!you\b|i\b|if\b|soon\b|well\b"
            r"|long\b).+|(?:don'?t|do not|never) (?:call"
            r"|address) me [\w' -]+(?:,.*)?"
            r"|use (?:he|she|they|ze)\b.* (?:for|with|about) me\b.*|treat me (?:like|as) .+",
            "refer to my shop as the foundry",
            "refer to my notes as you like it",
        ),
        Word(
            r"(?:talk|speak|reply|respond|write|answer) to me (?:in|with|as|like) .+|be \w+ (?:with|to) me\b.*"
            r"|keep (?:it|your answers|answers|replies) \w+ (?:with|for) me\b.*",
            "talk to me in spanish",
            "talk to me",
        ),
        Word(
            rf"(?:{_DO}|don'?t|do not|you (?:can|may|should|must|need to)|no |only |i(?:'d)? (?:want|expect"
            rf"|prefer|need|like|don'?t want|would (?:like|prefer)|require)\b|would you|could you|can you"
            rf"|ask me\b|refer to).*\b{_LASTS}\W*.*",
            "i expect dates in iso format going forward",
            "i never do this",
        ),
        Word(
            rf"{_LASTS},? (?:{_DO}|i (?:want|expect|prefer|need)|don'?t|do not|no |only |you (?:should|must|may"
            rf"|can)|show|refer to).*",
            "as a rule, show your sources",
            "as a rule i run",
        ),
        Word(
            r"in (?:all|every(?: one)? of) (?:our|your|my) (?:chats?|conversations?|answers|replies|e-?mails?"
            r"|messages|code|scripts|texts)\W+.+",
            "in all our chats: tabs",
            "in all our years we ran",
        ),
        Word(
            rf"(?:(?:when(?:ever)?|any ?time|every time|each time|once|if) (?:i|we) (?:say|ask|mention|sound"
            rf"|seem|type|forget|swear|start|talk|complain|write to you)\b.*?(?:,| i want| i need) ?(?:please "
            rf"|always |just )?(?:{_DO}|don'?t|do not|a\b|the\b|i want|i need|show|give|never).*)",
            "any time i mention a book, don't spoil it",
            "if i say so, it is so",
        ),
        Word(
            r"(?:every|each|all) (?:\w+ ){1,3}you (?:give|write|send|show|make|suggest|draft"
            r"|translate)s?(?: (?:me|for me|us))? (?:has to|have to|must|should|needs? to) .+",
            "every recipe you give me has to serve two",
            "every car you sell has to go",
        ),
        Word(
            "(?!我们?(?:以后|今后|每次|每回|一直|总是|永远|从|往后|都)|[他她它]|大家|咱|如果我"
            "|要是我)(?=.*(?:以后|今后|往后|日后|之后|下回开始|从今|从现在|从此|一律|始终|永远(?=别|不|附|排除"
            "|先|用|都|把|给|要)|每次|每回|凡是|只要我|不管聊|不管我|默认|一直得|在?给我.{1,10}时"
            "|我问.{1,12}的?时候))"
            "(?=.*(?:你|请|给我|帮我|跟我|对我|提醒我|我问|回复|回答|翻译|说话|推荐|别给|别再|俺))"
            "(?=.*(?:请|就|都|别|不要|每次给我|先|用|按|一律|附上|排除|保留|列|管自己叫|甭|始终|大白话|随意|温和"
            "|得))(?!.*(?::|我[妈爸]|[他她]|老板|老师|同事|朋友|帮我看看|怎么办|怎么回事|为什么|再说|再聊|再看"
            "|我会|我想|我要)).*",
            "每回都提醒我喝水",
            "每回都下雨",
        ),
        Word(
            "(?:请|你|就)*(?:别再|不要再|不许再|不准再|甭再|别)(?:叫我|给我(?:加|发|推荐|推|讲|用|写)|跟我(?:说"
            "|讲|拽|用)|用(?:表情|英文|敬语)).*|(?:请)?称呼我.{0,4}(?:用|为|作|叫).+|回[复答](?:我)?(?:一律|都"
            "|时都|要|请).+"
            "|reply我.*(?:以后|都).*|.*(?:你每次|你每回|你一直)(?:都)?(?:先|要|得|给|用|唔好|不要|别).*",
            "别再叫我亲",
            "别再叫他",
        ),
    )
)
"""What asks for it in other words; it must be all of a sentence that nobody else says."""

# A request about one text or task, or somebody else's words.
_NOT_FOR_ALL_TIMES = LazyPattern(
    r"\b(?:in|for|of|on|with|to) (?:this|that|these|those|the following)\b|\b(?:here|below|above)\b"
    r"|这[个篇段次封首份张]|下面|上面|以下"
    r"|\b(?:said|says|told me|shouted|yelled|whispered|wrote|replied|thought)\W*$|说的?\W*$|\b(?:is|was) (?:an?"
    r"|my|the|his|her|their|our) \w"
)
_TO_YOU = LazyPattern(
    "(?:你|请你|只要我|甭|别|以后|从现在|往后|今后)(?!.*(?:[他她]|老板|老师|妈|爸|朋友|同事|人家|有人|网上|书上))"
)
# What is over soon, a task of one's own, or an idiom.
_PASSING = LazyPattern(
    r"^forget\b|^(?:can|could|would) you (?:tell|explain|show|say)\b|\b(?:he|she|they|it|everyone|people|users?"
    r"|students?|kids?) (?:should|must|always|never|has to|have to)\b|\b(?:never mind|always (?:a )?pleasure"
    r"|forget (?:to|it|about)|remember to|remind me (?:to|at|on|in|tomorrow|every|when)|today|tonight|tomorrow"
    r"|right now|for now|this time|just this once"
    r"|schedule|every (?:day|morning|evening|week|month|hour) at)\b|今天(?!起|开始)|今晚|明天|这次|现在就|闹钟"
    r"|叫我起床|提醒我(?:明|今|后|下周|几)|[“\"「].*(?:以后|永远).*[”\"」]"
)
_LANGUAGE = LazyPattern(
    r"\b(?:in|speak|use) (?:\w+ )?(?:english|french|german|spanish|italian|portuguese|dutch|polish|russian|turkish"
    r"|greek|arabic|hebrew|hindi|chinese|mandarin|cantonese|japanese|korean|swedish|danish|norwegian|finnish|czech)\b"
    r"|[用以讲说](?:[\u4e00-\u9fff]{0,3}[文语]|普通话|粤语|广东话|白话)"
)
# Until when one holds.
_UNTIL = LazyPattern(
    r"\b(?:until|till|til|through)\s+(?P<day>(?!further)[^,.;]+)|(?:直到|一直到|到)(?P<zh>[^,，。；]+?)(?:为止|之前|前|$)"
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


def end_of_instruction(instruction: str, said_at: datetime) -> datetime | None:
    """Return when an instruction is over that names its last day ("until Friday"), or None."""
    found = _UNTIL.search(fold(instruction).rstrip(_TAIL))
    if found is None or said_at.tzinfo is None:
        return None
    day = day_meant(found["day"] or found["zh"], said_at.date())
    return end_of(day, said_at.tzinfo) if day is not None else None


def _is_broadly_standing(sentence: Sentence) -> bool:
    """Say whether a sentence, all of it the user's own, asks for something for all times in other words."""
    folded = fold(sentence.text)
    told = {one.act for one in sentence.clauses} - {Act.REQUESTS, Act.STATES, Act.SUPPOSES}
    if told == {Act.REPORTS}:  # "say" and 说 are of the assistant here
        if not _TO_YOU.match(folded):
            return False
    elif told and not (folded.startswith(("would you", "could you", "can you")) or re.search("行不行|好不好", folded)):
        return False
    bare = _bare(sentence.text)
    return BROAD.fullmatch(bare) is not None and not _PASSING.search(bare)


def _instruction(sentence: Sentence) -> str:
    if len(sentence.text) > _LONGEST or _NOT_FOR_ALL_TIMES.search(fold(sentence.text).replace("from here", "from now")):
        return ""
    clauses = sentence.clauses
    for number, clause in enumerate(clauses):
        if _is_standing(clause, sentence if not number else None):
            before = clauses[:number]
            if any(one.text.rstrip().endswith((":", "：")) for one in before):
                return ""
            whole = all(one.is_own_word for one in clauses)
            return (sentence.text if whole else clause.text).strip(_TAIL)
    return sentence.text.strip(_TAIL) if _is_broadly_standing(sentence) else ""


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
