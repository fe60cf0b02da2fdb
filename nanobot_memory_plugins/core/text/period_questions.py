"""Questions that look back on a period: what was talked about, done, decided or planned then.

Such a question is made of a period, of words for talk or for what one does, and of words that carry nothing. What is
left of it is its subject: "what did I say about the boiler in May?". English and Chinese, typos of common words too.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from nanobot_memory_plugins.core.text.calendar import MONTH_NUMBERS, WEEKDAYS
from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.relative_dates.calendar import Span
from nanobot_memory_plugins.core.text.relative_dates.periods import periods
from nanobot_memory_plugins.core.text.relative_dates.rules import Found
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# A longer text is no question of one sentence.
_LONGEST = 200
# Words shorter than this are not looked at for typos.
_SHORTEST_TYPO = 4


class Talker(StrEnum):
    """Whose words are asked for."""

    ANYBODY = "anybody"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class LookingBack:
    """A question about a period: its days, what it is about (nothing: anything at all), and who talked.

    ``words`` are those by which it names the period.
    """

    span: Span
    words: str
    subject: str = ""
    talker: Talker = Talker.ANYBODY


TALK = Words(
    (
        Word(
            r"(?:talk|discuss|chat|mention|bring|ask|suggest|recommend|advis|cover|convers)(?:e|ed|ing|ted|ting)?"
            r"|sp(?:oke|eak|eaking|oken)|s(?:ay|aid|aying)|t(?:ell|old|elling)|brought|discussions?"
            r"|conversations?|chats?"
            r"|(?:go|went|going|gone) (?:back )?(?:over|through)|touch(?:ed)? (?:up)?on|on about",
            "what did we discuss",
            "the talkies",
        ),
        Word(
            "聊天?|说|讲|谈|提(?!醒)到?|讨论|告诉|交流|沟通|对话|商量|问|建议|推荐|交代|唠|倾|吐槽|叮嘱|讨教|会话",
            "聊了什么",
            "提醒我",
        ),
    )
)
"""Words for talk."""
DEEDS = Words(
    (
        Word(
            r"do(?! (?:i|we)\b)|d(?:id|one|oing)|work(?:ed|ing)?(?: on)?|(?:been )?up to|happen(?:ed|ing)?"
            r"|going on|go on"
            r"|went on|go(?=\W*$)|went(?=\W*$)|decid(?:e|ed|ing)|decisions?|agree(?:d|ments?)?|settled?(?: on)?"
            r"|plan(?:ned|s)?(?! for\b)|arranged?|(?:get|got) (?:done|through)|accomplish(?:ed)?|achieved?"
            r"|busy with|busy|dealt with|deal with|progress|made|make|learn(?:ed|t)?|finish(?:ed)?|tackled?|figure out",
            "what did we decide",
            "what do i need",
        ),
        Word(
            "做|干|办|搞|弄|忙活?|决定|敲定|定(?:下|好)?|安排|计划|规划|发生|处理|完成|进展|推进|折腾|进度|收获|经历",
            "上周忙了什么",
            "跑了多远",
        ),
    )
)
"""Words for what one does."""
RECAP = Words(
    (
        Word(
            r"summari[sz]e|summary|sum up|recap|remind|recall|remember|review|overview|rundown|highlights?|gist|catch"
            r"|refresh|retrospective|run me through|walk me through|look back",
            "a recap please",
            "a capsule",
        ),
        Word(
            "总结|回顾|复盘|梳理|概括|归纳|汇总|回忆|整理|盘点|捋|摘要|小结|记得|想不起|忘了|概要|纪要|提醒",
            "总结一下",
            "总是",
        ),
    )
)
"""Words that ask for what has been."""
_ASKING = LazyPattern(
    r"\b(?:what|wh?a?t|wat|wot|which|how|any|anything|did|have|list|show|tell|give|bring)\b"
    r"|什么|啥|哪|咩|乜|几|怎么|如何|吗|没有|列|说说|讲讲|聊聊|看看"
)
_HAS_BEEN = LazyPattern(
    r"\b(?:did|was|were|had|have|has|been|said|told|spoke|went|done|'ve|whatd|whatve|\w{2,}ed)\b"
    r"|'(?:ve|d)\b|[了过咗]|来着|刚才|刚刚|的(?:内容|事|话题|东西)|最近|以来|到现在"
)
EMPTY = Words(
    (
        Word(
            r"wh?a?t|wat|wot|whatd|whatve|what'(?:d|s|ve|re)|which|how|that|this|these|those|it|its|it's|there|here"
            r"|a|an|the|of|on|in|at|from|to(?! do\b)|with|about|abt|over|for|by|during|since|between|till?|until"
            r"|and|or|so"
            r"|but|then|again|now|back|also|already|ever|even|just|only|actually|exactly|mainly|mostly|together"
            r"|else|else's"
            r"|i|we|you|u|us|me|my|our|ours|your|ur|mine|i'?ve|we'?ve|you'?ve|i'd|we'd|ya"
            r"|was|were|did|didn't|have|has|had|been|be|all|everything|anything|something|some|any|every|each"
            r"|both|many|much"
            r"|(?:can|could|would|will) (?:you|u|we)(?: please)?|do you|did you|i'?d like|i want to know"
            r"|i (?:can't|cannot|don't)"
            r"|i forgot|forgot|forget|know|idea|clue|up to speed|up|please|pls|plz|hey|hi|hello|ok|okay|thanks"
            r"|thx|quick|quickly"
            r"|thing|things|stuff|topics?|subjects?|matters?|points?|sessions?|days?|week|list|main|key|whole|entire"
            r"|tell|give|show|bring|let|see|get|got|look|memory|notes?|news|important|exact|start|end|time"
            r"|'?s|ve|d|re|ll|t",
            "what was it all about",
            "boiler",
        ),
        Word(
            "我们?|咱们?|俺们?|你们?|您|俩|跟|和|同|与|对|向|在|从|自|于|的|地|得|了|过|着|啦|咧|呢|吗|嘛|吧|啊|呀|哦|噢|呗|来着"
            "|哋|咗|啲|咩|乜嘢?|嘅|都|些|哪些?|什么|甚么|啥|哪[儿里]?|儿|几|是|有没有|有|没有?|还|又|也|就|只|所有|全部|主要|具体|大概|大致"
            "|一下|一共|一遍|一份|一个|一些|份|到底|究竟|时候|时|那天|那|这|个|件|样|当时|整个?|期间|以来|之间|内容|里|内|中|上|下|把|被|再|先"
            "|曾经?|之前|以前|事情?|事儿|内容|话题|东西|重点|要点|情况|记录|结论|清单|主题|议题|大事|帮|给|替|请|麻烦|劳驾|能不能|能|可以|可否"
            "|记不记得|能否|想想|想|看看|查查?|列出?|抓|出来?|起来|呃|嗯|诶|哎|喂|好像|应该|到|至|现在|今天|如今|为止|点|口|次|聊聊|说说|讲讲|[谈讲说]谈"
            "|回事|咋样|怎么样?|如何|做到|哪步|步|呐|捋|忙活|地方|方面|部分|各|多少|具体地",
            "都有哪些",
            "锅炉",
        ),
    )
)
"""Words that carry nothing beside the others."""
_TALKER = LazyPattern(
    r"\b(?P<who>i|we|you|u)(?:'ve|'d)?(?: (?:was|were|have|had|been|just|all|ever|even|actually|both"
    r"|already|then|and))*"
    rf" (?:{TALK[0].pattern})\b"
)
_TALKER_ZH = LazyPattern(
    "(?P<who>(?<![跟和对给向同与])(?:我们|咱们?|我俩|咱俩|我哋|我|你|您))(?:俩|都|也|还|有|曾经?|一起|没|在|是|刚才|刚刚"
    f"|(?:[跟和同与对向给替][我你您](?:们|哋)?)|把?)*(?:{TALK[1].pattern})"
)
_WORD = re.compile(r"[a-z']+")
_LATIN = re.compile(r"[a-z]")
_CHINESE = re.compile("[\u3400-\u9fff]")
_BARE = LazyPattern(r"^\W*(?:and|or|what about|how about|then|ok and)\b|^\W*那|呢\W*$")


def looking_back(text: str, now: datetime, before: str = "") -> LookingBack | None:
    """Return the question about a period that a text is, seen from ``now`` in its own time zone, or None.

    ``before`` is what the user said before: "and last week?" asks the same of another period. Never raises.
    """
    if not text.strip() or len(text) > _LONGEST:
        return None
    plain = _plain(text)
    found = periods(plain, now.date())
    span = _whole(found, now)
    if span is None:
        return None
    rest = plain
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.start + len(one.phrase) :]}"
    words = ", ".join(one.phrase for one in found)
    is_bare = not _left_of(rest, with_talk=False)
    if is_bare and _BARE.search(plain) and before and not RECAP.search(rest):
        earlier = looking_back(before, now)
        if earlier is not None:
            return LookingBack(span, words, earlier.subject, earlier.talker)
    asked = _asked(plain, rest, is_over=span.end < now.date())
    return LookingBack(span, words, *asked) if asked is not None else None


def named_period(text: str, now: datetime) -> Span | None:
    """Return the days that a text names, from the first to the last, seen from ``now``: "last week", 上周."""
    return _whole(periods(_plain(text), now.date()), now)


def _whole(found: Sequence[Found], now: datetime) -> Span | None:
    """Return the days of some periods, unless they are still to come."""
    span = Span(min(one.span.start for one in found), max(one.span.end for one in found)) if found else None
    return span if span is not None and span.start <= now.date() else None


def _asked(plain: str, rest: str, *, is_over: bool) -> tuple[str, Talker] | None:
    """Return subject and talker of a question, ``rest`` being what it says beside its period."""
    is_recap = _has(RECAP, rest)
    if not (is_recap or (_ASKING.search(rest) and (_has(TALK, rest) or _has(DEEDS, rest)))):
        return None
    if not (is_over or is_recap or _HAS_BEEN.search(plain)):
        return None
    subject = _left_of(rest, with_talk=True)
    who = _TALKER.search(rest) or _TALKER_ZH.search(re.sub(r"\s+", "", rest))
    if subject and (who is None or not _ASKING.search(rest)):
        return None
    talker = Talker.ANYBODY
    if who is not None:
        talker = {"i": Talker.USER, "我": Talker.USER}.get(who["who"], Talker.ANYBODY)
        if who["who"] in ("you", "u", "你", "您"):
            talker = Talker.ASSISTANT
    return subject, talker


def _left_of(rest: str, *, with_talk: bool) -> str:
    """Return what a text says beside words that carry nothing, and those of talk, deeds and recaps."""
    kinds = (TALK, DEEDS, RECAP, EMPTY) if with_talk else (EMPTY,)
    if _LATIN.search(rest):
        rest = _known(kinds, latin=True).sub(" ", rest)
    if _CHINESE.search(rest):
        rest = _known(kinds, latin=False).sub(" ", rest)
    return " ".join(re.findall(r"[\w']+", rest))


def _has(kind: Words, text: str) -> bool:
    return any(_known((kind,), latin=latin).search(text) for latin in (True, False))


@lru_cache(maxsize=16)
def _known(kinds: tuple[Words, ...], *, latin: bool) -> re.Pattern[str]:
    """Match words of some kinds: whole ones in English, the longest that fits in Chinese."""
    if latin:
        pattern = "|".join(word.pattern for kind in kinds for word in kind if word.pattern.isascii())
        return re.compile(rf"(?<![\w'])(?:{pattern})(?![\w'])")
    parts = "|".join(word.pattern for kind in kinds for word in kind if not word.pattern.isascii())
    return re.compile(f"(?:{parts})")


def _plain(text: str) -> str:
    """Return a text as the rules see it: folded, with single spaces, and with the common words in it spelled right."""
    folded = " ".join(fold(unicodedata.normalize("NFKC", text)).split())
    return _WORD.sub(lambda match: _spelled(match[0]), folded)


_SPELLED = frozenset(
    "what about which talk talked talking discuss discussed discussing tell told said mention mentioned yesterday today"  # noqa: SIM905
    " week weekend month last night morning afternoon evening remind remember recall recap summary summarise summarize"
    " happened happen decide decided decision decisions planned working worked conversation"
    " speak spoke did were have been covered suggested recommended recently lately".split()
) | {*WEEKDAYS, *MONTH_NUMBERS}


@lru_cache(maxsize=1_024)
def _spelled(word: str) -> str:
    """Return the common word of which a word is a typo, by a letter too many, too few or out of place; or itself."""
    if len(word) < _SHORTEST_TYPO or word in _SPELLED:
        return word
    for other in _near(word):
        if other in _SPELLED and len(other) >= _SHORTEST_TYPO:
            return other
    return word


def _near(word: str) -> list[str]:
    """Return what a word becomes with two neighbours exchanged, a letter less, or a letter more."""
    cuts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    exchanged = [head[:-1] + tail[0] + head[-1] + tail[1:] for head, tail in cuts if tail]
    shorter = [head[:-1] + tail for head, tail in cuts]
    longer = [head + letter + tail for head, tail in cuts for letter in "abcdefghijklmnopqrstuvwxyz"]
    return [*exchanged, *shorter, *longer]
