"""The rules in `rules.toml`: their abbreviations, the checks of their values, and the search.

The comment at the top of that file describes the columns.
"""

import base64
import binascii
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import CueIndex, KeywordIndex, LowercaseText, places_of, words
from nanobot_memory_plugins.redaction.rules.rule import (
    API_KEY,
    ID_NUMBER,
    RANK_KEYED,
    RANK_PERSONAL,
    RANK_VENDOR,
    REDACTED,
    Rule,
    Span,
    ValueRule,
)
from nanobot_memory_plugins.redaction.values.bare_words import Likeness, is_bare_secret, password_likeness
from nanobot_memory_plugins.redaction.values.key_names import split_name
from nanobot_memory_plugins.redaction.values.value_shapes import (
    entropy,
    has_password_marks,
    is_hash_like,
    is_placeholder,
    looks_random,
)
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

# The abbreviations in patterns. Those that contain others come first.
_ABBREVIATIONS = {
    "<number>": (
        "(?:<number-word>|[ _-]?card|的?(?:识别|登记|证件|卡)?(?:字?号码?|编号|编码|码)){0,2}"
        "(?:[ ]?\\([^()\\n]{1,24}\\))?(?:<field>)?"
    ),
    "<id-number>": (
        "(?-i:(?P<secret>(?:[A-Z][ ]|[A-Z]{0,4})[0-9](?:[ ./-]?[0-9]){4,16}(?:[ .-]?[A-Z](?![a-z])){0,2}[0-9]{0,3}"
        "|(?=[A-Z0-9-]{0,18}[0-9][A-Z0-9-]{0,16}[0-9])[A-Z0-9]{2,20}(?:-[A-Z0-9]{1,12}){0,4}"
        "|[A-Z]{2}(?:[ ][0-9]{2}){3}[ ][A-Z]|[A-Z9]{5}[ ]?[0-9]{6}[ ]?[A-Z0-9]{5}"
        "|[A-Z]{1,2}[0-9]{6}\\([0-9A]\\)))<number-end>"
    ),
    "<A>": "[A-Za-z0-9]",
    "<W>": "[A-Za-z0-9_-]",
    "<D>": "[A-Za-z0-9_.=-]",
    "<H>": "[0-9a-fA-F]",
    "<Q>": "[\"'`*\ue0f1-\ue0f9]",
    "<start>": "(?<![A-Za-z0-9])",
    "<end>": "(?![A-Za-z0-9])",
    "<word>": "(?<![A-Za-z0-9_-])",
    "<uuid>": "[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}",
    # {"passport": {"number": ...}}, {"type": "passport", "country": "CHN", "doc_no": ...}
    "<field>": (
        "[\"']?(?:[ ]?:\\s{1,9}\\{?|\\}?,)\\s{0,9}(?:[\"']?[a-z_]{1,16}[\"']?:[ ]?[^\\n,:{}]{1,40},\\s{0,9}){0,3}"
        "[\"']?(?:[a-z]{1,9}_)?(?:number|num|no|nr|id|value|val|text|answer|content)(?=[\"']?[ ]?:)"
    ),
    "<number-word>": "[ _-]?(?:(?:number|num|no|nr|id)(?![a-z])\\.?|numbers?|nummer|n[º°]|#)",
    # "of my daughter is ", ": "
    "<link>": (
        "[\"'*)]{0,3}(?:[ ](?:of|for|de|del|della|der|des|do|da|du|von|van|vom)(?:[ ][^\\s\\d:=]{1,20}){1,3}?"
        "|[ ][a-z]{2,8}(?=:))?(?:,?[ ](?:that|it)['’]s|[ ]{0,3}(?:is|was|es|ist|est|är|é|è|jest)(?![a-zà-ÿ]))?"
        "[ ]{0,3}(?:[:=#?：是为は—-])?[ ]{0,3}[\"'(*]{0,2}"
    ),
    "<number-end>": "(?![A-Za-z0-9*\u2022\u25cf]|[.:/-][0-9]|,[0-9]{3}(?![0-9])|%)",
    "<string>": "[\"'][^\"'\\n]{1,200}[\"'],[ ]?",
    "<argument>": "[^,()\\n]{1,200},[ ]?",
}


# A match this long may have ended at the bound of a repetition: it is extended to the end of the token.
_LONG_MATCH = 120
_TOKEN_END = re.compile(r"[A-Za-z0-9_-]*+")

# A run that may contain a token whose pattern does not begin with a literal, which has at least this length.
_LONG_RUN = lazy_re(r"(?<!\S)\S{23,}+")

_EXAMPLE = lazy_re(
    r"(?i)x{6,}|\*{3,}|\.{3,}|your[-_]|[-_]your|placeholder|redacted|[-_]here\b|example(?:key)?$|<|insert[-_]"
    r"|replace[-_]|dummy|changeme"
)
_WORDS_ONLY = lazy_re(r"(?:[a-z]{1,20}[-_.])*[a-z]{1,20}")
_LONG_WORD = lazy_re(r"[A-Za-z]{9,}")
_PUBLISHABLE = ("pk_test_", "pk_live_")  # made for web pages
_APP_PASSWORD = lazy_re(r"[a-z]{4}(?:[ -][a-z]{4}){3}")
# Four consonants, which no word contains in this form.
_CONSONANTS = lazy_re(r"(?i)(?<![a-z0-9])(?![aeiouy])[a-z](?![aeiouy])[a-z](?![aeiouy])[a-z]")
_DATE = lazy_re(r"(?:19|20)[0-9]{2}-[0-9]{2}(?:-[0-9]{2})?")
# Words of sentences, which do not occur in wallet phrases or chosen passphrases.
_PROSE = words(
    "the and are for with from was were not but its this that you your they have has had into is must be at should"
    " required when will can may or into which please enter then of to in on by as it my our too so only still never"
    " always because would could does did been same wrong short long"
)
# Words that describe a password without being one.
_DESCRIPTIONS = words(
    "great simple complex complicated random unknown known public private personal temporary default unique common"
    " obvious important broken stolen unset false maybe correct right ready outdated numeric alphanumeric mine yours"
    " theirs something nothing anything everything somewhere below above inside attached online offline local global"
    " plaintext numbers letters characters digits symbols password username email needed forgotten correctly twice"
    " today tomorrow yesterday later invalid wrong empty blank weak strong short longer different safe secure hidden"
    " secret bcrypt argon again about"
)
_ADJECTIVE = lazy_re(r"[a-z]{2}(?:ed|ing|able|ible|ive|ous|ful|less|ant|ent|ory|ly|ish|al|ic|ary)$")


def _is_issued(token: str) -> bool:
    """Return whether ``token`` looks issued, unlike ``ghp_xxxx``, ``sk-your-key-here`` or plain words."""
    return len(set(token[-24:])) >= 6 and not (_EXAMPLE.search(token) or _WORDS_ONLY.fullmatch(token))


def _is_mixed(token: str) -> bool:
    body = re.split(r"[-_.]", token, maxsplit=1)[-1]
    mixed = any(map(str.isdigit, body)) and any(map(str.isalpha, body))
    return mixed and _is_issued(token) and entropy(body) >= 2.8


def _is_random_tail(token: str) -> bool:
    """Return whether the part after the last prefix of ``token`` is random, not a checksum or words with a number."""
    tail = re.split(r"[_-]", token)[-1]
    if token.startswith(_PUBLISHABLE) or is_hash_like(tail) or not _is_issued(token) or entropy(tail) < 3.2:
        return False
    digits = sum(map(str.isdigit, tail))
    mixed = any(map(str.isupper, tail)) and any(map(str.islower, tail))
    return len(_LONG_WORD.findall(tail)) < 2 and (digits >= 4 or (mixed and digits >= 2))


def _opens_json_object(token: str) -> bool:
    """Return whether the first part of ``token`` is Base64 of a JSON object, as the header of a JWT is."""
    return _decode(token.split(".", 1)[0][:8].replace("-", "+").replace("_", "/"))[:1] == b"{"


def _decode(found: str) -> bytes:
    try:
        return base64.b64decode(found + "=" * (-len(found) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _has_secret_marks(found: str) -> bool:
    """Return whether ``found`` has the signs of a password or looks machine-made, and is not a placeholder."""
    return not is_placeholder(found) and (has_password_marks(found) or looks_random(found, allow_hex=True))


def _is_argument(found: str) -> bool:
    """Return whether an argument of a command is a secret, not a flag, a port or a name in a usage line."""
    is_other = found.startswith(("-", "$", "{", "/")) or (found.isdigit() and len(found) <= 5)
    return not (is_other or is_placeholder(found) or (found.isupper() and found.isalpha()))


def _is_basic(found: str) -> bool:
    decoded = _decode(found)
    return not is_placeholder(found) and ((b":" in decoded and decoded.isascii()) or looks_random(found))


def _is_number(found: str) -> bool:
    """Return whether ``found`` has enough digits for the number of a document, and is not a date."""
    plain = re.sub(r"[ .-]", "", found)
    return 5 <= len(plain) <= 20 and sum(map(str.isdigit, found)) >= 3 and not _DATE.fullmatch(found)


def _is_phrase(found: str) -> bool:
    """Return whether ``found`` is a passphrase, not the rest of a sentence."""
    parts = re.split(r"[^a-z]+", found.lower())
    distinctive = set(parts) - {"and", "the"}
    is_one = len(distinctive) == len(set(parts)) or _is_chosen(parts[0])
    return is_one and len(set(parts)) > 2 and _PROSE.isdisjoint(distinctive)


def _is_chosen(found: str) -> bool:
    return found.lower() not in _DESCRIPTIONS | _PROSE and (found[0].isupper() or not _ADJECTIVE.search(found))


CHECKS: Mapping[str, Callable[[str], bool]] = {
    "any": bool,
    "issued": _is_issued,
    "mixed": _is_mixed,
    "random tail": _is_random_tail,
    "json": _opens_json_object,
    "given": lambda found: not is_placeholder(found),
    "marked": _has_secret_marks,
    "told": is_bare_secret,
    "argument": _is_argument,
    "bearer": lambda found: (
        looks_random(found, allow_hex=True) or (any(map(str.isdigit, found)) and _has_secret_marks(found))
    ),
    "basic": _is_basic,
    "password of a call": lambda found: _has_secret_marks(found) or _APP_PASSWORD.fullmatch(found) is not None,
    "number": _is_number,
    "phrase": _is_phrase,
    "chosen": _is_chosen,
    "strong": lambda found: password_likeness(found) is Likeness.STRONG,
    "setup key": lambda found: any(map(str.isdigit, found)) or found.isupper() or _CONSONANTS.search(found) is not None,
}
"""The checks by their names in `rules.toml`."""


@cache
def rows() -> Mapping[str, list[dict[str, Any]]]:
    """Return the rows of `rules.toml` by table."""
    # Importing `pathlib` or `importlib.resources` takes longer than reading the file.
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "rules.toml"), "rb") as file:
        return tomllib.load(file)


def rules_of(table: str) -> Iterable[Rule]:
    """Yield the rules of a table. Those of ``tokens``, the shapes of known issuers, are case-sensitive."""
    is_tokens = table == "tokens"
    placeholder = {"tokens": API_KEY, "personal": ID_NUMBER}.get(table, REDACTED)
    for row in rows()[table]:
        pattern, literals = row.get("pattern", ""), row.get("keywords", ())
        if starts := row.get("starts", ()):
            gap = "[ ]" if is_tokens else "[ _-]?"
            begin = "|".join(re.escape(one).replace(r"\ ", gap) for one in starts)
            pattern = f"{row.get('border', '')}(?:{begin}){row['then']}"
            literals = starts if is_tokens else {one.replace(" ", sep) for one in starts for sep in ("", *" _-.")}
        kind = ValueRule if pattern.endswith("<value>") else Rule
        shape = _expand(pattern.removesuffix("<value>"), 0 if is_tokens else re.IGNORECASE)
        check = CHECKS[row.get("check", "issued")]
        anchored = bool(literals) and "loose" not in row
        yield kind(row["kind"], row.get("hides", placeholder), shape, check, tuple(literals), anchored)


def _expand(source: str, flags: int = 0) -> re.Pattern[str]:
    for name, meaning in _ABBREVIATIONS.items():
        source = source.replace(name, meaning)
    return lazy_re(source, flags)


class RuleIndex:
    """Rules by their literals, of which one must occur in the text; ``rank`` is the rank of their findings.

    An anchored rule is tried only at the positions of its literals, any other on the whole text.
    """

    __slots__ = ("_by_literal", "_rank")

    def __init__(self, rules: Iterable[Rule], rank: int = RANK_VENDOR) -> None:
        self._rank = rank
        self._by_literal = CueIndex((map(str.lower, rule.literals or [""]), rule) for rule in rules)

    def find(self, text: str, lower: LowercaseText) -> list[Span]:
        """Return the matches of all rules in ``text``; ``lower`` is the same text in lower case."""
        runs = [run.span() for run in _LONG_RUN.finditer(text)]
        return [
            span
            for rule, literals_found in self._by_literal.find(lower)
            for match in _matches(rule, text, lower, literals_found, runs)
            if (span := _span(rule, match, self._rank)) is not None
        ]


def _matches(
    rule: Rule, text: str, lower: LowercaseText, literals_found: Iterable[str], runs: Iterable[tuple[int, int]]
) -> Iterator[re.Match[str]]:
    """Yield the matches of ``rule``; ``literals_found`` are its literals that occur in the lower-case text.

    A case-sensitive rule is for tokens: a match begins with a literal in its exact case, or is in one of the ``runs``.
    """
    if not rule.anchored:
        for run in ((0, len(text)),) if rule.ignores_case else runs:
            yield from rule.pattern.finditer(text, *run)
        return
    literals, searched = (literals_found, lower) if rule.ignores_case else (rule.literals, text)
    end = 0  # the end of the last match: like `finditer`, matches do not overlap
    for at in sorted({at for word in literals for at in places_of(word, searched)}):
        match = rule.pattern.match(text, at) if at >= end else None
        if match is not None:
            end = match.end()
            yield match


def _span(rule: Rule, match: re.Match[str], rank: int) -> Span | None:
    if isinstance(rule, ValueRule):
        value = value_at(match.string, match.end())
        start, end = (value.start, value.end) if value else (0, 0)
        if " " in match.string[start:end]:
            return None  # a sentence, or a label
    else:
        start, end = match.span("secret" if "secret" in rule.pattern.groupindex else 0)
    if end <= start or (rule.validator is not None and not rule.validator(match.string[start:end])):
        return None
    if end - start >= _LONG_MATCH:
        token_end = _TOKEN_END.match(match.string, end)
        end = token_end.end() if token_end else end
    return Span(start, end, rule.kind, rule.placeholder, rank)


TOKENS = RuleIndex(rules_of("tokens"))
SECRETS = RuleIndex(rules_of("secrets"), RANK_KEYED)
_PERSONAL_RULES = tuple(rules_of("personal"))
PERSONAL = RuleIndex(_PERSONAL_RULES, RANK_PERSONAL)
PERSONAL_CUES = KeywordIndex(literal for rule in _PERSONAL_RULES for literal in rule.literals)
"""Every number that identifies a person has one of these words before it."""

_FEWEST_DIGITS, _LONGEST_PERSONAL = 3, 64


def personal_value(name: str, value: str) -> Span | None:
    """Return the finding for a number that identifies a person by its field or column ``name``, or None."""
    is_long = len(value) > _LONGEST_PERSONAL or len(name) > _LONGEST_PERSONAL
    if is_long or sum(map(str.isdigit, value)) < _FEWEST_DIGITS or not may_identify_person(name):
        return None
    described = f"{_spaced_name(name)}: {value}"
    begin = len(described) - len(value)
    spans = PERSONAL.find(described, LowercaseText(described))
    return next((span for span in spans if span.start >= begin), None)


@lru_cache(maxsize=2048)
def may_identify_person(name: str) -> bool:
    """Return whether values under ``name`` may be numbers that identify a person."""
    return LowercaseText(_spaced_name(name)).contains_any(PERSONAL_CUES)


def _spaced_name(name: str) -> str:
    return " ".join(split_name(name)) or name
