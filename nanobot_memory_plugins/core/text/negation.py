"""What denies in a text: one list for all who must not take "not" for its opposite.

A text is compared with another one, so that it matters most that both are read alike. Chinese of both scripts and
Cantonese. "Hates" and "stopped" deny as well: who hates coriander does not like it.
"""

import re
from collections.abc import Iterable, Iterator

from nanobot_memory_plugins.core.text.languages import languages_of
from nanobot_memory_plugins.core.text.words import LazyPattern, Word
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

DENYING = (
    Word(
        r"\b(?:not|no|nor|neither|never(?! told (?:you|ya|u) (?!that\b))|without|cannot)\b",
        "I am not allergic",
        "I am a notary",
    ),
    Word(r"(?<!\w)\w+n['’]t\b", "I don’t drink", "my aunt drinks"),
    Word(
        r"\b(?:do|does|did|ca|wo|is|are|was|were|has|have|had|could|would|should|ai)nt\b", "i dont drink", "I want it"
    ),
    Word(r"\b(?:stops?|stopped|quits?|g[ai]ven? up)\b", "I quit smoking", "I am quite sure"),
    Word(r"\b(?:dislike[sd]?|hate[sd]?|avoids?|refuse[sd]?|against)\b", "I hate it", "I like hats"),
    Word("不", "我不喝酒", "味道不错"),
    Word("没", "我没有车", "没关系"),
    Word("无(?!线|锡|花果|人机|名指)", "电脑无法升级", "我用无线耳机"),
    Word("(?<![特分区性级识个差类辨告离道送])别(?![人的墅名处致])", "别用它", "我特别喜欢它"),
    Word("未(?!来|免)", "我未曾去过", "未来我要去"),
    Word("并非|绝非|决非", "我并非素食者", "我非常喜欢"),
    Word("[勿毋甭]|切莫|莫[要再]", "请勿打扰", "莫言写书"),
    Word("(?<![警惩劝])戒(?![指备律严尺心])", "我戒烟了", "我买了戒指"),
    Word("讨厌|厌恶|拒绝|避免|禁止|反对|否认|否决|放弃|停[止用掉]", "我讨厌香菜", "我停车了"),
    Word("唔(?![该\\s,，。…])|冇", "我唔食牛肉", "唔该晒"),
    Word("(?<![猫喵系])咪(?=[再要用食讲话叫去搞放住俾畀])", "咪再叫我", "猫咪要吃"),
)
"""What denies. Chinese in simplified characters."""

DENYING_NOTHING = (
    # Two that come to a yes: what follows the second one is affirmed.
    Word("(?:(?:并?不|唔)[是系会能可得]|没有?|并非|冇|无)[不唔](?![过同错])", "我不是不喜欢狗", "我不是狗"),
    # A question, or "now and then".
    Word("(?P<one>[\u4e00-\u9fff])[不没冇唔未](?P=one)", "你喜不喜欢", "我不喜欢"),
    Word("(?P<two>[\u4e00-\u9fff]{2})[不没](?P=two)", "你喜欢不喜欢", "我喜欢不甜的"),
    Word("有[冇无]", "有冇车", "冇车"),
    Word("不(?:过(?!敏)|同(?!意)|[错仅但论管少久断止只光然如妨愧锈])", "不同的颜色", "我不同意"),
    Word(
        "[差恨巴]不[多得]|说不定|[对了]不起|忍不住|不得了|不客气|不好意思|不要紧|不丹|不动产",
        "差不多五点",
        "不多",
    ),
    Word("没(?:有?关系|事|错)", "没错", "没有车"),
    Word("无[论非疑比穷聊]", "无论如何", "无法"),
    Word("唔(?:好意思|紧要|通)", "唔好意思", "唔好意"),
)
"""What holds one of these and denies nothing."""


def _any_of(words: tuple[Word, ...]) -> str:
    return "|".join(word.pattern for word in words)


_ANY = LazyPattern(f"(?:{_any_of(DENYING_NOTHING)})|(?P<denies>{_any_of(DENYING)})", re.IGNORECASE)


def negations(text: str) -> Iterator[re.Match[str]]:
    """Yield what denies in a text; the places are those of the text, in whatever script."""
    plain = simplified(text)
    languages = languages_of(plain)
    if not languages:
        return (found for found in _ANY.finditer(plain) if found["denies"])
    return _in_any_of((_ANY.finditer(plain), *(one.negations.finditer(plain) for one in languages)))


def _in_any_of(found: Iterable[Iterator[re.Match[str]]]) -> Iterator[re.Match[str]]:
    """Yield what denies in several languages, by place, each place once."""
    end = 0
    for one in sorted((match for matches in found for match in matches), key=lambda match: match.start()):
        if one.start() >= end:
            end = one.end()
            if one["denies"]:
                yield one


def denies(text: str) -> bool:
    """Return whether a text denies something."""
    return next(negations(text), None) is not None


def without_negations(text: str, put: str = " ") -> str:
    """Return a text with ``put`` in the place of each word that denies."""
    pieces: list[str] = []
    at = 0
    for found in negations(text):
        pieces += [text[at : found.start()], put]
        at = found.end()
    return "".join((*pieces, text[at:]))
