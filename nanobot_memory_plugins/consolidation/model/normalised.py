"""What an entry says, as far as words tell: its terms, and the particulars in which two entries may not differ.

English and Chinese, without dictionaries: words are folded and cut to their stems, Chinese is taken character by
character, and what nearly every entry says ("the user", "likes", 用户, 喜欢) weighs little or nothing.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from nanobot_memory_plugins.core.text.calendar import (
    CHINESE_WEEK,
    CHINESE_WEEKDAY_NAME,
    CHINESE_WEEKDAYS,
    ENGLISH_NUMBERS,
    FULL_WEEKDAY,
    WEEKDAYS,
    chinese_number,
)
from nanobot_memory_plugins.core.text.negation import denies, without_negations
from nanobot_memory_plugins.core.text.stems import stem
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# Of a longer text only the beginning is looked at; entries are sentences.
_LONGEST = 2_000

# Weights of terms: what tells most, a Chinese character (about half a word), and predicates that have many synonyms.
_WORD, _CHARACTER, _PREDICATE = 1.0, 0.5, 0.3


def _words(text: str) -> list[str]:
    return text.split()


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_NAME = LazyPattern(rf"(?<=[\w,{_CJK}][ \u3000])[A-Z][a-z]+\b|(?<=[{_CJK}])[A-Z][a-z]+\b")
_TOKEN = LazyPattern(rf"(?P<number>\d+(?:[.,:]\d+)*)|(?P<cjk>[{_CJK}]+)|(?P<word>[^\W\d_{_CJK}]+(?:\+\+|#(?!\w))?)")
_SPACE_IN_CJK = LazyPattern(rf"(?<=[{_CJK}])\s+(?=[{_CJK}])")

# The words after one of these were turned down, or left: "tabs over spaces" is not "spaces over tabs".
_TURNED_DOWN = LazyPattern(
    r"(?:\b(?:rather than|instead of|as opposed to|over|than)\b|而不是|而不用|而非|代替|替代)([^,.;，。；]*)"
)
_LEFT = LazyPattern(r"(?:\bfrom\s+(\w+)|从([^,.;，。；]{1,12}?)(?=到|搬|换|改|转|迁))")
_PAST = LazyPattern(r"\b(?:used to|formerly|previously|once|in the past)\b|以前|曾经?|从前|过去")

_CHINESE_NUMBER = LazyPattern(
    r"([一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])(?=[个只条名位岁年月日号天周点时分元块次人杯家台本公页])"
)
_WEEKDAYS = LazyPattern(rf"{CHINESE_WEEK}({CHINESE_WEEKDAY_NAME}|[1-7])|\b({FULL_WEEKDAY})s?\b")
_HALF_OF_DAY = LazyPattern(r"(\d)\s*([ap])\.?m\b")
_SILENT = frozenset(
    _words(
        """
        a an the user users he she they them his her their its it i me my we our you your is are was were be
        been being am to of in on at for with and or as by that this these those has have had do does did
        will would can could should may might s t d ll re ve called named name also currently now very go
        goes going gone some any more anymore else usually about into when who which what there here just
        too so if from than over longer time times thing things used once way
        """
    )
)
_PREDICATES = {
    word: canon
    for canon, words in {
        "prefer": """prefer prefers preferred like likes liked love loves loved enjoy enjoys fond favourite favorite
            want wants wanted wish wishes ask asks asked dislike dislikes disliked hate hates""",
        "use": "use uses using utilise utilize utilises utilizes employ employs",
        "live": "live lives living reside resides residing moved move moves",
        "need": "need needs needed must ought require requires",
        "plan": "plan plans planned planning intend intends",
        "decide": "decide decides decided decision choose chooses chose chosen",
        "often": "often frequently regularly always commonly",
        "seek": "seek seeks seeking search searches searched searching look looks looked looking",
        "begin": "start starts started begin begins began",
        "say": "say says said mention mentions mentioned tell tells told",
        "help": "help helps helping",
        "write": "write writes writing written wrote",
    }.items()
    for word in _words(words)
}
_FORMS = dict(
    pair.split("=")
    for pair in _words(
        "kept=keep paid=pay bought=buy met=meet ran=run spoke=speak taught=teach built=build made=make sent=send"
        " lost=lose held=hold got=get gave=give drove=drive grew=grow took=take ate=eat slept=sleep"
    )
)
_CJK_SILENT = LazyPattern(
    "用户|我们|他们|自己|已经|现在|目前|正在|名字|名叫|名为|叫做|这个|那个|一个|一只|一条|一下|时候"
    "|(?<!小)时(?![间刻差代钟长事光尚机装])|[的了是在为有着也都很我他她它叫和与把被让给这那就还又说到于吧啊呢吗再掉]"
)
_CJK_PREDICATES = (
    (LazyPattern("更?喜欢|更?偏好|偏爱|更?喜爱|希望|想要|倾向于?|爱(?!好)|要求"), "prefer"),
    (LazyPattern("使用|采用|选用|用(?!户)"), "use"),
    (LazyPattern("居住在?|住在?|搬到|搬去|定居"), "live"),
    (LazyPattern("计划|打算|准备(?=去|要)"), "plan"),
    (LazyPattern("需要|必须|应该|(?<![重主摘概简首次])要(?![点素害么])"), "need"),
    (LazyPattern("决定|选择|选定"), "decide"),
    (LazyPattern("经常|常常|总是|通常|习惯|常"), "often"),
    (LazyPattern("提到|提及|表示"), "say"),
    (LazyPattern("帮忙|帮助|帮"), "help"),
    (LazyPattern("寻找|查找|找"), "seek"),
    (LazyPattern("编写|撰写|写"), "write"),
)


@dataclass(frozen=True, slots=True)
class TextFingerprint:
    """What a text says. ``key`` is the same for texts that differ in case, width, spaces and punctuation alone.

    ``terms`` are its terms with their weights, ``numbers`` its numbers and days. ``negated`` and ``past`` say that it
    denies something, or tells what is over. ``weight`` is that of all its terms.
    """

    key: str
    terms: dict[str, float]
    numbers: frozenset[str]
    negated: bool
    past: bool
    weight: float


def plain_text(text: str) -> str:
    """Return a text in the spelling in which texts are compared: NFKC, lower case, simple characters, single spaces."""
    folded = simplified(unicodedata.normalize("NFKC", text[:_LONGEST])).casefold().replace("’", "'")
    return _SPACE_IN_CJK.sub("", " ".join(folded.split()))


@lru_cache(maxsize=8_192)
def wording(text: str) -> TextFingerprint:
    """Return what a text says, as words. Any text will do; of a long one the first 2,000 characters count."""
    plain = plain_text(text)
    key = " ".join(match[0].replace(",", "") for match in _TOKEN.finditer(plain))
    words = _dated(plain)
    turned_down = " ".join(match[1] for match in _TURNED_DOWN.finditer(words))
    words = _TURNED_DOWN.sub(" ", words)
    left = " ".join(match[1] or match[2] for match in _LEFT.finditer(words))
    words = _LEFT.sub(" ", words)
    negated = denies(words)
    past = _PAST.search(words) is not None
    words = _PAST.sub(" ", without_negations(words))
    names = frozenset(match.casefold() for match in _NAME.findall(text[:_LONGEST]))
    terms: dict[str, float] = {}
    numbers: set[str] = set()
    for mark, part in (("", words), ("~", turned_down), ("<", left)):
        for kind, term, weight in _terms(part, names):
            if kind == "number":
                numbers.add(mark + term)
            if weight:
                terms.setdefault(mark + term, weight)
    return TextFingerprint(key, terms, frozenset(numbers), negated, past, sum(terms.values()))


def _dated(text: str) -> str:
    """Return a text with days of the week and numbers in one spelling: ``wday3``, ``2``."""
    text = _WEEKDAYS.sub(lambda match: f" wday{_weekday(match)} ", text)
    text = _CHINESE_NUMBER.sub(lambda match: str(chinese_number(match[1])), text)
    text = _HALF_OF_DAY.sub(r"\1 half\2 ", text)
    return re.sub(r"(?<!\d)(\d+)(?:号|st\b|nd\b|rd\b|th\b)", r"\1日", text)


def _weekday(match: re.Match[str]) -> int:
    name = match[1]
    if not name:
        return WEEKDAYS.index(match[2]) + 1
    return int(name) if name.isdigit() else CHINESE_WEEKDAYS[name] + 1


def _terms(text: str, names: frozenset[str]) -> Iterator[tuple[str, str, float]]:
    """Yield kind, term and weight.

    ``names`` are words that count whatever they are: the language Go.
    """
    for match in _TOKEN.finditer(text):
        if match["number"]:
            yield "number", _plain_number(match[0]), _WORD
        elif match["cjk"]:
            yield from _cjk_terms(match[0])
        else:
            word = match["word"]
            if ENGLISH_NUMBERS.get(word, 1) > 1:  # "one" counts nothing as a rule
                yield "number", str(ENGLISH_NUMBERS[word]), _WORD
            elif word == "wday":
                number = _TOKEN.match(text, match.end())
                yield "number", f"{word}{number[0] if number else ''}", 0.0
            elif word in _PREDICATES:
                yield "predicate", f"={_PREDICATES[word]}", _PREDICATE
            elif word not in _SILENT or word in names:
                yield "word", stem(_FORMS.get(word, word)), _WORD


def _cjk_terms(run: str) -> Iterator[tuple[str, str, float]]:
    for pattern, canon in _CJK_PREDICATES:
        if pattern.search(run):
            run = pattern.sub(" ", run)
            yield "predicate", f"={canon}", _PREDICATE
    for part in _CJK_SILENT.sub(" ", run).split():
        for character in part:
            yield "character", character, _CHARACTER


def _plain_number(text: str) -> str:
    plain = text.replace(",", "").removesuffix(":00")
    return plain.lstrip("0") or "0" if plain.isdigit() else plain
