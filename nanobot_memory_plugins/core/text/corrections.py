"""Whether the user has taken back what a quote says: another value in its place, or "but that is not mine"."""

import re
from collections.abc import Sequence

from nanobot_memory_plugins.core.text.acts import Act
from nanobot_memory_plugins.core.text.calendar import CHINESE_WEEKDAY, FULL_WEEKDAY, MONTH_NAME
from nanobot_memory_plugins.core.text.numerals import values_in
from nanobot_memory_plugins.core.text.quotations import QuotePlace
from nanobot_memory_plugins.core.text.reading import reading_of
from nanobot_memory_plugins.core.text.statement_terms import days_of, folded, terms_of, without_dates, without_months
from nanobot_memory_plugins.core.values import Message

CORRECTS = re.compile(
    r"\b(?:wait|no(?=,)|actually|sorry|correction|i meant|mixed (?:it|that|them) up|mistake|make (?:it|that)"
    r"|scratch that|not \d"
    r"|wrong|rather|instead|change (?:it|that))\b|不对|说错|记错|搞错|弄错|写错|更正|纠正|改成|改到|改为|应该是"
    r"|其实是|不是|取消|不去了|算了|改主意",
    re.IGNORECASE,
)
"""By these somebody says that something was not right."""
# What stands beside a value and says nothing of what it is the value of.
_BESIDE_A_VALUE = re.compile(r"\d+(?:st|nd|rd|th)\b|\b(?:hm+|oh|ah|uh|um)\b|[月号日点分年周哦]|\d+")
_MONTH_OR_DAY = re.compile(rf"\b(?:{MONTH_NAME}|{FULL_WEEKDAY})\b|{CHINESE_WEEKDAY}|(?<!\d)\d{{1,2}}月")
_A_DAY = re.compile(
    rf"\d{{1,2}}月(?:\d{{1,2}}[号日]?)?|\d{{1,2}}[号日]|\b(?:{MONTH_NAME}) \d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH_NAME})\b|\b\d{{1,2}}(?:st|nd|rd|th)\b"
)
_NOT_THEN = re.compile(rf"(?:\bnot (?:on |in )?|不是)({_MONTH_OR_DAY.pattern})")
_DISOWNS = re.compile(
    r"^\W*(?:but |though )?(?:that'?s (?:her|his|their) |i (?:disagree|don'?t (?:think|believe|agree|buy))"
    r"|not mine|i doubt)"
    r"|^\W*(?:但是?|不过|可是)?我(?:才不|不|可不|倒)(?:信|同意|觉得|这么|认为|赞成)",
    re.IGNORECASE,
)
# Later messages of the user's that may correct a number, and characters of the same one, with the cue right behind.
_LATER, _CORRECTED_WITHIN, _RIGHT_BEHIND = 12, 300, 20


def taken_back(statement: str, passages: Sequence[QuotePlace], messages: Sequence[Message]) -> bool:
    """Return whether the user has given another number in the place of a quoted one afterwards."""
    last = passages[-1]
    quoted = values_in(" ".join(without_months(messages[one.turn].text[one.start : one.end]) for one in passages))
    days = quoted & days_of(statement)
    held = quoted & values_in(without_dates(statement)) | days
    terms = frozenset(terms_of(statement))
    if last.by_user and _DISOWNS.search(folded(messages[last.turn].text[last.end :][:_CORRECTED_WITHIN])):
        return True
    rest = messages[last.turn].text[last.end :][:_CORRECTED_WITHIN] if last.by_user else ""
    if _corrects(rest[:_RIGHT_BEHIND]) and _replaces(rest, held, terms, is_next=True, has_day=bool(days)):
        return True
    after = [one.text for one in messages[last.turn + 1 :] if one.role == "user"][:_LATER]
    if any(_denies_the_month(text, statement) for text in after):
        return True
    return any(
        _corrects(text) and _replaces(text, held, terms, is_next=not n, has_day=bool(days))
        for n, text in enumerate(after)
    )


def _denies_the_month(text: str, statement: str) -> bool:
    """Return whether a correction says that it is not in the month or on the weekday of a statement."""
    own = {one.casefold()[:3] for one in _MONTH_OR_DAY.findall(folded(statement))}
    return any(found[1][:3] in own for found in _NOT_THEN.finditer(folded(text)))


def _corrects(text: str) -> bool:
    return CORRECTS.search(folded(text)) is not None


def _replaces(text: str, held: frozenset[str], terms: frozenset[str], *, is_next: bool, has_day: bool) -> bool:
    """Return whether a clause of a correction says the same with another number."""
    for clause in reading_of(text).clauses:
        other = values_in(without_months(clause.text))
        if not held or not other - held or not held - other or clause.act in (Act.ASKS, Act.REPORTS):
            continue
        if not has_day and not values_in(_A_DAY.sub(" ", folded(clause.text))):
            continue  # a day takes the place of a day, and of no price
        own = frozenset(terms_of(_BESIDE_A_VALUE.sub(" ", CORRECTS.sub(" ", folded(clause.text)))))
        if len(own & terms) > len(own) / 2 or (not own and is_next):
            return True
    return False
