"""Postal addresses: a street with its number, and a town or a postal code beside it. A street alone is a place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import ADDRESS, RANK_PERSONAL, Span

_NAME = r"[A-Z][A-Za-z'’.-]{1,24}"
_UNIT = r"(?:,?[ ](?i:apt|apartment|suite|ste|unit|floor|flat|room|fl|\#)\.?[ ]?[A-Za-z0-9-]{1,6})?"
_GERMAN_STREET = (
    r"[A-ZÄÖÜ][A-Za-zäöüß-]{1,30}(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer)"
    r"|(?:Am|An[ ]der|Auf[ ]dem|Im|Zum|Zur)[ ][A-ZÄÖÜ][a-zäöüß]{2,24}"
)
_ENGLISH_STREET = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Way"
    r"|Close|Crescent|Cres|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Trail|Grove|Gardens|Mews|Row|Alley|Quay|Walk|Broadway)"
)
_SHAPES = ByCue(
    (cues, lazy_re(shape))
    for cues, shape in (
        # 12 Maple Street, Apt 4, Springfield, IL 62704; 221B Baker Street, London NW1 6XE
        (
            (
                *("street", " st", "road", " rd", "avenue", " ave", "boulevard", "blvd", "lane", " ln", "drive", " dr"),
                *("court", " ct", "place", " pl", "square", " sq", "terrace", " ter", " way", "close", "cres"),
                *("parkway", "pkwy", "highway", "hwy", "circle", " cir", "trail", "grove", "gardens", "mews", " row"),
                *("alley", "quay", " walk", "broadway"),
            ),
            r"(?<![A-Za-z0-9.:/#-])[0-9]{1,5}[A-Za-z]?[ ](?:[NSEW]\.?[ ])?"
            rf"(?:(?:{_NAME}|[0-9]{{1,3}}(?:st|nd|rd"
            rf"|th))[ ]){{0,3}}{_ENGLISH_STREET}\.?(?:[ ][NS][EW])?{_UNIT}(?:,[ ]|,?\n)"
            rf"{_NAME}(?:[ ]{_NAME}){{0,2}}"
            r"(?:,?[ ][A-Z]{2}(?:[ ][0-9]{5}(?:-[0-9]{4})?)?|,?[ ][A-Z]{1,2}[0-9][A-Z0-9]?[ ][0-9][A-Z]{2}"
            r"|[ ][0-9]{4,5})"
            r"(?![A-Za-z0-9])",
        ),
        # 27 Tanyard Lane, Alresford, Hampshire SO24 9JD: a postal code of Britain says it all
        (
            tuple(f"{digit}{letter}" for digit in "0123456789" for letter in "abdefghjlnpqrstuwxyz"),
            rf"(?<![A-Za-z0-9.:/#-])[0-9]{{1,4}}[A-Za-z]?[ ](?:{_NAME}[ ]?){{1,4}}(?:,[ ](?:{_NAME}[ ]?(?:(?:upon"
            rf"|on|in|under|le|the)[ ])?){{1,4}}){{0,3}}"
            r"(?:,?[ ]?|(?<=[ ]))[A-Z]{1,2}[0-9][A-Z0-9]?[ ][0-9][ABD-HJLNP-UW-Z]{2}(?![A-Za-z0-9])",
        ),
        # She lives at 4 Elm Close; we moved to 12 Oak Road
        (
            ("live", "living", "moved to", "moving to", "home is", "house is"),
            rf"(?:(?:live[sd]?|living)[ ]at|mov(?:ed|ing)[ ]to|(?:home|house)[ ]is[ ](?:at[ ])?)[ ]"
            rf"(?P<secret>[0-9]{{1,5}}[A-Za-z]?[ ](?:{_NAME}[ ]){{1,3}}{_ENGLISH_STREET}(?![A-Za-z]){_UNIT})",
        ),
        # Hauptstraße 12a, 10115 Berlin
        (
            (
                "str",
                "weg ",
                "platz",
                "allee",
                "gasse",
                "ring ",
                "damm ",
                "ufer ",
                "am ",
                "an der",
                "im ",
                "zum ",
                "zur ",
            ),
            rf"(?<![A-Za-zäöüß])(?:{_GERMAN_STREET})[ ][0-9]{{1,4}}[ ]?[a-z]?,?[ ](?:[A-Z]{{1,2}}-)?[0-9]{{4,5}}[ ]"
            r"[A-ZÄÖÜ][A-Za-zäöüß-]{2,30}",
        ),
        # 12 rue de la Paix, 75002 Paris; Calle Mayor 5, 28013 Madrid; Via Roma 10, 00184 Roma
        (
            ("rue ", "avenue ", "boulevard ", "place ", "chemin ", "calle ", "via ", "rua ", "plaza ", "piazza "),
            r"(?i:(?<![a-z0-9])(?:[0-9]{1,4}(?:[ ]?(?:bis|ter))?,?[ ])?"
            r"(?:rue|avenue|boulevard|place|chemin|calle|via|rua|plaza|piazza)[ ][^\n,;:0-9]{2,40},?[ ]?"
            r"(?:n[º°.]?[ ]?)?(?:[0-9]{1,4})?,[ ](?:[0-9]{4,5}(?:-[0-9]{3})?)[ ][a-zà-ü][a-zà-ü-]{2,30})",
        ),
    )
)
# 浙江省杭州市西湖区文三路 138 号 3 幢 502 室: the street's number, what stands before it, and what behind.
_CHINESE_NUMBER = lazy_re(
    r"(?:路|街|道|巷|弄|胡同|村)(?:[一二三四五六七八九十0-9]{1,2}段)?(?:[ ]?[0-9]{1,4}[ ]?[巷弄])?[ ]?[0-9]{1,5}[ ]?"
    r"[号號弄](?:院)?"
    r"(?:[ ,，]?[\u4e00-\u9fff]{0,8}[ ]?[0-9A-Za-z]{1,5}[ ]?[幢栋棟号號座楼樓单單室层層][元]?"
    r"(?:[ ]?之[ ]?[0-9]{1,3})?){0,4}"
)
_JAPANESE_NUMBER = lazy_re(r"[\u3040-\u30ff\u4e00-\u9fff][0-9]{1,4}(?:丁目|-)[0-9]{1,4}(?:(?:番|-)[0-9]{1,4}号?)")
_CHINESE_NUMBER_CUES = ByCue(
    (
        (("路", "街", "道", "巷", "弄", "胡同", "村"), _CHINESE_NUMBER),
        (("都", "県", "府"), _JAPANESE_NUMBER),
    )
)
_HAN_BEFORE = lazy_re(r"[\u3040-\u30ff\u4e00-\u9fff]{3,30}\Z")
_DISTRICT = lazy_re(r"[区區县縣市镇鎮都府県]")
_LEADS_TO_ADDRESS = lazy_re(r".*(?:地址|住在|[是在到至于為为寄去从])")
# What a form calls an address: the rest of the line, with a number in it.
_NAMED = lazy_re(
    r"(?i)(?<![A-Za-z])(?:(?:home|postal|mailing|street|shipping|billing|delivery|private)[ _]address|anschrift"
    r"|(?:my|his|her|our|their|'s)[ ]address(?=[ ]is[ ][0-9])|wohnhaft[ ]in"
    r"|家庭住址|家庭地址|收货地址|收貨地址|邮寄地址|寄件地址|住址)"
    r"[\"']?[ ]{0,2}(?:[:=是为]|is)[ ]{0,2}[\"']?"
    r"(?P<secret>(?=[^\n\"';|]{0,60}[0-9])[^\n\"';|@\[\]{}<>]{8,100}?)(?=[\"';|\n。]|\.(?:[ \n]|\Z)|\Z)"
)
# A field of a form, a contact or an answer: the street with its number.
_STREET_FIELD = lazy_re(
    r"(?im)(?:(?:^|(?<=[{,;|>]))[ \t]*[\"']?(?:street(?:[ _]?(?:address|line)?[ _]?[12]?)?|stra(?:ß|ss)e"
    r"|address[ _]?(?:line)?[ _]?[12]?"
    r"|addr(?:ess)?[12]?|calle|rue|direcci\u00f3n|adresse|indirizzo|ship[ ]to"
    r"|deliver[ ]to)[\"']?[ ]{0,2}[:=][ ]{0,2}[\"']?"
    r"|^(?:item[0-9]\.)?ADR[^:\n]{0,60}:[^;\n]{0,20};[^;\n]{0,20};)"
    r"(?P<secret>(?=[^\n\"';|]{0,60}(?<![0-9A-Za-z])[0-9]{1,5}[A-Za-z]?(?![0-9A-Za-z]))"
    r"(?=[^\n\"';|]{0,60}[^\W\d_]{3})(?=[^\n\"';|]{3,80}[ ])[^\n\"';|@\[\]{}<>:/\\]{6,100}?)"
    r"(?=[\"';|\n]|\Z)"
)
_NAMED_CUES = ByCue(
    (
        (
            ("address", "anschrift", "wohnhaft", "家庭住址", "家庭地址", "收货地址", "收貨地址", "邮寄地址", "住址"),
            _NAMED,
        ),
        (
            ("street", "straße", "strasse", "addr", "calle", "rue", "dirección", "adresse", "indirizzo", "adr", " to:"),
            _STREET_FIELD,
        ),
    )
)


def find_postal_addresses(text: str, lower: Lowered) -> Iterator[Span]:
    """Find postal addresses in the folded ``text``; ``lower`` is the same in lower case."""
    for shape in _SHAPES.met(lower):
        for match in matches(shape, text, lower):
            group = "secret" if "secret" in shape.groupindex else 0
            yield Span(*match.span(group), "postal_address", ADDRESS, RANK_PERSONAL)
    for shape in _CHINESE_NUMBER_CUES.met(lower):
        for match in matches(shape, text, lower):
            yield from _with_district(text, match)
    for shape in _NAMED_CUES.met(lower):
        for match in matches(shape, text, lower):
            yield Span(*match.span("secret"), "postal_address", ADDRESS, RANK_PERSONAL)


def _with_district(text: str, number: re.Match[str]) -> Iterator[Span]:
    """Give the address that ends in ``number``, where the town or the district of the street stands before it."""
    before = _HAN_BEFORE.search(text, max(0, number.start() - 30), number.start() + 1)
    if before is None:
        return
    start = before.start()
    lead = _LEADS_TO_ADDRESS.match(text, start, number.start())
    start = lead.end() if lead else start
    if _DISTRICT.search(text, start + 1, number.start()):
        yield Span(start, number.end(), "postal_address", ADDRESS, RANK_PERSONAL)
