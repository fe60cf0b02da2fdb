"""Personal data with a shape of its own: e-mail, telephone, payment cards, identity numbers, bank accounts.

Numbers must pass the check that their standard defines, or stand beside a word that says what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from nanobot_memory_plugins.core.redaction.rules import CARD, EMAIL, IBAN, ID_NUMBER, PHONE, RANK_PERSONAL, Span
from nanobot_memory_plugins.core.redaction.word_lists import words

_AT = re.compile(
    r"@(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?P<top>[A-Za-z]{2,24}"
    r"|xn--[A-Za-z0-9-]{2,59}))(?![A-Za-z0-9])"
)
_LOCAL = re.compile(r"[A-Za-z0-9!#$&'*+_%~-](?:[A-Za-z0-9!#$&'*+_%~.-]{0,62}[A-Za-z0-9_+-])?$")
_LOCAL_CLASS = re.compile(r"[A-Za-z0-9!#$&'*+_%~.-]{0,64}$")
_REMOTE_PATH = re.compile(r":(?:[/~]|\.{1,2}/|(?![0-9])[\w.-]{1,60}/)")
_NO_TOP = words(
    "local localhost internal lan git service js py ts css html png jpg svg json md txt yml yaml toml sh exe "
    "zip gz tar so dll conf cfg ini lock java rb go rs cpp whl"
)

_DIGIT_RUN = re.compile(r"(?<![0-9])[0-9](?:[ -]?[0-9]){8,29}(?:[ -]?[Xx])?")
_CN_MOBILE = re.compile(
    r"(?<![0-9A-Za-z_.+-])(?:\(?\+?(?:00)?86\)?[ -]?)?1[3-9][0-9](?:[ -]?[0-9]{4}){2}(?![0-9A-Za-z_]|[.-][0-9])"
)
_INTERNATIONAL = re.compile(
    r"(?<![0-9A-Za-z_+.)-])\+[1-9][0-9]{0,3}(?:[ .-]{0,2}\(?[0-9]{1,4}\)?){2,6}(?![0-9A-Za-z_]|[.,][0-9])"
)
_NORTH_AMERICAN = re.compile(
    r"(?<![0-9A-Za-z_.+/-])(?:(?:1[ .-])?\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-]"
    r"|(?:1[.-])?[2-9][0-9]{2}(?P<gap>[.-])[2-9][0-9]{2}(?P=gap)|1 [2-9][0-9]{2} [2-9][0-9]{2} )[0-9]{4}"
    r"(?![0-9A-Za-z_]|[.-][0-9])"
)
_NAMED_PHONE = re.compile(
    r"(?i)(?:电话|座机|传真|固话|热线|联系方式|手机号?码?|tel(?:ephone)?|phone(?:[ _]?(?:number|no))?|mobile|fax"
    r"|cell)[\"']?[ ]{0,2}[.:=是为]{0,2}[ ]{0,2}[\"']?(?P<secret>\(?\+?[0-9][0-9() -]{5,18}[0-9])(?![0-9A-Za-z_])"
)
_CN_ID = re.compile(
    r"(?<![0-9A-Za-z])[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]"
    r"|3[01])[0-9]{3}[0-9Xx](?![0-9A-Za-z])"
)
_SSN = re.compile(
    r"(?<![0-9A-Za-z_.+/-])(?P<secret>(?!000|666|9)[0-9]{3}[- ](?!00)[0-9]{2}[- ](?!0000)[0-9]{4})"
    r"(?![0-9A-Za-z_]|[-./][0-9])"
)
_NAMED_NUMBER = re.compile(
    r"""(?xi)
    (?P<what> 身份证(?:号码?|件号)? | 护照(?:号码?)? | 驾照(?:号码?)? | 驾驶证号? | 社保(?:卡?号|号码) | 港澳通行证号?
      | 银行卡(?:号码?)? | 卡号
      | 银行账[号户] | 信用卡(?:号码?)? | 储蓄卡号?
      | (?<![A-Za-z])(?:ssn|social[ _]security(?:[ _](?:number|no\.?))?|passport(?:[ _]?(?:number|no\.?|id))?
        |national[ _]id(?:entity)?(?:[ _](?:number|no\.?))?|id[ _]?card(?:[ _]?(?:number|no\.?))?
        |driver'?s?[ _]licen[cs]e(?:[ _](?:number|no\.?))?|card[ _]?(?:number|no\.?)|(?:credit
          |debit)[ _]?card(?:[ _]?(?:number|no\.?))?|bank[ _]account(?:[ _](?:number|no\.?))?|account[ _]number
          |routing[ _]number|tax[ _]id|itin|nin|nhs[ _](?:number|no\.?)) )
    ["']?[ ]{0,3}(?:[:=#是为]|is)?[ ]{0,3}["']?
    (?P<secret> [A-Z]{0,3}[0-9][0-9A-Z -]{4,24}[0-9A-Z] ) (?![0-9A-Za-z])
    """
)
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
# The length of an IBAN by country, from the registry of ISO 13616.
_IBAN_LENGTHS = {
    group[:2]: int(group[2:])
    for group in words(
        "NO15 BE16 DK18 FI18 FO18 GL18 NL18 FK18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 MN20 CH21 HR21 LI21"
        " LV21 BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 AE23 GI23 IL23 IQ23 OM23 TL23 SO23 AD24 CZ24 ES24 MD24 PK24"
        " RO24 SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27 DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28"
        " CY28 DO28 GT28 HU28 LB28 NI28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33"
    )
}
# A number behind one of these is an identifier, a time or an amount, whatever its digits.
_OTHER_NUMBER = re.compile(
    r"(?i)(?:(?:order|trace|request|req|span|job|task|batch|row|user|message|msg|chat|session|device|build"
    r"|run|event|transaction|txn|trade|invoice|tracking|serial|part|sku|product|item|object|group|commit"
    r"|issue|ticket|doc)[ _-]?(?:id|no|num|number|#)?"
    r"|[a-z]*_?id|ts|time|timestamp|epoch|size|bytes|offset|count|total|seq|sequence|nonce|version|ver|build"
    r"|pid|port|uid|gid|rev|revision|isbn|ean|upc|imei|snowflake|amount|price|balance|inode|hash|checksum"
    r"|crc|seed|mtime|ctime|atime|duration|elapsed"
    r"|订单号?|单号|编号|流水号?|运单号?|快递单号|序列号|时间戳|版本号?|批次号?|工号|学号|条码|条形码)[\"')\]]{0,2}\s{0,2}[:=#是为]{0,2}\s{0,2}[\"'(\[]?$"
)
_NUMBER_CUES = (
    "passport",
    "licen",
    "card",
    "account",
    "ssn",
    "social",
    "nin",
    "nhs",
    "tax",
    "routing",
    "id",
    "护照",
    "驾",
    "卡",
    "证",
    "账",
    "社保",
)
_CARD_WORD = re.compile(r"(?i)card|visa|master|amex|pan\b|卡|credit|debit|payment|支付")


def find_personal_data(text: str, lower: str) -> Iterator[Span]:
    """Find personal data in the folded ``text``; ``lower`` is the same in lower case."""
    if "@" in text:
        yield from _find_emails(text)
    if _DIGIT_RUN.search(text) or "(" in text:
        yield from _find_phones(text)
        yield from _find_numbers(text)
    if any(word in lower for word in _NUMBER_CUES):
        yield from _find_named_numbers(text)
    if _IBAN.search(text):
        yield from _find_ibans(text)


def _span(start: int, end: int, kind: str, placeholder: str) -> Span:
    return Span(start, end, kind, placeholder, RANK_PERSONAL)


def _find_emails(text: str) -> Iterator[Span]:
    for match in _AT.finditer(text):
        at = match.start()
        head = text[max(0, at - 64) : at]
        run = _LOCAL_CLASS.search(head)
        local = _LOCAL.search(run.group()) if run else None
        if local is None:
            continue
        name = local.group()
        start = at - len(name)
        after = text[match.end() : match.end() + 1]
        before = text[max(0, start - 3) : start]
        if name in ("git", "hg", "svn") or match["top"].lower() in _NO_TOP or before.endswith(("://", "/@")):
            continue
        if after == ":" and _REMOTE_PATH.match(text, match.end()):
            continue  # user@host:path, as scp and git write it
        if after == "/" or (before.endswith("/") and "//" in text[max(0, start - 80) : start]):
            continue
        yield _span(start, match.end(), "email", EMAIL)


def _other_number(text: str, start: int) -> bool:
    return bool(_OTHER_NUMBER.search(text, max(0, start - 32), start))


def _find_phones(text: str) -> Iterator[Span]:
    for match in _CN_MOBILE.finditer(text):
        if match.group() != "17179869184" and not _other_number(text, match.start()):  # 2**34 looks like one
            yield _span(*match.span(), "phone", PHONE)
    if "+" in text:
        for match in _INTERNATIONAL.finditer(text):
            if _is_international(match.group(), text, match.start()):
                yield _span(*match.span(), "phone", PHONE)
    for match in _NORTH_AMERICAN.finditer(text):
        if not _other_number(text, match.start()):
            yield _span(*match.span(), "phone", PHONE)
    for match in _NAMED_PHONE.finditer(text):
        digits = re.sub(r"[^0-9]", "", match["secret"])
        if 7 <= len(digits) <= 15 and not re.match(r"(?:19|20)\d\d-\d\d-\d\d", match["secret"]):
            yield _span(*match.span("secret"), "phone", PHONE)


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
    if not _luhn(digits) or len(set(digits)) <= 2:
        return False
    two, four = int(digits[:2]), int(digits[:4])
    return (
        (size == 16 and (digits[0] == "4" or 51 <= two <= 55 or 2221 <= four <= 2720 or 3528 <= four <= 3589))
        or (size == 15 and two in (34, 37))
        or (16 <= size <= 19 and two in (62, 81))
        or (16 <= size <= 19 and (four == 6011 or two == 65 or 644 <= int(digits[:3]) <= 649 or two in (50, 60)))
        or (size == 14 and (two in (36, 38, 39) or 300 <= int(digits[:3]) <= 305))
    )


def _find_numbers(text: str) -> Iterator[Span]:
    for match in _CN_ID.finditer(text):
        if _is_cn_id(match.group()):
            yield _span(*match.span(), "cn_id", ID_NUMBER)
    for match in _SSN.finditer(text):
        if not _other_number(text, match.start()):
            yield _span(*match.span(), "ssn", ID_NUMBER)
    for match in _DIGIT_RUN.finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        if before.isascii() and (before.isalnum() or before in ("_", ".", "-", "/", "+")) and before:
            continue
        if after.isascii() and after and (after.isalnum() or after == "_"):
            continue
        found = match.group().rstrip("Xx -")
        digits = re.sub(r"[ -]", "", found)
        if 13 <= len(digits) <= 19 and _is_card(digits) and _grouped_like_card(found):
            named = bool(_CARD_WORD.search(text, max(0, start - 40), start))
            if (
                named
                or (len(digits) in (15, 16) and not _other_number(text, start))
                or (digits.startswith("62") and not _other_number(text, start))
            ):
                yield _span(start, start + len(found), "card", CARD)


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


def _find_named_numbers(text: str) -> Iterator[Span]:
    for match in _NAMED_NUMBER.finditer(text):
        found = match["secret"]
        digits = sum(char.isdigit() for char in found)
        if (
            digits < 6
            or digits < len(found.replace(" ", "").replace("-", "")) - 3
            or re.match(r"(?:19|20)\d\d-\d\d-\d\d", found)
        ):
            continue
        is_card = bool(_CARD_WORD.search(match["what"])) and "id" not in match["what"].lower()
        yield _span(*match.span("secret"), "card" if is_card else "id_number", CARD if is_card else ID_NUMBER)


def _find_ibans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        found = match.group()
        length = _IBAN_LENGTHS.get(found[:2])
        if length is None:
            continue
        end = _place_of(found, length)
        whole = re.sub(r"[ -]", "", found[:end])
        if len(whole) == length and (end == len(found) or found[end] in " -") and _mod97(whole):
            yield _span(match.start(), match.start() + end, "iban", IBAN)


def _place_of(found: str, length: int) -> int:
    """Give where the first ``length`` characters of ``found`` end, spaces and dashes not counted."""
    size = 0
    for end, char in enumerate(found, 1):
        size += char not in " -"
        if size == length:
            return end
    return len(found)


def _mod97(iban: str) -> bool:
    """ISO 13616-1: the first four characters moved to the end, letters as 10 to 35, the rest by 97 is 1."""
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1
