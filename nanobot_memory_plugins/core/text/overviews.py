"""Overviews: requests for all that is known of a thing, and the thing that they are about.

"Tell me everything about the van", 把装修的事都说一下. What stands in the message itself ("sum up this
article") is none. Whether memory has anything about it is for the search to say.
"""

import unicodedata

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# A longer text is no request of one sentence.
_LONGEST = 160

_KNOWN = (
    r"(?:know|remember|have|(?:ever )?(?:said|told|talked|discussed|mentioned|noted|planned|decided)|learn(?:ed|t))"
)
OVERVIEWS = Words(
    (
        Word(
            r"(?:summari[sz]e|sum up|recap|go over|(?:run|walk|take) me through|(?:catch me up|fill me in"
            r"|bring me up to (?:date|speed)|update me) (?:on|about)) (?P<worked>.+)",
            "summarise what we know of the van",
            "a summary",
        ),
        Word(
            r"(?:(?:(?:give|get|show|make|write|prepare|do)(?: me| us)?|gimme|need|want) )?"
            r"(?:an?|the) (?:[\w-]+ ){0,2}?"
            r"(?:summary|overview|recap|run-?down|round-?up|picture) (?:of|on|about) (?P<listed>.+)",
            "give me a short overview of the move",
            "the summary was fine",
        ),
        Word(
            r"(?:(?:tell|show|list|give|bring|read|put together|collect|gather|compile|gimme)(?: me| us)? )?"
            r"(?:everything|all|whatever"
            r"|what(?! (?:about|of|on|is|are|was|were|does)\b))\b"
            rf"(?: (?:that|there is|the things|things|details|facts|do|did|have|all|of it|you|we|i|{_KNOWN}|me|us|to"
            r"|already|so far|up to now|need to|have to|should|bear in mind|keep in mind|think of|do))*"
            r" (?:about|of|on|regarding|concerning) (?P<told>.+)",
            "tell me everything about the van",
            "tell me about the van",
        ),
        Word(
            r"(?:tell|show|list|give|bring|put together|collect|gather|compile|gimme)(?: me| us)?"
            r" (?:everything|all|whatever|what)\b(?: [\w']+){0,7}? (?:for|around|with|wi) (?P<gathered>.+)",
            "put together all that i have to bear in mind for the trip",
            "all for nothing",
        ),
        Word(
            r"(?:tell|show)(?: me| us)? where (?P<stood>.+)"
            r"|where (?:do |are )?(?:i|we) (?:now |currently )?(?:stand |up to )?(?:with|on) (?P<standing>.+)",
            "where do we stand with the move",
            "where do i stand",
        ),
        Word(
            "(?:总结|概括|汇总|梳理|归纳|回顾|盘点|整理|捋)(?:一[下捋]|下|出)?+(?P<worked_zh>.+)",
            "总结一下买房的情况",
            "总是",
        ),
        Word(
            "(?:把|将)(?P<handed_zh>.+?)(?:都|全部?|全都|统统|完整地?)?(?:跟|给|和|对)?我?(?:都|全)?"
            "(?:说|讲|列|总结|概括|梳理|汇总|捋|理|回顾|整理|归纳|盘点)(?:一?[下遍说讲列捋理]|出来|清楚|给我.*)",
            "把装修的事都说一下",
            "把装修的事办了",
        ),
        Word(
            "(?:说说|讲讲|谈谈|讲|说|告诉我|列出|列一下|介绍一下)(?:一下)?(?:你|我们|咱们)?(?:所|都)?"
            "(?:知道|记得|了解|记录|记住)(?:的|到的|下来的)(?P<known_zh>.+)",
            "说说你知道的关于婚事",
            "说说婚事",
        ),
        Word(
            "(?:说说|讲讲|告诉我|列出|列一下|给我)?(?P<of_zh>.+?)的?(?:所有|全部|一切)的?(?:事情?|情况|信息|内容|细节|安排)"
            "|(?:关于|有关|对)?(?P<asked_zh>.+?)(?:的(?:事情?|情况))?,?你(?:都|还)?(?:知道|记得|了解)(?:些|了|多少)?(?:什么|哪些|啥)?",
            "关于婚事你知道些什么",
            "婚事",
        ),
    )
)
"""A request for all that is known of something; its group is the thing."""

_LEAD = LazyPattern(
    r"\W*(?:(?:please|ok(?:ay)?|so|hey|hi|now|then|and|can|could|would|will|you|just|quickly|briefly|i|i'd|we|need|want"
    r"|like|to|let's|let us|once more|again)\b\W*)*"
)
_LEAD_ZH = LazyPattern(
    "\\W*(?:(?:请|麻烦|帮我|帮忙|给我|你|您|能不能|可以|能|再|我想|我要|想让你|现在|那|好的|简单|大致|先)\\W*)*"
)
_TAIL = LazyPattern(
    r"(?:\W|\b(?:please|so far|up to now|again|for me|now|thanks?|thank you|briefly|in (?:short|brief)|at the moment"
    r"|goes|going|stands?|standing|is|are)\b)*$"
)
_TAIL_ZH = LazyPattern("(?:的(?:事情?|情况|进展|经过|过程|内容|信息|来龙去脉|安排|进度)|[的吗吧呢啊呀]|\\W)*$")
# What stands before the thing itself: "where we are with", "what we decided about", 关于.
_BEFORE = LazyPattern(
    rf"(?:(?:where|how|what|which|everything|all|that|i|we|you|us|me|our|my|the|of|on|about|with|regarding|to|wi"
    rf"|have|had|do|did|are|am|is|stand|standing|so far|got to|{_KNOWN})\b\W*)+"
)
_BEFORE_ZH = LazyPattern(
    "(?:关于|有关|对于|所有|全部|我们|咱们|我俩|我家(?![人里])|[这那]次|[我咱你]|之前|目前|最近|的|以及|[和与跟、])"
)
# What is handed over with the message, or pointed at.
_POINTS = LazyPattern(
    r"^(?:this|these|it|that|those|them|him|her|there)\b|\b(?:following|below|above|attached|article|text|paragraph"
    r"|passage|document|file|page|email|e-mail|essay|paper|chapter|book|film|movie|novel|plot|sentences?)\b"
    "|^[这那此它](?!次)|(?:以下|下面|下列|上面|上述|附件|文章|段落|原文|全文|这[篇段本个些]|那[篇段本])"
)
_CHINESE = LazyPattern("[\u3400-\u9fff]")


def overview_subject(text: str) -> str:
    """Return what a request for an overview is about, folded, or nothing where a text is none. Never raises."""
    if not text.strip() or len(text) > _LONGEST or "\n" in text.strip():
        return ""
    plain = " ".join(fold(unicodedata.normalize("NFKC", text)).split())
    is_chinese = _CHINESE.search(plain) is not None
    lead = (_LEAD_ZH if is_chinese else _LEAD).match(plain)
    found = OVERVIEWS.match(plain[lead.end() if lead is not None else 0 :])
    if found is None:
        return ""
    subject = next((one for one in found.groups() if one), "")
    if _POINTS.search(subject):
        return ""
    if is_chinese:
        subject = _BEFORE_ZH.sub(" ", _TAIL_ZH.sub("", subject))
    else:
        before = _BEFORE.match(subject)
        subject = _TAIL.sub("", subject[before.end() if before is not None else 0 :])
    return "" if _POINTS.search(subject.strip()) else " ".join(subject.split())
