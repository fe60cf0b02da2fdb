"""Personal data: e-mail addresses, bank accounts, and numbers beside a word that says what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import EMAIL, IBAN, PHONE, RANK_PERSONAL, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.personal_numbers import (
    FEWEST_DIGITS_OF_PHONE,
    PHONE_NAME,
    find_numbers,
    is_anybodys,
)

_AT = lazy_re(
    r"@(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?P<top>[A-Za-z]{2,24}"
    r"|xn--[A-Za-z0-9-]{2,59}))(?![A-Za-z0-9])"
)
_LOCAL = lazy_re(r"[A-Za-z0-9!#$&'*+_%~-](?:[A-Za-z0-9!#$&'*+_%~.-]{0,62}[A-Za-z0-9_+-])?\Z")
_LOCAL_CLASS = lazy_re(r"[A-Za-z0-9!#$&'*+_%~.-]{0,64}\Z")
_UUID = lazy_re(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REMOTE_PATH = lazy_re(r":(?:[/~]|\.{1,2}/|(?![0-9])[\w.-]{1,60}/)")
# Accounts of version control, and addresses that nobody reads.
_NOBODY = words(
    "git hg svn noreply no-reply donotreply do-not-reply mailer-daemon support help info contact hello sales press"
    " jobs"
    " careers feedback bookings booking reservations tickets orders admissions media office security abuse"
    " postmaster webmaster service customerservice newsletter notifications"
)
# Whose address an example shows.
_ANYBODY = words("user name you your.name yourname someone username email first.last firstname.lastname")
_REMOTE_SHELL = lazy_re(
    r"(?<![A-Za-z])(?:ssh|sftp|scp|rsync|mosh|plink|autossh|ssh-copy-id)(?:[ ][^\n|;&]{0,50})?[ ]\Z"
)
_DATE = lazy_re(r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}")
_PHONE_CUES = KeywordIndex(words("tel phone mobile fax cell 电话 手机 座机 传真 固话 热线 联系方式"))
_NO_TOP = words(
    "local localhost internal lan git service js py ts css html png jpg svg json md txt yml yaml toml sh exe "
    "zip gz tar so dll conf cfg ini lock java rb go rs cpp whl"
)

_NAMED_PHONE = lazy_re(rf"(?i){PHONE_NAME}(?P<secret>\(?\+?[0-9][0-9() -]{{5,18}}[0-9])(?![0-9A-Za-z_])")
_IBAN = lazy_re(r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
_SMALL_IBAN = lazy_re(
    r"(?<![0-9A-Za-z])[a-z]{2}[0-9]{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,3})?(?![0-9A-Za-z])"
)
# The length of an IBAN by country, from the registry of ISO 13616.
_IBAN_LENGTHS = {
    group[:2]: int(group[2:])
    for group in words(
        "NO15 BE16 DK18 FI18 FO18 GL18 NL18 FK18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 XK20 MN20 CH21 HR21"
        " LI21"
        " LV21 BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 AE23 GI23 IL23 IQ23 OM23 TL23 SO23 AD24 CZ24 ES24 MD24"
        " PK24"
        " RO24 SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27 DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28"
        " BY28"
        " CY28 DO28 GT28 HU28 LB28 NI28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33"
    )
}


def find_personal_data(text: str, lower: Lowered) -> Iterator[Span]:
    """Find personal data in the folded ``text``; ``lower`` is the same in lower case."""
    if "@" in text:
        yield from _find_emails(text)
    yield from find_numbers(text)
    if _PHONE_CUES.meets(lower):
        yield from _find_named_phones(text, lower)
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
        if _UUID.fullmatch(name):
            continue  # a message or an event
        if name.lower() in _ANYBODY and match["domain"].lower().startswith("example."):
            continue
        if name.lower() in _NOBODY or match["top"].lower() in _NO_TOP or before.endswith(("*", "://", "/@")):
            continue
        if _REMOTE_SHELL.search(text, max(0, start - 60), start):
            continue  # whom and where a command logs in
        if after == ":" and _REMOTE_PATH.match(text, match.end()):
            continue  # user@host:path, as scp and git write it
        if after == "/" or (before.endswith("/") and "//" in text[max(0, start - 80) : start]):
            continue
        yield _span(start, match.end(), "email", EMAIL)


def _find_named_phones(text: str, lower: Lowered) -> Iterator[Span]:
    for match in _NAMED_PHONE.finditer(text):
        digits = re.sub(r"[^0-9]", "", match["secret"])
        if (
            FEWEST_DIGITS_OF_PHONE <= len(digits) <= 15
            and not _DATE.match(match["secret"])
            and not is_anybodys(match["secret"])
        ):
            yield _span(*match.span("secret"), "phone", PHONE)


def _find_ibans(text: str) -> Iterator[Span]:
    for match in (*_IBAN.finditer(text), *_SMALL_IBAN.finditer(text)):
        found = match.group().upper()
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
