"""The numbers that a text names, by their values: 6,500, 六千五 and 6500 are one."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from nanobot_memory_plugins.core.text.calendar import MONTH_NAME, MONTH_NUMBERS
from nanobot_memory_plugins.core.text.numbers import CHINESE_NUMERALS, CHINESE_UNITS, chinese_value
from nanobot_memory_plugins.core.text.words import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified

_LONGEST = 4_000
# Characters behind a number in thousands within which the next one may be, too.
_SAME_SCALE = 8
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ENGLISH = {word: number for number, word in enumerate(_ONES)} | {
    word: 10 * number for number, word in enumerate(_TENS, start=2)
}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        start=1,
    )
}
_OTHERS = {"once": 1, "twice": 2, "both": 2, "dozen": 12, "half": 0.5, "半": 0.5, "hundred": 100, "thousand": 1_000}
_NUMBER = LazyPattern(
    r"(?P<metres>(?<![\d.])\d|(?<![一二两三四五六七八九十百])[一二两])米(?P<below>\d{1,2}|[零一二三四五六七八九]{1,2})(?![\d米厘毫公.])|"
    r"(?P<figures>\d+(?:,\d{3}(?!\d))*(?:\.\d+)?)\s*(?P<scale>(?:k|grand)\b|[千万亿百](?P<rest>\d(?!\d)"
    r"|[一二三四五六七八九](?![十百千万点]))?)?"
    r"|(?<!老)(?P<chinese>[零〇一二两三四五六七八九十百千万亿俩仨]+)(?:点(?P<part>[零一二三四五六七八九]+)(?![十钟]))?"
    r"(?:(?P<tenths>成)(?P<tenth>[一二三四五六七八九])?(?![员为功都本分年人品立果绩交长]))?"
    rf"|\b(?P<english>(?:{'|'.join(_TENS)})[ -](?:{'|'.join(_ONES[1:10])})\b"
    rf"|(?:{'|'.join((*_TENS, *_ONES, *_ORDINALS, *_OTHERS))})\b)"
    rf"|\b(?P<month>{MONTH_NAME})\b|半",
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as a text writes it: all that it may mean, and whether it stands there in figures."""

    values: frozenset[str]
    in_figures: bool


def numerals_in(text: str) -> Iterator[Numeral]:
    """Yield the numbers of a text, and its months, in their order."""
    for found, values in _values(text):
        yield Numeral(frozenset(values), found["figures"] is not None)


def values_in(text: str) -> frozenset[str]:
    """Return all that the numbers of a text may mean: 六千五 and 6.5k are 6500, and so is 6,500."""
    return frozenset(value for one in numerals_in(text) for value in one.values)


def _values(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    # A wide comma parts numbers, a narrow one may be part of one.
    plain = simplified(unicodedata.normalize("NFKC", text[:_LONGEST].replace("，", "; "))).casefold()
    scale, end = 1.0, 0
    for found in _NUMBER.finditer(plain):
        values = list(_meanings(found))
        if found["figures"] and not found["scale"] and found.start() - end <= _SAME_SCALE:
            values.append(values[0] * scale)  # "14k, 15 at most"
        elif found["figures"]:
            scale, end = (values[1] / values[0] if len(values) > 1 and values[0] else 1.0), found.end()
        yield found, [_plain(value) for value in values]


def _meanings(found: re.Match[str]) -> Iterator[float]:
    if found["metres"]:  # 一米七四 is 174 cm, and 1.74 m
        metres = CHINESE_NUMERALS.get(found["metres"]) or int(found["metres"])
        below = [CHINESE_NUMERALS[one] if one in CHINESE_NUMERALS else int(one) for one in found["below"]]
        centimetres = 100 * metres + 10 * below[0] + (below[1] if len(below) > 1 else 0)
        yield centimetres
        yield centimetres / 100
        return
    if found["figures"]:
        number = float(found["figures"].replace(",", ""))
        yield number
        if scale := found["scale"]:
            unit = 1_000 if scale in ("k", "grand") else CHINESE_UNITS[scale[0]]
            rest = found["rest"] or "零"
            yield number * unit + (CHINESE_NUMERALS[rest] if rest in CHINESE_NUMERALS else int(rest)) * unit / 10
    elif found["chinese"]:
        whole = chinese_value(found["chinese"])
        yield whole
        if found["tenths"]:  # 四成 is 40 percent
            yield 10 * whole + CHINESE_NUMERALS.get(found["tenth"] or "零", 0)
        if found["part"]:
            yield float(f"{int(whole)}.{''.join(str(CHINESE_NUMERALS[one]) for one in found['part'])}")
    elif found["english"]:
        words = re.split(r"[ -]", found["english"])
        yield sum(_ENGLISH.get(one, _ORDINALS.get(one, _OTHERS.get(one, 0))) for one in words)
    elif found["month"]:
        yield MONTH_NUMBERS[found["month"]]
    else:
        yield 0.5


def _plain(number: float) -> str:
    return f"{number:.4f}".rstrip("0").rstrip(".")
