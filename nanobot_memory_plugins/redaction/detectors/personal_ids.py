"""Numbers that name a person to a hospital, an insurer or a border, behind the words that say what they are."""

from __future__ import annotations

import re

from nanobot_memory_plugins.redaction.rules.rows import Row, RowRules
from nanobot_memory_plugins.redaction.rules.rule import ID_NUMBER, RANK_PERSONAL

_LINK = (
    r"[\"')]{0,2}[- ]{0,2}\(?(?:number|nummer|n[uú]m[ée]ro|no\.?|nr\.?|num\.?|n[º°]\.?|\#|id|号码?|號碼?|番号"
    r"|번호)?(?:['’]s)?[\"')]{0,2}[ ]{0,3}(?:[:=#是为為は]|is|was|—|-)?[ ]{0,3}[\"'(]?"
)
_END = r"(?![A-Za-z0-9]|[.-][0-9])"
_MIXED = r"(?P<secret>(?=[A-Z0-9 -]{0,14}[0-9])[A-Z0-9]+(?:-[A-Z0-9]+){0,4})"


def _is_number(found: str) -> bool:
    """Tell whether ``found`` has the digits that such a number has, and is no date."""
    digits = sum(char.isdigit() for char in found)
    plain = re.sub(r"[ .-]", "", found)
    return 5 <= len(plain) <= 16 and digits >= 3 and not re.fullmatch(r"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}", found)


def _is_passport(found: str) -> bool:
    plain = found.replace(" ", "")
    return 6 <= len(plain) <= 10 and sum(char.isdigit() for char in plain) >= 2 and plain.upper() == plain


IDS = RowRules(
    "id_number",
    (
        Row(
            ("mrn", "medical record", "patient", "chart n", "hospital n", "health record", "case n"),
            rf"(?<![a-z])(?:mrn|medical[ ]record|(?:patient(?:en)?|hospital)[- ]?(?:id|number|nummer|nr"
            rf"|no\.?|file|record)"
            rf"|chart[ ](?:number|no\.?)"
            rf"|health[ ]record){_LINK}{_MIXED}{_END}",
            "MRN: «00482913», seen on Tuesday",
            "The patient number grew by 12 last year",
            _is_number,
            ID_NUMBER,
        ),
        Row(
            (
                "passport",
                "passnummer",
                "pass-nr",
                "reisepass",
                "passeport",
                "pasaporte",
                "passaporte",
                "passaporto",
                "护照",
                "護照",
                "旅券",
                "パスポート",
                "여권",
                "паспорт",
            ),
            r"(?<![a-z])(?:passport|passnummer|pass-?nr\.?|reisepass|passeport|pasaporte|passaport[eo]|护照|護照|旅券"
            r"|パスポート|여권|паспорт)"
            rf"{_LINK}(?:ist[ ]|lautet[ ]|est[ ]|es[ ])?(?-i:(?P<secret>[A-Z0-9]{{1,3}}[ ]?[A-Z0-9]{{5,8}})){_END}",
            "Passport No.: «C01X2ZYLT»",
            "passport renewal in 2026",
            _is_passport,
            ID_NUMBER,
        ),
        Row(
            ("sin for", "sin of", "sin is"),
            r"(?<![a-z])sin(?:[ ](?:for|of)[^\n]{1,30}?)?[ ]is[ ](?P<secret>[0-9]{3}([ -]?)[0-9]{3}\2[0-9]{3})"
            r"(?![0-9-])",
            "SIN for the T4 slip is «534 078 688» and the address changed",
            "the sin of 2024 is pride",
            None,
            ID_NUMBER,
        ),
        Row(
            ("doc_", "document_", "doctype", "documenttype"),
            r"\"doc(?:ument)?_?type\"[ ]?:[ ]?\"(?:passport|id_?card|driv[a-z_]{2,16}|residence_permit)\"[^{}\n]{0,80}?"
            r"\"(?:doc(?:ument)?_?)?(?:no|num|number|id)\"[ ]?:[ ]?\"(?P<secret>[A-Z0-9-]{5,20})\"",
            '{"doc_type":"passport","country":"CHN","doc_no":"«EJ9267348»"}',
            '{"doc_type":"invoice","doc_no":"EJ9267348"}',
            _is_number,
            ID_NUMBER,
        ),
    ),
    rank=RANK_PERSONAL,
)
