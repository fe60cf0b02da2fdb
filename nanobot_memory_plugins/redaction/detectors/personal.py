"""Personal data by its shape: e-mail addresses, telephones, cards, bank accounts, identity numbers of China and the US.

A number must pass the check of its standard, or have a distinctive shape, and the text before it must not call it
another kind of number. Numbers that follow a word for their kind have their rules in `rules.toml`.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, LowercaseText, words
from nanobot_memory_plugins.redaction.rules.rule import CARD, EMAIL, IBAN, ID_NUMBER, PHONE, RANK_PERSONAL, Span

_AT_DOMAIN = lazy_re(
    r"@(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?P<top>[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59}))"
    r"(?![A-Za-z0-9])"
)
_LOCAL_PART = lazy_re(r"[A-Za-z0-9!#$&*+_%~-](?:[A-Za-z0-9!#$&'*+_%~.-]{0,62}[A-Za-z0-9_+-])?\Z")
_UUID = lazy_re(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REMOTE_PATH = lazy_re(r":(?:[/~]|\.{1,2}/|(?![0-9])[\w.-]{1,60}/)")
_REMOTE_SHELL = lazy_re(
    r"(?<![A-Za-z])(?:ssh|sftp|scp|rsync|mosh|plink|autossh|ssh-copy-id)(?:[ ][^\n|;&]{0,50})?[ ]\Z"
)
# Accounts of version control systems and organisations, which belong to no person.
_ROLE_ACCOUNTS = words(
    "git hg svn noreply no-reply donotreply do-not-reply mailer-daemon support help info contact hello sales press jobs"
    " careers feedback bookings booking reservations tickets orders admissions media office security abuse postmaster"
    " webmaster service customerservice newsletter notifications"
)
# Local parts of example addresses.
_EXAMPLE_ACCOUNTS = words("user name you your.name yourname someone username email first.last firstname.lastname")
_NOT_TOP_DOMAINS = words(
    "local localhost internal lan git service js py ts css html png jpg svg json md txt yml yaml toml sh exe zip gz"
    " tar so dll conf cfg ini lock java rb go rs cpp whl"
)
_IBAN = lazy_re(
    r"(?<![0-9A-Za-z])[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?![0-9A-Za-z])"
)
# The countries by the length of their IBAN, from the registry of ISO 13616.
_IBAN_COUNTRIES = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL FK SD", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN", 21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS", 23: "AE GI IL IQ OM TL SO",
    24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST",
    26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA",
    30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
_IBAN_LENGTHS = {country: size for size, countries in _IBAN_COUNTRIES.items() for country in countries.split()}
# Nine digits or more with few characters between: the patterns below are tried only there.
_NUMBER_RUN = lazy_re(r"[0-9](?:[ .()-]{0,2}[0-9]){8,40}")
_DATE = lazy_re(r"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[ T][0-2][0-9](?=:))?")
_DIGITS = lazy_re(
    r"(?<![0-9A-Za-z_./+-])(?:[0-9]{4}(?:\.[0-9]{4}){3}|[0-9]{4}\.[0-9]{6}\.[0-9]{5}|[0-9](?:[ -]?[0-9]){12,29})"
    r"(?![0-9A-Za-z_]|\.[0-9])"
)
# Chinese mobile numbers; those of other countries with their code; numbers as they are written at home: 07295
# 918620 or 0161 715 3388 in Britain, 0171 4839265 in Germany, 0935-407-725 in Taiwan, 06 12 34 56 78 in France; those
# of North America.
_CN_MOBILE = lazy_re(
    r"(?<![0-9A-Za-z_.+-])(?:\(?\+?(?:00)?86\)?[ -]?)?1[3-9][0-9](?:[ -]?[0-9]{4}){2}(?![0-9A-Za-z_]|[.-][0-9])"
)
_INTERNATIONAL = lazy_re(
    r"(?<![0-9A-Za-z_+.)-])\+[1-9][0-9]{0,3}(?:[ .-]{0,2}\(?[0-9]{1,4}\)?){2,6}(?![0-9A-Za-z_]|[.,][0-9])"
)
_DOMESTIC = lazy_re(
    r"(?<![0-9A-Za-z_.+/-])(?:07[0-9]{3}[ ][0-9]{3}[ ]?[0-9]{3}|09[0-9]{2}-[0-9]{3}-[0-9]{3}|01[567][0-9]["
    r" /-][0-9]{7,8}|01[0-9]{2}[ ][0-9]{3}[ ][0-9]{4}|01[0-9]{3}[ ][0-9]{3}[ ]?[0-9]{3}|02[0-9][ ][0-9]{4}[ ][0-9]{4}"
    r"|06[ -][0-9]{4}[ ]?[0-9]{4}|04[0-9]{2}[ ][0-9]{3}[ ][0-9]{3}|07[6-9][ ][0-9]{3}[ ][0-9]{2}[ ][0-9]{2}"
    r"|0[1789]0-[0-9]{4}-[0-9]{4}|0[67](?:[ ][0-9]{2}){4}|(?:1[ .-])?\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-][0-9]{4}"
    r"|(?:1[.-])?[2-9][0-9]{2}(?P<gap>[.-])[2-9][0-9]{2}(?P=gap)[0-9]{4}|1 [2-9][0-9]{2} [2-9][0-9]{2} [0-9]{4})"
    r"(?![0-9A-Za-z_]|[.-][0-9])"
)
_NAMED_PHONE = lazy_re(
    r"(?i)(?:电话|座机|传真|固话|热线|联系方式|手机号?码?|tel(?:ephone)?|phone(?:[ _]?(?:number|no))?|mobile|fax|cell)"
    r"[\"']?[ ]{0,2}[.:=是为]{0,2}[ ]{0,2}[\"']?(?P<secret>\(?\+?[0-9][0-9() -]{5,18}[0-9])(?![0-9A-Za-z_])"
)
_PHONES = KeywordIndex(words("电话 座机 传真 固话 热线 联系方式 手机 tel phone mobile fax cell"))
# 1-800-275-2273, 0800 330 1000, 400-820-5555: free numbers do not belong to a person.
_FREE_NUMBER = lazy_re(
    r"\(?(?:\+?1[ .-]?)?\(?8(?:00|33|44|55|66|77|88)\)?[ .-][0-9]|0?800[ -][0-9]|400-?[0-9]{3}-?[0-9]{4}\Z"
)
_CN_ID = lazy_re(r"(?<![0-9A-Za-z])[1-9][0-9]{5}(?:18|19|20)[0-9]{2}[01][0-9][0-3][0-9][0-9]{3}[0-9Xx](?![0-9A-Za-z])")
_SSN = lazy_re(
    r"(?<![0-9A-Za-z_.+/-])(?!000|666|9)[0-9]{3}[- ](?!00)[0-9]{2}[- ](?!0000)[0-9]{4}(?![0-9A-Za-z_]|[-./][0-9])"
)
# Distinctive with their punctuation: Brazil 193.696.602-67, Chile 37.860.149-5, Switzerland 756.7863.8065.98.
_MARKED_ID = lazy_re(
    r"(?<![0-9A-Za-z_./+-])(?:[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9]"
    r"|756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2})(?![0-9A-Za-z_]|[.,-][0-9])"
)
# After one of these a number is an identifier, a time or an amount, whatever its digits.
_OTHER_NUMBER = lazy_re(
    r"(?i)(?<![A-Za-z])(?:(?:order|trace|request|req|span|job|task|batch|row|user|message|msg|chat|session|device"
    r"|build|run"
    r"|event|transaction|txn|trade|invoice|tracking|serial|part|sku|product|item|object|group|commit|issue|ticket|doc"
    r"|drawing|article|catalog)[ _-]?(?:id|no|num|number|#)?|[a-z]*_?id|ts|time|timestamp|epoch|size|bytes|offset|count"
    r"|total|seq|sequence|nonce|version|ver|pid|port|uid|gid|rev|revision|isbn|ean|upc|imei|snowflake|amount|price"
    r"|balance"
    r"|inode|hash|checksum|crc|seed|mtime|ctime|atime|duration|elapsed|订单号?|单号|编号|流水号?|运单号?|快递单号"
    r"|序列号|时间戳|版本号?|批次号?|工号|学号|条码|条形码)[\"')\]]{0,2}\s{0,2}[:=#是为]{0,2}\s{0,2}[\"'(\[]?$"
)
NUMBER_CUES = KeywordIndex("@0123456789")
"""Every piece of personal data contains one of these characters."""
_CARD_WORD = lazy_re(r"(?i)card|visa|master|amex|pan\b|卡|credit|debit|payment|支付")


def find_personal_data(text: str, lower: LowercaseText) -> Iterator[Span]:
    """Find personal data in the folded ``text``; ``lower`` is the same text in lower case."""
    if "@" in text:
        yield from _find_emails(text)
    run = _NUMBER_RUN.search(text)
    while run is not None:
        day = _DATE.match(text, run.start())
        if day is None:
            yield from _find_numbers(text, max(0, run.start() - 6), min(len(text), run.end() + 4))
        run = _NUMBER_RUN.search(text, (day or run).end())
    for match in filter(None, (_NAMED_PHONE.match(text, at) for at, _, _ in _PHONES.find(lower))):
        digits = sum(map(str.isdigit, match["secret"]))
        if 7 <= digits <= 15 and not _DATE.match(match["secret"]) and not _FREE_NUMBER.match(match["secret"]):
            yield _span(match, "phone", PHONE)
    for match in _IBAN.finditer(text):
        end = _end_of_iban(match.group().upper())
        if end:
            yield Span(match.start(), match.start() + end, "iban", IBAN, RANK_PERSONAL)


def _span(match: re.Match[str], kind: str, placeholder: str) -> Span:
    name = "secret" if "secret" in match.re.groupindex else 0
    return Span(*match.span(name), kind, placeholder, RANK_PERSONAL)


def _find_emails(text: str) -> Iterator[Span]:
    for match in _AT_DOMAIN.finditer(text):
        at = match.start()
        local = _LOCAL_PART.search(text, max(0, at - 64), at)
        if local is None:
            continue
        name, start = local.group(), local.start()
        after, before = text[match.end() : match.end() + 1], text[max(0, start - 3) : start]
        if (
            _UUID.fullmatch(name)  # a message, an event, an example
            or (name.lower() in _EXAMPLE_ACCOUNTS and match["domain"].lower().startswith("example."))
            or name.lower() in _ROLE_ACCOUNTS
            or match["top"].lower() in _NOT_TOP_DOMAINS
            or before.endswith(("*", "://", "/@"))
            # the login of a remote command, or user@host:path for scp and git
            or _REMOTE_SHELL.search(text, max(0, start - 60), start)
            or _REMOTE_PATH.match(text, match.end())
        ):
            continue
        if after != "/" and not (before.endswith("/") and "//" in text[max(0, start - 80) : start]):
            yield Span(start, match.end(), "email", EMAIL, RANK_PERSONAL)


def _find_numbers(text: str, start: int, end: int) -> Iterator[Span]:
    def is_personal(match: re.Match[str]) -> bool:
        return not _OTHER_NUMBER.search(text, max(0, match.start() - 32), match.start())

    shapes: tuple[tuple[re.Pattern[str], str, str, Callable[[re.Match[str]], bool]], ...] = (
        (_CN_MOBILE, "phone", PHONE, is_personal),
        (_INTERNATIONAL, "phone", PHONE, lambda match: _is_international(match) and is_personal(match)),
        (_DOMESTIC, "phone", PHONE, lambda match: not _FREE_NUMBER.match(match.group()) and is_personal(match)),
        (_CN_ID, "cn_id", ID_NUMBER, lambda match: _is_cn_id(match.group())),
        (_SSN, "ssn", ID_NUMBER, is_personal),
        (_MARKED_ID, "id_number", ID_NUMBER, is_personal),
        (_DIGITS, "card", CARD, lambda match: _is_card(match) and (_follows_card_word(match) or is_personal(match))),
    )
    for pattern, kind, placeholder, check in shapes:
        for match in pattern.finditer(text, start, end):
            if check(match):
                yield _span(match, kind, placeholder)


def _is_international(match: re.Match[str]) -> bool:
    found, start = match.group(), match.start()
    digits = re.sub(r"[^0-9]", "", found)
    if not 9 <= len(digits) <= 15 or found.count("(") != found.count(")"):
        return False
    if digits[0] == "1":
        return len(digits) == 11 and digits[1] in "23456789"
    if digits.startswith("86"):
        return 11 <= len(digits) <= 14
    at_line_start = start == 0 or match.string[start - 1] == "\n"
    return not (at_line_start and found[1:].isdigit() and len(digits) > 12)


def _follows_card_word(match: re.Match[str]) -> bool:
    return _CARD_WORD.search(match.string, max(0, match.start() - 40), match.start()) is not None


def _is_card(match: re.Match[str]) -> bool:
    """Return whether a number is a card number: ISO/IEC 7812-1, with the ranges and groups of the networks."""
    digits = re.sub(r"[ .-]", "", match.group())
    sizes = [len(group) for group in re.split(r"[ .-]", match.group())]
    is_in_fours = all(size == 4 for size in sizes[:-1]) and sizes[-1] <= 4
    if len(sizes) > 1 and not is_in_fours and sizes not in ([4, 6, 5], [4, 6, 4], [6, 13], [6, 10]):
        return False
    doubled = [int(char) * (1 + place % 2) for place, char in enumerate(reversed(digits))]
    if sum(number - 9 * (number > 9) for number in doubled) % 10 or len(set(digits)) == 1 or len(digits) > 19:
        return False
    size, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    if size == 14:
        return (two in (36, 38, 39) or 300 <= three <= 305) and _follows_card_word(match)
    if (size == 15 and two in (34, 37)) or (
        size == 16 and (digits[0] == "4" or 51 <= two <= 55 or 2221 <= four <= 2720 or 3528 <= four <= 3589)
    ):
        return True
    is_long = four == 6011 or two in (50, 60, 62, 65, 81) or 644 <= three <= 649
    return size >= 16 and is_long and (size == 16 or two == 62 or _follows_card_word(match))


def _is_cn_id(found: str) -> bool:
    """Return whether a number is valid by GB 11643-1999: a real date, and a check character by ISO 7064 MOD 11-2."""
    try:
        date(int(found[6:10]), int(found[10:12]), int(found[12:14]))
    except ValueError:
        return False
    total = sum(int(char) * 2 ** (17 - place) for place, char in enumerate(found[:17]))
    return "10X98765432"[total % 11] == found[17].upper()


def _end_of_iban(found: str) -> int:
    """Return the end of the IBAN at the beginning of ``found``, or 0 if there is none (ISO 13616-1)."""
    length = _IBAN_LENGTHS.get(found[:2], 0)
    places = [place for place, char in enumerate(found) if char not in " -"]
    if not length or len(places) < length:
        return 0
    end = places[length - 1] + 1
    iban = re.sub(r"[ -]", "", found[:end])
    is_whole = end == len(found) or found[end] in " -"
    number = int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4]))
    return end if is_whole and number % 97 == 1 else 0
