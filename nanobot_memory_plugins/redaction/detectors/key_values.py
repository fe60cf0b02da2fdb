"""Secrets that a name in front of them gives away: assignments, JSON, YAML, XML, headers, queries, flags.

Every ``name separator`` in the text is looked at once; only when the name is sensitive is the value behind it read, so
that plain text costs little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.redaction.values.value_shapes import (
    has_password_marks,
    is_placeholder,
    is_scrambled,
    is_secret_value,
    is_surely_secret,
    is_type_name,
)
from nanobot_memory_plugins.redaction.values.values_in_text import (
    Value,
    end_of_block,
    end_of_literals,
    line_before,
    value_at,
)

_Q = "\"'`\ue0f1-\ue0f9"
_NAME = r"[A-Za-z_$][A-Za-z0-9_.$-]{0,79}+"
_PAIR = lazy_re(
    rf"""(?x)
    (?<![A-Za-z0-9_]) (?P<name>{_NAME})
    (?P<close>[{_Q}\])*]{{0,4}}) [ \t]{{0,12}} (?=[:?+=|~,.<设改换更等是为的填-])
    (?P<sep> :=|\?=|\+=|=>|\|\|=|\?\?=|==?=?|::?|->|~> | (?<=[{_Q}])[ \t]?,
      | (?:的值)?(?:设置?[为成]|[改换][为成]|更新为|等于|填|是|为):? | \.{{3,60}}(?=[ ]) | </t[dh]>\s{{0,4}}<td[^<>]{{0,60}}> )
    (?:[*_]{{1,3}}(?=[ \t]?`))? [ \t\x0b]{{0,12}}
    (?:<(?:b|strong|code|kbd|em|i|tt|span)(?:[ ][^<>]{{0,60}})?>[ ]?){{0,2}}
    """
)
_ANNOTATED = lazy_re(r"[A-Za-z_][A-Za-z0-9_.\[\], |?<>]{0,60}?[ \t]{0,3}=(?!=)[ \t]{0,3}")
_FORWARD_REFERENCE = lazy_re(r"_*(?:[A-Z]{1,5}[a-z]+){2,8}")
_TAG = lazy_re(r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,60}+)(?:\s[^<>]{0,200})?>(?P<value>[^<>\n]{2,2000})</")
_NAMED_VALUE = lazy_re(
    rf"""(?xi)
    (?<![A-Za-z0-9_]) (?: name | key | field | parameterkey | id | var | variable | envvar
      | property ) [{_Q}]? \s{{0,4}} [:=] \s{{0,4}}
    [{_Q}]? (?P<name>{_NAME}) [{_Q}]? [\s,;]{{1,40}}+
    (?: [{_Q}] (?:path|domain|expires|httpOnly|secure) [{_Q}] \s? : \s? [^\s,]{{1,80}} [\s,;]{{1,40}}+ ){{0,4}}
    (?: type [{_Q}]? \s{{0,3}} [:=] \s{{0,3}} [{_Q}]? [A-Za-z]{{1,20}} [{_Q}]? [\s,;]{{1,40}}+ )?
    [{_Q}]? (?: value | default | parametervalue | val ) [{_Q}]? \s{{0,4}} [:=] [ \t]{{0,4}}
    """
)
_SPACED = lazy_re(
    rf"""(?x)
    (?<![A-Za-z0-9_-]) (?: ENV | ARG | setenv | setx
      | proxy_set_header | add_header | [Hh]eader[ ]set | set[ ]-[a-zA-Z]{{1,3}} | \#define | (?:configure|config
      |secrets?|env|variable)[ ](?:set|add|put) )
    [ \t]{{1,8}} (?P<name>{_NAME}) [ \t]{{1,12}}
    """
)
_SPACED_WORDS = KeywordIndex(
    words("env arg setenv setx _header #define") | {"header set", "set -", " set", " add", " put"}
)
_VALUE_WORDS = KeywordIndex(words("val default"))
_FLAG = lazy_re(
    r"(?<![A-Za-z0-9_=/-])(?:--?|/)(?P<name>[A-Za-z][A-Za-z0-9_-]{1,60}+)(?P<sep>[ \t]{1,4}|=|:)(?![-\s|>&])"
)
_FLAG_ITEM = lazy_re(rf"[{_Q}]--?(?P<name>[A-Za-z][A-Za-z0-9_.-]{{1,60}}+)(?P<q>[{_Q}]),\s{{0,12}}(?=[{_Q}])")
_SPACED_KEY = lazy_re(
    r"(?i)(?:支付|商户)[ ]?$"
    r"|(?:api|app|access|secret|private|auth|encryption|signing|master|license|licence|subscription"
    r"|service|account|client|admin|webhook|server|"
    r"recovery|personal\saccess|connection|shared|bot|deploy|session|refresh|wallet|storage|root|user|consumer)[ _-]$"
)
_QUALIFIED_KEY = lazy_re(
    r"(?i)(?:public|primary|foreign|partition|sort|cache|fingerprint|idempotency|registry|host|shortcut|hot"
    r"|arrow|map|legend|object|next|max|total|prompt|the|a)[ _-]$"
)
_ENDS_BEFORE_KEY = (" ", "_", "-", "付", "户")
# The two halves of an access key: "ak: ...", "sk: ...".
_ACCESS_KEY_BEFORE = lazy_re(r"(?<![A-Za-z0-9])(?i:ak|access_?key(?:_?id)?)[\"']?[ ]?[:=]")
_BETWEEN_LITERALS = lazy_re(r"[\"']\s*\\?[+.]?\s*[\"']")
# The folder in which a process runs: PWD=/srv/app
_FOLDER = lazy_re(r"[\"']?[/~](?:[a-z._-]{0,30}+/?){0,12}+(?=[\s;,\"'})]|\Z)")
# The name of a resource, or of a checksum, is no secret: arn:aws:secretsmanager:...
_RESOURCE = lazy_re(r"(?:arn:|\{\{resolve:)[^\s]{0,80}\Z|checksum/\Z")
_HEX_KEY = lazy_re(r"[0-9a-f]{32}(?![0-9A-Za-z])")
# What takes a name and its value as two strings.
_SETTERS = ("define(", "etenv(", "putenv(", "SetEnvironmentVariable(", "setProperty(", "etItem(", "environ.setdefault(")
_QUERY_KEYS = words("ticket key sig signature code auth session sid k")
_STEMS = KeywordIndex(
    words(
        "pass pwd pw secret token key cred auth jwt bearer mima psw pin cvv cvc otp session sid sig salt kennwort senha"
        " contrasena psk code mfa 2fa pat licen private webhook cookie saml"
    )
)
_HAS_RANDOM_RUN = lazy_re(r"(?<![A-Za-z0-9+/=_-])(?=[A-Za-z_+/=-]{0,40}[0-9])[A-Za-z0-9+/=_-]{14,}")


def may_hold_pairs(text: str, lower: Lowered) -> bool:
    """Tell cheaply whether ``text`` may hold a sensitive name or a random value."""
    return _STEMS.meets(lower) or _HAS_RANDOM_RUN.search(text) is not None


def find_pairs(text: str, lower: Lowered) -> Iterator[Span]:
    """Find the values of sensitive names in the folded ``text``; ``lower`` is the same in lower case."""
    done = 0
    for match in _PAIR.finditer(text):
        if match.start() < done:
            continue  # inside a value that is hidden already
        span = _judge_pair(text, match)
        if span is not None:
            done = span.end
            yield span
    if _SPACED_WORDS.meets(lower):
        yield from _find_spaced(text, lower)
    if "</" in text:
        yield from _find_tags(text)
    if _VALUE_WORDS.meets(lower):
        yield from _find_named_values(text, lower)
    if "-" in text or "/" in text:
        yield from _find_flags(text)


def _keyed(start: int, end: int) -> Span:
    return Span(start, end, "keyed_value", REDACTED, RANK_KEYED)


def _judge_pair(text: str, match: re.Match[str]) -> Span | None:
    name = match["name"].strip(".-$")
    sep = match["sep"]
    level = sensitivity(name)
    if text.startswith("?", match.end()) and text.endswith("${", 0, match.start("name")):
        return None  # ${API_KEY:?must be set}
    if text.startswith("//", match.end("sep")) or text.startswith("://", match.start("name") - 3):
        return None  # "mongodb://...", "https://oauth2:...": a URL, whose password is found by its place
    before = line_before(text, match.start("name"), 80)
    if _RESOURCE.search(before):
        return None
    in_query = False
    if (
        sep == "="
        and name == "code"
        and not before.strip()
        and "&" in text[match.end() : match.end() + 200].split("\n")[0]
    ):
        in_query, level = True, Sensitivity.VENDOR  # the body of a form
    elif sep == "=" and before and (before[-1] in "?&" or before[-1] == ";") and not match["close"]:
        in_query = before[-1] != ";"
        if in_query and level < Sensitivity.VENDOR and split_name(name)[-1:] and split_name(name)[-1] in _QUERY_KEYS:
            level = Sensitivity.VENDOR
    if level is Sensitivity.WEAK and split_name(name) == ("key",):
        if _follows_word_for_key(before):
            level = Sensitivity.COMPOUND
        elif before.endswith(_ENDS_BEFORE_KEY) and _QUALIFIED_KEY.search(before[-20:]):
            return None
    elif level is Sensitivity.TOKEN and _follows_word_for_key(before):
        level = Sensitivity.COMPOUND
    at = match.end()
    if in_query and name == "appid" and _HEX_KEY.match(text, at):
        level = Sensitivity.VENDOR  # OpenWeather's; WeChat's are no secrets, and not of this shape
    if name in ("sk", "SK") and _ACCESS_KEY_BEFORE.search(text, max(0, match.start() - 160), match.start()):
        level = Sensitivity.VENDOR
    if level is Sensitivity.NONE or (name in ("PWD", "OLDPWD") and sep == "=" and _FOLDER.match(text, at)):
        return None
    if sep.strip() == "," and not (at < len(text) and text[at] in "\"'"):
        return None
    if text[at : at + 1] in ("'", '"') and _closes_quote(text, at):
        return None  # getpass("Passphrase: ")
    value = value_at(text, at, in_query=in_query)
    if value is None:
        return None
    if sep == ":" and not value.quoted:
        annotated = _ANNOTATED.match(text, at)
        if annotated and is_type_name(text[at : annotated.end()].rstrip(" =\t").split("[")[0].split(" ")[0]):
            value = value_at(text, annotated.end())
            if value is None:
                return None
        elif _is_annotation(text, value, before, match):
            return None
    elif sep == ":" and not match["close"] and _is_forward_reference(text[value.start : value.end]):
        return None
    if sep.startswith("==") or (sep == "=" and before.rstrip().endswith(("!", "<", ">"))):
        return None if not value.quoted else _accept(text, value, level, name, running=False)
    return _accept(text, value, level, name, running=value.running_text and sep != "=", sep=sep, match=match)


def _follows_word_for_key(before: str) -> bool:
    return before.endswith(_ENDS_BEFORE_KEY) and bool(_SPACED_KEY.search(before[-28:]))


def _closes_quote(text: str, at: int) -> bool:
    """Tell whether the quote at ``at`` closes one that was opened before it on its line."""
    after = text[at + 1 : at + 2]
    return (not after or after in "),;] \n") and line_before(text, at).count(text[at]) % 2 == 1


def _is_forward_reference(found: str) -> bool:
    return bool(_FORWARD_REFERENCE.fullmatch(found)) and not is_scrambled(found)


def _is_annotation(text: str, value: Value, before: str, match: re.Match[str]) -> bool:
    """Tell whether ``name: value`` is an annotation (``password: SecretStr``) and not YAML or prose."""
    found = text[value.start : value.end]
    if match["close"] and match["close"][0] in _Q:
        return False
    return is_type_name(found) and (not found[0].islower() or is_placeholder(found))


def _accept(
    text: str,
    value: Value,
    level: Sensitivity,
    name: str,
    *,
    running: bool,
    sep: str = "=",
    match: re.Match[str] | None = None,
) -> Span | None:
    found = text[value.start : value.end]
    if sep.strip() == "," and not (match and text.endswith(_SETTERS, 0, match.start("name") - 1)):
        return _keyed(value.start, value.end) if is_surely_secret(found, level) else None
    if match is not None and not value.quoted and _is_code_assignment(text, match, value):
        return None
    end = end_of_literals(text, value) if value.quoted else value.end
    block_end = end_of_block(text, value) if value.quoted else end
    if block_end > end:
        lines = text[value.start : block_end].split()
        # One line says it, or all of them together: a token that was wrapped.
        end, found = block_end, found if has_password_marks(found) or " " in found else "".join(lines)
    elif end > value.end:
        found = _BETWEEN_LITERALS.sub("", text[value.start : end])
    if not is_secret_value(found, level, key=name, quoted=value.quoted, running_text=running):
        return None
    return _keyed(value.start, end)


def _is_code_assignment(text: str, match: re.Match[str], value: Value) -> bool:
    """Tell whether a bare identifier is assigned, as programs do: ``password = value``, ``f(password=value, n=2)``."""
    found = text[value.start : value.end]
    if not re.fullmatch(r"[A-Za-z_$][A-Za-z_$]*", found) or is_scrambled(found):
        return False
    after = text[value.end : value.end + 1]
    if after in (",", ")") and match["sep"] == "=" and "(" not in line_before(text, match.start()):
        return False  # a list in a log line or a sentence, not the arguments of a call
    if after in (",", ")", ";"):
        # A keyword argument or a statement; in a connection string ("...;Pwd=letmein;") the next pair follows at once.
        return not (after == ";" and "=" in text[value.end : value.end + 40]) or "_" in found
    spaced = text[match.start("sep") - 1 : match.start("sep")] == " " and match["sep"] in ("=", ":=")
    return spaced and ("_" in found or not (found.islower() or found.isupper()))


def _find_spaced(text: str, lower: Lowered) -> Iterator[Span]:
    """Find values that a space divides from their name: ``ENV DB_PASSWORD x``, ``#define WIFI_PASS "x"``."""
    for match in _SPACED.finditer(text):
        level = sensitivity(match["name"])
        value = value_at(text, match.end()) if level > Sensitivity.NONE else None
        if value is not None:
            found = text[value.start : value.end]
            if is_secret_value(found, level, key=match["name"], quoted=value.quoted, running_text=value.running_text):
                yield _keyed(value.start, value.end)


def _find_tags(text: str) -> Iterator[Span]:
    for match in _TAG.finditer(text):
        level = sensitivity(match["name"].rsplit(":", 1)[-1])
        if level is Sensitivity.NONE:
            continue
        if is_secret_value(match["value"], level, key=match["name"], quoted=True, running_text=False):
            yield _keyed(*match.span("value"))


def _find_named_values(text: str, lower: Lowered) -> Iterator[Span]:
    for match in _NAMED_VALUE.finditer(text):
        level = sensitivity(match["name"])
        if level is Sensitivity.NONE:
            continue
        value = value_at(text, match.end())
        if value is not None:
            found = text[value.start : value.end]
            if is_secret_value(found, level, key=match["name"], quoted=value.quoted, running_text=value.running_text):
                yield _keyed(value.start, value.end)


def _find_flags(text: str) -> Iterator[Span]:
    for match in _FLAG.finditer(text):
        name = match["name"]
        level = sensitivity(name)
        if level is Sensitivity.NONE or name in ("p", "P") or (match["sep"] != ":" and text[match.start()] == "/"):
            continue
        if name.startswith(("no-", "export-", "list-", "delete-", "import-")) or name.endswith(("-stdin", "-hash")):
            continue
        value = value_at(text, match.end())
        if value is None:
            continue
        found = text[value.start : value.end]
        if found.isupper() and found.replace("_", "").isalpha():
            continue  # the usage line: --password PASSWORD
        if is_secret_value(found, level, key=name, quoted=value.quoted, running_text=value.running_text):
            yield _keyed(value.start, value.end)
    for match in _FLAG_ITEM.finditer(text):
        level = sensitivity(match["name"])
        if level > Sensitivity.NONE:
            value = value_at(text, match.end())
            if value and is_secret_value(
                text[value.start : value.end], level, key=match["name"], quoted=True, running_text=False
            ):
                yield _keyed(value.start, value.end)
