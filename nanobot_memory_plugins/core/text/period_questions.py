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
from nanobot_memory_plugins.core.text.relative_dates.calendar import DaySpan
from nanobot_memory_plugins.core.text.relative_dates.further import further_phrases
from nanobot_memory_plugins.core.text.relative_dates.periods import periods
from nanobot_memory_plugins.core.text.relative_dates.rules import FoundPhrase
from nanobot_memory_plugins.core.text.words import LazyPattern, Word, Words

# A longer text is no question of one sentence.
_LONGEST = 200
# Words shorter than this are not looked at for typos.
_SHORTEST_TYPO = 4


class Speaker(StrEnum):
    """Whose words are asked for."""

    ANYBODY = "anybody"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class PeriodQuestion:
    """A question about a period: its days, what it is about (nothing: anything at all), and who talked.

    ``words`` are those by which it names the period.
    """

    span: DaySpan
    words: str
    subject: str = ""
    speaker: Speaker = Speaker.ANYBODY


TALK = Words(
    (
        Word(
            r"(?:talk|discuss|chat|mention|ask|suggest|recommend|advis|cover)(?:s|e|ed|ing|ted|ting|ions?)?"
            r"|conversations?|br(?:ing|ought)|sp(?:oke|oken|eak|eaking)|sa(?:y|id|ying)|t(?:ell|old|elling)"
            r"|(?:go|going|went|gone) (?:back )?(?:over|through)|touch(?:ed)? (?:up)?on|on about",
            "what did we discuss",
            "the talkies",
        ),
        Word(
            "聊天?|说|讲|谈|提(?!醒)到?|讨论|告诉|交流|沟通|对话|商量|问|建议|推荐|交代|唠|倾",
            "聊了什么",
            "提醒我",
        ),
    )
)
"""Words for talk."""
DEEDS = Words(
    (
        Word(
            r"do(?! (?:i|we)\b)|d(?:id|one|oing)|work(?:ed|ing)?|up to|happen(?:ed|ing)?|(?:go|going|went) on"
            r"|(?:go|went)(?=\W*$)|decid(?:e|ed|ing)|decisions?|agree(?:d|ments?)?|settled?|plan(?:ned|s)?(?! for\b)"
            r"|(?:get|got) (?:done|through)|achieved?|arranged?|dea(?:l|lt) with|busy|progress|ma[dk]e|learn(?:ed|t)?"
            r"|finish(?:ed)?",
            "what did we decide",
            "what do i need",
        ),
        Word(
            "做|干|办|搞|弄|忙活?|决定|敲定|定(?:下|好)?|安排|计划|规划|发生|处理|完成|进展|进度|收获|折腾",
            "上周忙了什么",
            "跑了多远",
        ),
    )
)
"""Words for what one does."""
RECAP = Words(
    (
        Word(
            r"summari[sz]e|summary|sum up|recap|remind|recall|remember|review|overview|rundown|gist|highlights?|catch"
            r"|refresh|(?:run|walk) me through|look back",
            "a recap please",
            "a capsule",
        ),
        Word(
            "总结|回顾|复盘|梳理|概括|归纳|汇总|回忆|整理|盘点|小结|摘要|捋(?:一捋)?|[重要]点|记得|想不起|忘了|提醒",
            "总结一下",
            "总是",
        ),
    )
)
"""Words that ask for what has been."""
_EMPTY = """
a about abt actually again all already also am an and any anything are at back be been between bit both bring but by
can clue could couple day days did during each else end even ever every everything exact exactly few for forget forgot
from get give got had has have hello here hey hi how i idea important in is it its just key know let like list look
lot lots main mainly many me memory mine mostly much my not note notes now of ok on only or our ours over please pls
plz point points quick quickly see session sessions several show since so some something speed start stuff subject
tell thanks that the then there these thing things this those till time to together topic topics u until up us want
was wat we week were what which whole wht will with would ya you your
"""
EMPTY = Words(
    (
        Word("|".join(_EMPTY.split()), "what was it all about", "boiler"),
        Word(
            "什么|乜嘢?|所有|全部|主要|具体|大概|一[下共遍份]|到底|究竟|时候|当时|整个?|期间|以来|之间|内容|曾经|之前|以前|事情?|话题|东西"
            "|情况|记录|结论|清单|大事|麻烦|能不能|可以|可否|现在|今天|为止|聊聊|怎么|如何|地方|方面|部分|多少|好像|应该|劳驾"
            "|[我你您咱俺们俩跟和同与对向在从自于的地得了过着啦呢吗嘛吧啊呀哦来都些哪儿几啥是有没还又也就只那这个件样时上下里内中把被再先到至"
            "点次各步抓呃嗯帮给替请能想看查列出哋咗啲咩嘅]",
            "都有哪些",
            "锅炉",
        ),
    )
)
"""Words that carry nothing beside the others."""
_ASKING = LazyPattern(
    r"\b(?:what|which|how|any|anything|did|have|list|show|tell|give|bring)\b"
    r"|什么|啥|哪|咩|乜|几|怎么|如何|吗|没有|列|说说|讲讲|聊聊|看看"
)
_HAS_BEEN = LazyPattern(
    r"\b(?:did|was|were|had|have|has|been|said|told|spoke|went|done|\w{2,}ed)\b"
    r"|[了过咗]|来着|刚才|刚刚|的(?:内容|事|话题|东西)|最近|以来|到现在"
)
_TALKER = LazyPattern(
    r"\b(?P<who>i|we|you|u)(?: (?:was|were|have|had|been|just|all|ever|even|actually|both|already|then|and))*"
    rf" (?:{TALK[0].pattern})\b"
)
_TALKER_ZH = LazyPattern(
    "(?P<who>(?<![跟和对给向同与])(?:我们|咱们?|我俩|咱俩|我哋|我|你|您))(?:俩|都|也|还|有|曾经?|一起|没|在|是|刚才|刚刚"
    f"|(?:[跟和同与对向给替][我你您](?:们|哋)?)|把?)*(?:{TALK[1].pattern})"
)
_BEFORE_DAYS = {"the", "on", "since", "from", "until", "in"}
_WORD = re.compile(r"[a-z']+")
_LATIN = re.compile(r"[a-z]")
_CHINESE = LazyPattern("[\u3400-\u9fff]")
_BARE = LazyPattern(r"^\W*(?:and|or|what about|how about|then|ok and)\b|^\W*那|呢\W*$")


def period_question(text: str, now: datetime, before: str = "") -> PeriodQuestion | None:
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
        earlier = period_question(before, now)
        if earlier is not None:
            return PeriodQuestion(span, words, earlier.subject, earlier.speaker)
    asked = _asked(plain, rest, is_over=span.end < now.date())
    return PeriodQuestion(span, words, *asked) if asked is not None else None


def named_period(text: str, now: datetime) -> DaySpan | None:
    """Return the days that a text names, from the first to the last, seen from ``now``: "last week", 上周."""
    return _whole(periods(_plain(text), now.date()), now)


def period_alone(text: str, now: datetime) -> DaySpan | None:
    """Return the days that a text names where it says nothing else: "yesterday", 上周五, "last week", "May"."""
    plain = _plain(text)
    for written in (plain, f"in {plain}"):
        spoken = [one.found for one in further_phrases(written, now.date())]
        found = spoken or list(periods(written, now.date()))
        rest = written
        for one in reversed(found):
            rest = f"{rest[: one.start]} {rest[one.start + len(one.phrase) :]}"
        if found and not set(re.findall(r"\w+", rest)) - _BEFORE_DAYS:
            return _whole(found, now)
    return None


def _whole(found: Sequence[FoundPhrase], now: datetime) -> DaySpan | None:
    """Return the days of some periods, unless they are still to come."""
    span = DaySpan(min(one.span.start for one in found), max(one.span.end for one in found)) if found else None
    return span if span is not None and span.start <= now.date() else None


def _asked(plain: str, rest: str, *, is_over: bool) -> tuple[str, Speaker] | None:
    """Return subject and speaker of a question, ``rest`` being what it says beside its period."""
    is_recap = _has(RECAP, rest)
    if not (is_recap or (_ASKING.search(rest) and (_has(TALK, rest) or _has(DEEDS, rest)))):
        return None
    if not (is_over or is_recap or _HAS_BEEN.search(plain)):
        return None
    subject = _left_of(rest, with_talk=True)
    who = _TALKER.search(rest) or _TALKER_ZH.search(re.sub(r"\s+", "", rest))
    if subject and (who is None or not _ASKING.search(rest)):
        return None
    speaker = Speaker.ANYBODY
    if who is not None:
        speaker = {"i": Speaker.USER, "我": Speaker.USER}.get(who["who"], Speaker.ANYBODY)
        if who["who"] in ("you", "u", "你", "您"):
            speaker = Speaker.ASSISTANT
    return subject, speaker


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
    """Return a text as the rules see it: folded, with single spaces, in full words, the common ones spelled right."""
    folded = " ".join(fold(unicodedata.normalize("NFKC", text)).split())
    for short, full in _CONTRACTIONS.items():
        folded = folded.replace(short, full)
    return _WORD.sub(lambda match: _spelled(match[0]), folded)


_CONTRACTIONS = {"n't": " not", "'ve": " have", "'d": " had", "'s": " is", "'re": " are", "'ll": " will", "'m": " am"}
_COMMON = """
what about which talk talked talking discuss discussed discussing tell told said mention mentioned yesterday today
week weekend month last night morning afternoon evening remind remember recall recap summary summarise summarize
happened happen decide decided decision decisions planned working worked conversation speak spoke were have been covered
suggested recommended recently lately
"""
_SPELLED = frozenset(_COMMON.split()) | {word for word in (*WEEKDAYS, *MONTH_NUMBERS) if len(word) >= _SHORTEST_TYPO}


def _cuts(word: str) -> list[str]:
    """Return a word, and what is left of it without one of its letters."""
    return [word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))]


_BY_CUT = {cut: word for word in _SPELLED for cut in _cuts(word)}


@lru_cache(maxsize=1_024)
def _spelled(word: str) -> str:
    """Return the common word of which a word is a typo, by a letter too many, too few or out of place; or itself."""
    if len(word) < _SHORTEST_TYPO or word in _SPELLED:
        return word
    near = (_BY_CUT[cut] for cut in _cuts(word) if cut in _BY_CUT)
    return next((one for one in near if len(one) != len(word) or sorted(one) == sorted(word)), word)
