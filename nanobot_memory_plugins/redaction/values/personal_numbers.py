"""Numbers that are personal by their shape: telephones, payment cards, Chinese identity numbers, US social security.

A number must pass the check that its standard defines, or have a shape that little else has; what stands before it may
say that it is another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import CARD, ID_NUMBER, PHONE, RANK_PERSONAL, Span

PHONE_NAME = (
    r"(?:电话|座机|传真|固话|热线|联系方式|手机号?码?|tel(?:ephone)?|phone(?:[ _]?(?:number|no))?|mobile|fax|cell)"
    r"[\"']?[ ]{0,2}[.:=是为]{0,2}[ ]{0,2}[\"']?"
)
"""What stands right before a telephone number, and says that it is one."""
FEWEST_DIGITS_OF_PHONE = 7
_NAMES_PHONE = lazy_re(rf"(?i){PHONE_NAME}\Z")
# Nine digits or more with little between them: only there the patterns below are tried.
_RUN = lazy_re(r"[0-9](?:[ .()-]{0,2}[0-9]){8,40}")
_DATE = lazy_re(r"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[ T][0-2][0-9](?=:))?")
_DIGITS = lazy_re(r"(?<![0-9])[0-9](?:[ -]?[0-9]){8,29}(?:[ -]?[Xx])?")
_DOTTED_CARD = lazy_re(
    r"(?<![0-9A-Za-z.])(?:[0-9]{4}(?:\.[0-9]{4}){3}|[0-9]{4}\.[0-9]{6}\.[0-9]{5})(?![0-9A-Za-z]|\.[0-9])"
)
# Numbers that makers of payment systems publish for tests, where the text says that it is one.
_SAYS_TEST = lazy_re(r"(?i)(?<![a-z])(?:test|sandbox|example|dummy|demo|sample|fake|stripe)|测试|示例|样例")
_CN_MOBILE = lazy_re(
    r"(?<![0-9A-Za-z_.+-])(?:\(?\+?(?:00)?86\)?[ -]?)?1[3-9][0-9](?:[ -]?[0-9]{4}){2}(?![0-9A-Za-z_]|[.-][0-9])"
)
_INTERNATIONAL = lazy_re(
    r"(?<![0-9A-Za-z_+.)-])\+[1-9][0-9]{0,3}(?:[ .-]{0,2}\(?[0-9]{1,4}\)?){2,6}(?![0-9A-Za-z_]|[.,][0-9])"
)
# Mobile numbers as they are written at home: 07295 918620 in Britain, 0171 4839265 in Germany, 0935-407-725 in Taiwan,
# 06 12 34 56 78 in France.
_DOMESTIC = lazy_re(
    r"(?<![0-9A-Za-z_.+/-])(?:07[0-9]{3}[ ][0-9]{3}[ ]?[0-9]{3}|09[0-9]{2}-[0-9]{3}-[0-9]{3}|01[567][0-9][ /-]"
    r"[0-9]{7,8}|06[ -][0-9]{4}[ ]?[0-9]{4}"
    r"|04[0-9]{2}[ ][0-9]{3}[ ][0-9]{3}|07[6-9][ ][0-9]{3}[ ][0-9]{2}[ ][0-9]{2}|0[1789]0-[0-9]{4}-[0-9]{4}|0"
    r"[67](?:[ ][0-9]{2}){4})"
    r"(?![0-9A-Za-z_]|[.-][0-9])"
)
_NORTH_AMERICAN = lazy_re(
    r"(?<![0-9A-Za-z_.+/-])(?:(?:1[ .-])?\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-]"
    r"|(?:1[.-])?[2-9][0-9]{2}(?P<gap>[.-])[2-9][0-9]{2}(?P=gap)|1 [2-9][0-9]{2} [2-9][0-9]{2} )[0-9]{4}"
    r"(?![0-9A-Za-z_]|[.-][0-9])"
)
_CN_ID = lazy_re(
    r"(?<![0-9A-Za-z])[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]"
    r"|3[01])[0-9]{3}[0-9Xx](?![0-9A-Za-z])"
)
_SSN = lazy_re(
    r"(?<![0-9A-Za-z_.+/-])(?P<secret>(?!000|666|9)[0-9]{3}[- ](?!00)[0-9]{2}[- ](?!0000)[0-9]{4})"
    r"(?![0-9A-Za-z_]|[-./][0-9])"
)
# A number behind one of these is an identifier, a time or an amount, whatever its digits.
_OTHER_NUMBER = lazy_re(
    r"(?i)(?<![A-Za-z])(?:(?:order|trace|request|req|span|job|task|batch|row|user|message|msg|chat|session|device"
    r"|build"
    r"|run|event|transaction|txn|trade|invoice|tracking|serial|part|sku|product|item|object|group|commit"
    r"|issue|ticket|doc|drawing|dwg|bearing|article|catalog)[ _-]?(?:id|no|num|number|#)?"
    r"|[a-z]*_?id|ts|time|timestamp|epoch|size|bytes|offset|count|total|seq|sequence|nonce|version|ver|build"
    r"|pid|port|uid|gid|rev|revision|isbn|ean|upc|imei|snowflake|amount|price|balance|inode|hash|checksum"
    r"|crc|seed|mtime|ctime|atime|duration|elapsed"
    r"|订单号?|单号|编号|流水号?|运单号?|快递单号|序列号|时间戳|版本号?|批次号?|工号|学号|条码"
    r"|条形码)[\"')\]]{0,2}\s{0,2}[:=#是为]{0,2}\s{0,2}[\"'(\[]?$"
)
CARD_WORD = lazy_re(r"(?i)card|visa|master|amex|pan\b|卡|credit|debit|payment|支付")


# 1-800-275-2273, 0800 330 1000, 400-820-5555
_SERVICE = lazy_re(
    r"\(?(?:\+?1[ .-]?)?\(?8(?:00|33|44|55|66|77|88)\)?[ .-][0-9]|0?800[ -][0-9]|400-?[0-9]{3}-?[0-9]{4}\Z"
)
_POWER_OF_TWO = str(2**34)  # has the shape of a Chinese mobile number


def find_numbers(text: str) -> Iterator[Span]:
    """Find personal numbers in the folded ``text``."""
    run = _RUN.search(text)
    while run is not None:
        day = _DATE.match(text, run.start())
        if day is None:
            yield from _find_near(text, max(0, run.start() - 6), min(len(text), run.end() + 4))
        run = _RUN.search(text, (day or run).end())


def _find_near(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _CN_MOBILE.finditer(text, start, end):
        if match.group() != _POWER_OF_TWO and not _other_number(text, match.start()):
            yield _span(match, "phone", PHONE)
    for match in _INTERNATIONAL.finditer(text, start, end):
        if _is_international(match.group(), text, match.start()):
            yield _span(match, "phone", PHONE)
    for match in _DOMESTIC.finditer(text, start, end):
        if not _other_number(text, match.start()):
            yield _span(match, "phone", PHONE)
    for match in _NORTH_AMERICAN.finditer(text, start, end):
        if not is_anybodys(match.group()) and not _other_number(text, match.start()):
            yield _span(match, "phone", PHONE)
    for match in _CN_ID.finditer(text, start, end):
        if _is_cn_id(match.group()):
            yield _span(match, "cn_id", ID_NUMBER)
    for match in _SSN.finditer(text, start, end):
        if not _other_number(text, match.start()):
            yield _span(match, "ssn", ID_NUMBER)
    for match in _DOTTED_CARD.finditer(text, start, end):
        if _is_card(match.group().replace(".", "")):
            yield _span(match, "card", CARD)
    for match in _DIGITS.finditer(text, start, end):
        found = match.group().rstrip("Xx -")
        if _stands_alone(text, *match.span()) and _is_card_here(text, match.start(), found):
            yield Span(match.start(), match.start() + len(found), "card", CARD, RANK_PERSONAL)


def _span(match: re.Match[str], kind: str, placeholder: str) -> Span:
    return Span(*match.span(), kind, placeholder, RANK_PERSONAL)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if before.isascii() and before and (before.isalnum() or before in "_.-/+"):
        return False
    return not (after.isascii() and after and (after.isalnum() or after == "_"))


def _is_card_here(text: str, start: int, found: str) -> bool:
    digits = re.sub(r"[ -]", "", found)
    if not 13 <= len(digits) <= 19 or not _is_card(digits) or not _grouped_like_card(found):
        return False
    if len(set(digits)) == 2 and _SAYS_TEST.search(text, max(0, start - 40), start):
        return False
    if CARD_WORD.search(text, max(0, start - 40), start):
        return True
    return (len(digits) in (15, 16) or digits.startswith("62")) and not _other_number(text, start)


def is_anybodys(found: str) -> bool:
    """Tell whether a telephone number is a service's: those that cost nothing are nobody's own."""
    return bool(_SERVICE.match(found))


def is_named_phone(text: str, start: int, number: str) -> bool:
    """Tell whether what stands right before ``start`` calls the ``number`` there a telephone's."""
    digits = sum(map(str.isdigit, number))
    return digits >= FEWEST_DIGITS_OF_PHONE and bool(_NAMES_PHONE.search(text, max(0, start - 24), start))


def _other_number(text: str, start: int) -> bool:
    return bool(_OTHER_NUMBER.search(text, max(0, start - 32), start))


def _is_international(found: str, text: str, start: int) -> bool:
    digits = re.sub(r"[^0-9]", "", found)
    if not 9 <= len(digits) <= 15 or found.count("(") != found.count(")"):
        return False
    if digits[0] == "1":
        return len(digits) == 11 and digits[1] in "23456789"
    if digits.startswith("86"):
        return 11 <= len(digits) <= 14
    at_line_start = start == 0 or text[start - 1] == "\n"
    return not (at_line_start and found[1:].isdigit() and len(digits) > 12) and not _other_number(text, start)


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B: from the right, every second digit doubled; the sum ends in 0."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        number = ord(char) - 48
        if place % 2:
            number = number * 2 - 9 if number > 4 else number * 2
        total += number
    return total % 10 == 0


def _is_card(digits: str) -> bool:
    size = len(digits)
    if not _luhn(digits) or len(set(digits)) == 1:
        return False
    two, four = int(digits[:2]), int(digits[:4])
    return (
        (size == 16 and (digits[0] == "4" or 51 <= two <= 55 or 2221 <= four <= 2720 or 3528 <= four <= 3589))
        or (size == 15 and two in (34, 37))
        or (16 <= size <= 19 and two in (62, 81))
        or (16 <= size <= 19 and (four == 6011 or two == 65 or 644 <= int(digits[:3]) <= 649 or two in (50, 60)))
        or (size == 14 and (two in (36, 38, 39) or 300 <= int(digits[:3]) <= 305))
    )


def _grouped_like_card(found: str) -> bool:
    groups = re.split(r"[ -]", found)
    if len(groups) == 1:
        return True
    sizes = [len(group) for group in groups]
    fours = all(size == 4 for size in sizes[:-1]) and sizes[-1] <= 4
    return fours or sizes in ([4, 6, 5], [4, 6, 4], [6, 13], [6, 10])


def _is_cn_id(found: str) -> bool:
    """GB 11643-1999: a real date and the check character by ISO 7064 MOD 11-2."""
    try:
        date(int(found[6:10]), int(found[10:12]), int(found[12:14]))
    except ValueError:
        return False
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(char) * weight for char, weight in zip(found, weights, strict=False))
    return "10X98765432"[total % 11] == found[17].upper()
