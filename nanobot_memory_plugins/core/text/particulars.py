"""Whether the numbers, days and names of a statement were said, or follow from what was."""

import re
import unicodedata
from collections.abc import Sequence

from nanobot_memory_plugins.core.text.calendar import MONTH_NAME, WEEKDAY_NAME
from nanobot_memory_plugins.core.text.numerals import numerals_in, values_in
from nanobot_memory_plugins.core.text.quotations import QuotePlace
from nanobot_memory_plugins.core.text.statement_terms import FULL_DATE, LATIN_WORD, NOT_A_NAME, folded, without_dates
from nanobot_memory_plugins.core.text.stems import stem

_ISO = re.compile(r"(?<!\d)(?:19|20)\d\d-\d\d?(?:-\d\d?)?(?!\d)")
_YEAR = re.compile(r"(?<![\d.,-])(?:19|20)\d\d年?(?![\d.,-]\d)")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2})[:：点](\d{2})(?!\d)")
_NAMES_A_DAY = re.compile(
    rf"\b(?:{WEEKDAY_NAME}|{MONTH_NAME}|today|tonight|tomorrow|yesterday|week(?:end)?s?|months?|years?|days?|ago|spring"
    r"|morning|noon|afternoon|evening|midnight"
    rf"|summer|autumn|fall|winter"
    r"|christmas|easter|new year|(?:just )?now)\b|[今明昨后前去本这下上][天日年晚早周月]"
    r"|[周星期礼拜][一二三四五六日天末]|月|日|号|年|天|周|刚|今|明"
    r"|[春夏秋冬][节天季]?|端午|中秋|国庆|元旦|除夕|重阳|清明|[寒暑]假",
    re.IGNORECASE,
)
_DAYS_IN_A_ROW = re.compile("(?<![一二三四五六日十百千万])[一二三四五六日]{2,4}(?![一二三四五六日十百千万年])")
_CAPITALS = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+){1,3}")
_ABBREVIATED = 3
# Higher numbers are not counted by whoever rewords.
_COUNTED = 4


def knows_numbers(statement: str, said: str) -> bool:
    """Return whether the numbers of a statement were said, or follow from what was: a resolved day, a year, an hour."""
    values = values_in(said) | _days_in_a_row(said)
    names_a_day = _NAMES_A_DAY.search(folded(said)) is not None
    for found in FULL_DATE.finditer(statement):
        day = found["d"] or found["d2"] or found["d3"] or found["d4"]
        if day and str(int(day)) not in values and not names_a_day:
            return False
    rest = _YEAR.sub(" ", without_dates(statement)) if names_a_day else without_dates(statement)
    for clock in _CLOCK.finditer(rest):
        hour = int(clock[1])
        if not {str(hour), str(hour - 12), str(hour + 12)} & values:
            return False
    rest = _CLOCK.sub(" ", rest)
    # What is counted is written as a small number in words.
    return all(
        one.values & values or (not one.in_figures and all(float(value) <= _COUNTED for value in one.values))
        for one in numerals_in(rest)
    )


def _days_in_a_row(text: str) -> frozenset[str]:
    """Return the days of the week that stand in a row: 一三五 are three as well as a number."""
    return values_in(" ".join("".join(_DAYS_IN_A_ROW.findall(text))))


def answers_with_another(statement: str, passages: Sequence[QuotePlace], told: str) -> bool:
    """Return whether a statement has the number of a question to which its quotes answer with another one.

    ``told`` is what was said beside the question.
    """
    quoted = _counted(" ".join(one.text for one in passages))
    known = quoted | values_in(told) | _days_in_a_row(told)
    # A year that nobody has said was resolved.
    stated = _counted(without_dates(statement)) - (_counted(" ".join(_YEAR.findall(statement))) - known)
    return bool(quoted and stated) and not stated & known


def _counted(text: str) -> frozenset[str]:
    """Return the numbers of a text without the small ones in words, which many a turn of speech has."""
    return frozenset(
        value
        for one in numerals_in(_CLOCK.sub(" ", text))
        if one.in_figures or any(float(value) > _COUNTED for value in one.values)
        for value in one.values
    )


def knows_names(statement: str, said: str) -> bool:
    """Return whether the names of a statement were said: words with capitals or figures in them."""
    told = {stem(part) for word in LATIN_WORD.findall(folded(said)) for part in (word, *re.split(r"['.-]", word))}
    squeezed = re.sub(r"\W+", "", folded(said))
    # "bio" is short for Biology; Ana is not short for Anastasia.
    short = {word for word in LATIN_WORD.findall(said) if len(word) >= _ABBREVIATED and word.islower()}
    initials = {word for run in _CAPITALS.findall(statement) if _initials(run) in told for word in run.split()}
    for number, found in enumerate(LATIN_WORD.finditer(unicodedata.normalize("NFKC", statement))):
        word = re.sub(r"['’]s$", "", found[0])
        named = word[:1].isupper() or any(one.isdigit() for one in word) or "." in word
        first = not number or statement[: found.start()].rstrip()[-1:] in (".", "!", "?")
        if not named or first or word.isdigit() or word.casefold() in NOT_A_NAME or _ISO.fullmatch(word):
            continue
        plain = word.casefold()
        if stem(plain) in told or plain in squeezed or all(stem(part) in told for part in re.split(r"['’.-]", plain)):
            continue
        if found[0] in initials or any(plain.startswith(one) for one in short):
            continue
        if re.fullmatch(r"\d+(?:st|nd|rd|th|k|am|pm|km|kg|cm|mm|mg|ml|h|min|gb|mb|[a-z]{1,3})", plain):
            continue
        return False
    return True


def _initials(run: str) -> str:
    return "".join(word[0] for word in run.split()).lower()
