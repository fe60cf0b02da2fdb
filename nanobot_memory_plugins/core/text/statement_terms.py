"""What a statement is about: its terms in one spelling, and its dates apart. For comparing, not for showing."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

from nanobot_memory_plugins.core.text.calendar import MONTH_NAME, MONTH_NUMBERS, WEEKDAY_NUMBERS
from nanobot_memory_plugins.core.text.negation import without_negations
from nanobot_memory_plugins.core.text.stems import stem
from nanobot_memory_plugins.core.text.words import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

LATIN_WORD = LazyPattern(r"[^\W_\u3400-\u9fff]+(?:['’.+#-][^\W_\u3400-\u9fff]+)*[+#]*")
_CHINESE_RUN = LazyPattern("[\u3400-\u9fff]+")
FULL_DATE = LazyPattern(
    rf"(?<!\d)(?P<y>(?:19|20)\d\d)\s*[-/.年]\s*(?P<m>\d\d?)(?:\s*[-/.月]\s*(?P<d>\d\d?)[日号]?)?"
    rf"|(?<!\d)(?P<m2>\d\d?)月(?P<d2>\d\d?)[日号]"
    rf"|(?<!\d)(?P<d4>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{MONTH_NAME})\b\.?(?:,?\s+(?:19|20)\d\d\b)?"
    rf"|\b(?P<name>{MONTH_NAME})\b\.?(?:\s+(?P<d3>\d\d?)(?:st|nd|rd|th)?\b(?!:))?(?:,?\s+(?P<y3>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_COMMON = frozenset(
    [
        "a",
        "an",
        "the",
        "user",
        "users",
        "he",
        "she",
        "they",
        "him",
        "his",
        "her",
        "hers",
        "their",
        "theirs",
        "them",
        "it",
        "its",
        "i",
        "me",
        "my",
        "mine",
        "we",
        "our",
        "ours",
        "us",
        "you",
        "your",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "with",
        "and",
        "or",
        "as",
        "by",
        "that",
        "this",
        "these",
        "those",
        "has",
        "have",
        "had",
        "having",
        "do",
        "does",
        "did",
        "will",
        "would",
        "can",
        "could",
        "should",
        "may",
        "might",
        "must",
        "shall",
        "s",
        "t",
        "d",
        "ll",
        "re",
        "ve",
        "who",
        "which",
        "what",
        "when",
        "where",
        "while",
        "called",
        "named",
        "name",
        "names",
        "currently",
        "now",
        "also",
        "so",
        "too",
        "very",
        "just",
        "only",
        "if",
        "than",
        "then",
        "from",
        "into",
        "about",
        "because",
        "since",
        "wants",
        "want",
        "wanted",
        "likes",
        "like",
        "prefers",
        "prefer",
        "uses",
        "use",
        "using",
        "used",
        "needs",
        "need",
        "goes",
        "go",
        "plans",
        "plan",
        "decided",
        "decides",
        "decide",
        "lives",
        "live",
        "works",
        "work",
        "takes",
        "take",
        "gets",
        "get",
        "got",
        "has",
        "keeps",
        "keep",
        "makes",
        "make",
        "there",
        "here",
        "any",
        "some",
        "all",
        "both",
        "each",
        "every",
        "other",
        "others",
        "another",
        "more",
        "most",
        "less",
        "one",
        "thing",
        "things",
        "way",
        "well",
        "usually",
        "always",
        "often",
        "up",
        "out",
        "off",
        "over",
        "after",
        "before",
        "during",
        "between",
        "until",
        "by",
        "down",
        "per",
        "via",
        "no",
        "not",
        "never",
        "cannot",
        "without",
        "instead",
        "rather",
        "user's",
        "ask",
        "asks",
        "asked",
        "own",
    ]
)
_COMMON_CHINESE = LazyPattern(
    "用户|自己|已经|现在|目前|正在|希望|想要|需要|打算|计划|准备|决定|喜欢|偏好|名叫|名为|叫做?|以后|进行|使用"
    "|一个|一[只条家位次]|东西|事情|继续|询问|因为|所以|并且?|而且|以及|但是?|不过|由于|如果"
    "|[的了是在为有着也都很我他她它和与把被让给这那就还又到于吧啊呢吗要会将从对向用去来时后前中里上下]"
)
# What a relative is called by whoever speaks, and by whoever tells of it.
_RELATIVES = {
    "岳母": LazyPattern("丈母娘|岳母"),
    "岳父": LazyPattern("老?丈人|岳父|岳丈"),
    "母亲": LazyPattern("[老阿家]?妈妈?|[家老]?母亲"),
    "父亲": LazyPattern("[老阿家]?爸爸?|父亲|家父|老爷子"),
    "妻子": LazyPattern("老婆|太太|媳妇|爱人|妻子"),
    "丈夫": LazyPattern("老公|丈夫|(?<=我)先生|(?<=用户的)先生"),
    "女儿": LazyPattern("闺女|女儿|囡囡?"),
    "孩子": LazyPattern("娃娃?|孩子|小孩(?!子)|小朋友"),
    "mother": LazyPattern(r"\b(?:(?:mum|mom|mam|mummy|mommy|mama)s?|ma)\b"),
    "father": LazyPattern(r"\b(?:(?:dad|daddy|papa)s?|da)\b"),
    "brother": LazyPattern(r"\bbro\b"),
    "sister": LazyPattern(r"\bsis\b"),
    "boyfriend": LazyPattern(r"\bbf\b"),
    "girlfriend": LazyPattern(r"\bgf\b"),
    "husband": LazyPattern(r"\bhubby\b"),
    "grandmother": LazyPattern(r"\b(?:(?:gran|granny|grandma|nan|nana)s?)\b"),
    "grandfather": LazyPattern(r"\b(?:(?:grandpa|grand?dad)s?)\b"),
    "child": LazyPattern(r"\b(?:kids?|children)\b"),
}
NOT_A_NAME = frozenset(
    {*MONTH_NUMBERS, *WEEKDAY_NUMBERS, *(f"{name}s" for name in WEEKDAY_NUMBERS)}
    | set("user users i the a an in on at for am pm ok english german french spanish chinese italian".split())  # noqa: SIM905
)


def folded(text: str) -> str:
    """Return a text in the spelling in which statements are compared."""
    return simplified(unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")


def without_dates(text: str) -> str:
    """Return a text without its dates."""
    return FULL_DATE.sub(" ", text)


def without_months(text: str) -> str:
    """Return a text without the names and numbers of its months."""
    return re.sub(rf"\d{{1,2}}月|\b(?:{MONTH_NAME})\b", " ", text, flags=re.IGNORECASE)


def days_of(text: str) -> frozenset[str]:
    """Return the days of the month that the dates of a text name."""
    return frozenset(
        str(int(day))
        for found in FULL_DATE.finditer(text)
        for day in (found["d"] or found["d2"] or found["d3"] or found["d4"],)
        if day
    )


def terms_of(text: str) -> Iterator[str]:
    """Yield what a text is about: the stems of its words, and its Chinese characters."""
    for part in _parts(text):
        yield from part if _CHINESE_RUN.match(part) else (part,)


def words_of(text: str) -> Iterator[str]:
    """Yield the same with pairs of Chinese characters: among many characters nearly each stands somewhere."""
    for part in _parts(text):
        yield from map("".join, pairwise(part)) if _CHINESE_RUN.match(part) and len(part) > 1 else (part,)


def _parts(text: str) -> Iterator[str]:
    """Yield the stems of a text's words, and its Chinese passages without the common words."""
    plain = without_negations(folded(text))
    for name, called in _RELATIVES.items():
        plain = called.sub(name, plain)
    words = [part for word in LATIN_WORD.findall(plain) for part in (word.split("-") if word.isascii() else (word,))]
    for word in words:
        bare = re.sub(r"'\w{1,2}$", "", word)
        if bare not in _COMMON and not bare[:1].isdigit() and len(bare) > 1 and bare not in NOT_A_NAME:
            yield stem(bare)[:5]
    for run in _CHINESE_RUN.findall(plain):
        yield from _COMMON_CHINESE.sub(" ", run).split()
