"""Numbers that a state gives a person, where their name stands before them: each country's by its own shape."""

from __future__ import annotations

from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import ID_NUMBER, RANK_PERSONAL, Span

# What may stand between the name and the number.
_BETWEEN = r"(?![A-Za-z])[^\n0-9]{0,30}?"
_THREES = r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}"
_NUMBERS = ByCue(
    (
        cues,
        lazy_re(rf"(?<![A-Za-z])(?i:{name}){_BETWEEN}(?<![0-9A-Za-z])(?P<secret>{shape})(?![0-9A-Za-z]|[.-][0-9])"),
    )
    for cues, name, shape in (
        (("hkid", "身分", "身份"), "hkid|香港身[份分][证證]|身[份分][证證]", r"[A-Z]{1,2}[0-9]{6}\([0-9A]\)"),
        (("身分", "身份"), "身[份分][证證](?:字号|字號|号码?|號碼?)?", "[A-Z][1289][0-9]{8}"),
        (("マイナンバー", "個人番号"), "マイナンバー|個人番号", "[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}"),
        (("주민", "rrn"), "주민(?:등록)?번호|rrn", "[0-9]{6}-?[1-8][0-9]{6}"),
        (("sin", "social insurance"), "sin|social insurance(?: number| no)?", _THREES),
        (("tfn", "tax file"), "tfn|tax file (?:number|no)", rf"{_THREES}|[0-9]{{8}}"),
        (
            ("nir", "sociale", "sécu", "secu"),
            "nir|s[ée]curit[ée] sociale|s[ée]cu",
            r"[12][ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?"
            r"[0-9][0-9AB](?:[ ]?[0-9]){6}(?:[ ]?[0-9]{2})?",
        ),
        (
            ("steuer", "idnr"),
            "steuer-?id(?:entifikations)?(?:nummer|nr)?|idnr",
            r"[0-9]{2}[ ]?[0-9]{3}[ ]?[0-9]{3}[ ]?[0-9]{3}",
        ),
        (
            ("nino", "ni n", "national insurance"),
            "nino|ni (?:no|number)|national insurance(?: number| no)?",
            r"[A-Z]{2}[ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?[A-D]",
        ),
        (("pan",), "pan", "[A-Z]{5}[0-9]{4}[A-Z]"),
        (("aadhaar", "aadhar"), "aadhaa?r(?:[ _](?:number|no|card))?", r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}"),
        (("dni", "nif", "nie"), "dni|nif|nie", "[XYZ]?[0-9]{7,8}-?[A-Z]"),
        (("curp",), "curp", "[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[A-Z0-9][0-9]"),
        (("rut",), "rut|run", r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}-[0-9Kk]"),
        (("cuil", "cuit"), "cui[lt]", r"(?:20|2[3-7]|30)-?[0-9]{8}-?[0-9]"),
        (
            ("codice fiscale", "cod. fisc"),
            r"codice fiscale|cod\. fisc\.?",
            "[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]",
        ),
        (
            ("personnummer", "cpr", "henkil"),
            "personnummer|cpr(?:-nummer|-nr)?|henkil[öo]tunnus",
            "(?:[0-9]{2})?[0-9]{6}[-+A]?[0-9]{3}[0-9A-Z]",
        ),
        (("ahv", "avs"), "ahv(?:-nr|-nummer)?|avs", r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}"),
        (("kimlik",), "(?:t\\.?c\\.? )?kimlik(?: no)?", "[1-9][0-9]{10}"),
        (("снилс", "инн"), "снилс|инн", "[0-9]{3}-?[0-9]{3}-?[0-9]{3}[ -]?[0-9]{2}|[0-9]{12}"),
        (("паспорт",), "паспорт", "[0-9]{2}[ ]?[0-9]{2}[ ]?[0-9]{6}"),
        (("mykad", "nik"), "mykad|nik", r"[0-9]{6}-?[0-9]{2}-?[0-9]{4}|[0-9]{16}"),
        (("amka", "αμκα"), "amka|αμκα", "[0-3][0-9][01][0-9]{8}"),
        (("emirates",), "emirates id", r"784-?[0-9]{4}-?[0-9]{7}-?[0-9]"),
    )
)


def find_national_numbers(text: str, lower: Lowered) -> Iterator[Span]:
    """Find the numbers of persons that a name announces in the folded ``text``; ``lower`` is it in lower case."""
    for shape in _NUMBERS.met(lower):
        for match in matches(shape, text, lower):
            yield Span(*match.span("secret"), "id_number", ID_NUMBER, RANK_PERSONAL)
