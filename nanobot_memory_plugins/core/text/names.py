"""Names that two texts share: whoever is to be given something, or met, is one of whom a memory tells.

Read by their form: in Latin letters a capital in both texts, which in one of them does not begin a sentence, unless
one is written without any; in Chinese 小羽, 老张, 阿梅, and who stands behind a word such as 给 or 约.
"""

from dataclasses import dataclass

from nanobot_memory_plugins.core.text.calendar import FULL_WEEKDAY, MONTH_NAME
from nanobot_memory_plugins.core.text.words import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

# What of a text is read.
_LOOKED_THROUGH = 2_000
_WORD = LazyPattern(r"[^\W\d_\u3400-\u9fff][\w-]+")
_BEGINS_A_SENTENCE = (".", "!", "?", ":", ";", '"', "“", "\n", "。", "！", "？", "：")
_NO_NAME = LazyPattern(rf"(?:{FULL_WEEKDAY}|{MONTH_NAME}|mon|tues?|wed|thurs?|fri|sat|sun|ok|mr|mrs|ms|dr)")
_CALLED_ZH = LazyPattern("[小老阿](?![区学孩时师家是板费票说麦吃年心事组狗猫])[\u4e00-\u9fff]")
_ADDRESSED_ZH = LazyPattern(
    "(?:给|跟|和|陪|带|接|约|请|找|替|送|为)"
    "(?P<name>(?![我你您他她它咱俺大自别这那哪谁一两几个])(?!孩子|客户|老师|老板|同事|朋友|家人|公司)[\u4e00-\u9fff]{2})"
)


@dataclass(frozen=True, slots=True)
class Names:
    """What may name somebody in a text.

    ``sure`` words have a capital where no sentence begins, ``possible`` ones have one anywhere; both are in small
    letters. ``called`` are Chinese names. ``text`` is in simplified characters.
    """

    text: str
    possible: frozenset[str]
    sure: frozenset[str]
    called: tuple[str, ...]


def names_in(text: str) -> Names:
    """Return what may name a person, an animal or a place in a text."""
    text = simplified(text[:_LOOKED_THROUGH])
    called = [found[0] for found in _CALLED_ZH.finditer(text)]
    called += [found["name"] for found in _ADDRESSED_ZH.finditer(text)]
    return Names(text, _possible_names(text), _sure_names(text), tuple(called))


def share_a_name(one: Names, other: Names) -> bool:
    """Return whether two texts name the same; of the first, Chinese names are looked for in the second."""
    if one.possible & other.possible & (one.sure | other.sure):
        return True
    return any(name in other.text for name in one.called)


def _possible_names(text: str) -> frozenset[str]:
    """Return the words with a capital, in small letters; all of them where the author writes no capitals."""
    words = _WORD.findall(text)
    return frozenset(word.casefold() for word in words if word[0].isupper() or text.islower())


def _sure_names(text: str) -> frozenset[str]:
    """Return the words with a capital that do not begin a sentence, in small letters."""
    found = set()
    for match in _WORD.finditer(text):
        before = text[: match.start()].rstrip(" '\"")
        if match[0][0].isupper() and before and not before.endswith(_BEGINS_A_SENTENCE):
            found.add(match[0].casefold())
    return frozenset(word for word in found if not _NO_NAME.fullmatch(word))
