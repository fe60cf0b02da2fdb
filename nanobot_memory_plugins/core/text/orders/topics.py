"""What an order to forget is about: "everything about Kafka" means all that names it, "my address" one thing."""

import re
from typing import NamedTuple

from nanobot_memory_plugins.core.text.clauses import fold
from nanobot_memory_plugins.core.text.orders.sentences import plain

_KNOWN = (
    r"(?: that)?(?: (?:you|i|we)(?:'ve| have)?(?: ever| just)? (?:know|knew|learned|learnt|remember|stored|saved|have"
    r"|said|told you|wrote|mentioned|shared)(?: to you)?)?"
)
_ALL = r"(?:all|everything|anything|all (?:of )?(?:the |your |my )?(?:memories|entries|facts|notes|things|information))"
_ON = (
    r"(?:about|regarding|concerning|on|of|mentioning|involving|(?:related|relating|connected) to"
    r"|(?:that )?(?:has|have|having) to do with|to do with)"
)
_ENGLISH = re.compile(rf"{_ALL}{_KNOWN} {_ON} (?P<text>.+?)(?:,? (?:completely|entirely|altogether|for good|forever))?")
_CHINESE_ALL = r"(?:一切|所有|全部|任何|统统|凡是)"
_KINDS = r"(?:记忆|事情|事儿?|内容|信息|话|东西|部分|记录|资料|印象)"
_ON_CHINESE = r"(?:关于|有关|涉及|提到|[跟和与同])?"
_CHINESE = (
    re.compile(
        rf"{_ON_CHINESE}(?P<text>.+?)(?:有关|相关)?的?(?:{_CHINESE_ALL}(?:的?{_KINDS})?|{_KINDS}(?:全都|都|全))(?:都|全)?"
    ),
    re.compile(
        rf"(?:你?(?:记得|知道|记住)的)?{_CHINESE_ALL}的?{_ON_CHINESE}(?P<text>.+?)(?:有关|相关)?(?:的{_KINDS}?)?(?:全都|都|全)?"
    ),
    re.compile(r"(?:关于|[跟和与同](?=.+(?:有关|相关)))(?P<text>.+?)(?:有关|相关)?的?(?:全都|都|全)"),
)
# A longer sentence is no such order.
_LONGEST = 200
# Who is meant by these, nobody can tell from the order alone.
_POINTS = re.compile(
    r"(?:it|that|this|these|those|them|me|us|him|her|you|myself|yourself|everything)|[我你他她它]们?的?|[这那][个些]?|[都全]+"
)
# What stands before a name without being of it.
_OWNER = re.compile(r"(?:the|my|our|your|his|her|their|an?)\s+|(?:我们?|咱们?|你)的?(?=.{2})", re.IGNORECASE)


class Topic(NamedTuple):
    """What is to be forgotten; ``everything`` says that all that names it is meant."""

    text: str
    everything: bool = False


def topic_of(text: str) -> Topic | None:
    """Return whose "everything" a text asks for, or None where it asks for one thing."""
    if len(text) > _LONGEST:
        return None
    folded = " ".join(fold(text).split()).strip(" ,.!。，！")
    shown = " ".join(text.split()).strip(" ,.!。，！")
    if len(shown) != len(folded):
        shown = folded
    for rule in (_ENGLISH, *_CHINESE):
        found = rule.fullmatch(folded)
        if found is None:
            continue
        start, end = found.span("text")
        about = plain(shown[start:end])
        if about and not _POINTS.fullmatch(fold(about)):
            return Topic(about, everything=True)
    return None


def names_in(text: str) -> list[str]:
    """Return what an entry may call a topic: as it was said, and without whose it is."""
    found = _OWNER.match(text)
    return [text, text[found.end() :]] if found is not None else [text]
