"""Secrets that calls, commands and short phrases give: ``.setPassword("...")``, ``useradd -p ...``, ``pw is ...``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import ByCue, KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import LINE_START, RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.values.sentence_values import Q, is_technical, is_told
from nanobot_memory_plugins.redaction.values.value_shapes import is_placeholder
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

_SHORTEST_QUOTED = 4
_STRING = r"[\"'][^\"'\n]{1,200}[\"'],[ ]?"
_ARGUMENT = r"[^,()\n]{1,200},[ ]?"
_QUOTE = r"(?=b?[\"'])"
_BEHIND: ByCue[re.Pattern[str]] = ByCue(
    (cues, lazy_re(f"(?i){shape}"))
    for cues, shape in (
        # DBI->connect(source, user, password), new PDO(...), DriverManager.getConnection(...)
        (
            ("dbi->connect(", "sql_connect(", "sqli_connect(", "pg_connect(", "mysqldb.connect(", "pymysql.connect("),
            r"(?:DBI->connect|mysqli?_connect|pg_connect|MySQLdb\.connect|pymysql\.connect)\("
            rf"{_ARGUMENT}{_ARGUMENT}(?=[\"'])",
        ),
        (("getconnection(",), rf"getConnection\({_ARGUMENT}{_ARGUMENT}(?=[\"'])"),
        (("pdo(", "mysqli("), rf"new[ ](?:PDO|mysqli)\({_ARGUMENT}{_ARGUMENT}(?=[\"'])"),
        (("_auth(",), r"\.(?:bearer|basic|token)_auth\((?:[^,()\n]{1,80},[ ]?(?:Some\()?)?(?=[\"'])"),
        (("login(",), rf"(?<![A-Za-z])login\({_STRING}(?=[\"'])"),
        (
            ("jwt.sign(", "jwt.encode(", "jwt.decode(", "jwt.verify(", "hmac.new(", "createhmac(", "bearer.new("),
            rf"(?:jwt\.(?:sign|encode|decode|verify)\({_ARGUMENT}|hmac\.new\([ ]?|createHmac\({_STRING}"
            rf"|Bearer\.new\(){_QUOTE}",
        ),
        # net use Z: \\server\share password /user:name
        (("net use",), r"net[ ]use[ ](?=[^\n]{1,200}[ ]/user:)[^\n]{0,140}?[ ](?=[^\s/]\S{3,127}[ ]/user:)"),
        # user name pass word, as tools take them
        ((" pass",), r"(?:user(?:name)?|login)[ ][^\s:=]{1,64}[ ]pass(?:word|wd)?[ ](?=\S)"),
        (("={",), r"[;\s](?:pwd|password)=\{"),
        (("ssh-keygen",), r"ssh-keygen[ ][^\n|;&]{0,200}?-N[ ]{0,2}(?=\S)"),
        (("useradd", "usermod"), r"user(?:add|mod)[ ](?:[^\n|;&]{0,200}?[ ])?-p[ ]{1,2}(?=\S)"),
        (("mosquitto_",), r"mosquitto_(?:pub|sub|rr)[ ](?:[^\n|;&]{0,200}?[ ])?-P[ ]{1,2}(?=\S)"),
        (("rabbitmqctl",), r"rabbitmqctl[ ](?:add_user|change_password|authenticate_user)[ ]\S{1,64}[ ]{1,2}(?=\S)"),
        (
            ("doctl auth", "snyk auth", "set-agent-token"),
            r"(?:doctl[ ]auth[ ]init[ ]-t|snyk[ ]auth|set-agent-token[ ]\S{1,30})[ ]{1,2}(?=\S)",
        ),
        (("pypi-token",), r"pypi-token\.\S{1,60}[ ]{1,2}(?=\S)"),
        (("basic_auth", "basicauth"), r"basic_?auth[ ]{0,2}[:=][ ]{0,2}[\"']?[^\s:\"'(){}]{1,64}:(?=\S)"),
    )
)
# .setPassword("..."), .withApiKey("..."), builder.password("...")
_SETTER = lazy_re(
    r"(?i)(?:\.|(?<![A-Za-z])(?=set|with))(?:set|with|use|add)?_?(?:[a-z]{1,12}_?)?(?:password|passwd|passphrase"
    rf"|api_?key|secret(?:_?key)?|access_?token|auth_?token|bearer_?token|client_?secret)\([ ]?{_QUOTE}"
)


_SETTER_CUES = KeywordIndex(
    f"{name}("
    for name in ("password", "passwd", "passphrase", "apikey", "api_key", "secret", "secretkey", "secret_key", "token")
)


def _is_digits(found: str) -> bool:
    return found.isdigit()


def _is_strong(found: str) -> bool:
    """Tell whether ``found`` has letters, digits and a mark, as passwords have, and nothing of a path."""
    return is_told(found) and any(char in "!@#$%^&*" for char in found) and "/" not in found


_SAID: ByCue[tuple[re.Pattern[str], Callable[[str], bool]]] = ByCue(
    (cues, (lazy_re(f"(?i){shape}"), check))
    for cues, shape, check in (
        (
            ("pw", "pass"),
            r"(?<![A-Za-z0-9_.-])(?:(?:pw|pass|pwd|passwd)[ ](?:is|was|now|->)[ :]|(?:pw|pwd|password's)[ ])[ ]{0,2}"
            r"(?P<secret>[!-~]{6,128})",
            _is_strong,
        ),
        (
            ("login with", "log in with", "logged in with"),
            r"log(?:ged)?[ ]?in[ ]with[ ](?P<secret>[!-~]{6,128})",
            _is_strong,
        ),
        (
            ("password",),
            r"password[ ](?:attempt|guess|candidate|tried|used|entered|hint)[ ]?:[ ]?(?P<secret>[!-~]{6,128})",
            is_told,
        ),
        (("as password",), r"(?<![!-~])(?P<secret>[!-~]{6,128})[ ]as[ ]password(?![A-Za-z])", is_told),
        (
            ("root/", "root:", "admin/", "admin:", "administrator/", "postgres/", "postgres:", "login failed"),
            r"(?:(?<![A-Za-z0-9_./@:-])(?:root|admin|administrator|postgres)[/:]"
            r"|login[ ]failed[^\n]{0,20}[ ][A-Za-z][\w.-]{1,30}:)(?P<secret>[!-~]{6,64})",
            _is_strong,
        ),
        (
            ("key:", "key is", "token:"),
            r"here(?:'s|[ ]is)[ ](?:the|my|your)[ ](?:key|token)[ ]?:?[ ](?P<secret>[!-~]{16,400})",
            is_told,
        ),
        (
            ("code", "2fa", "mfa"),
            r"(?<![A-Za-z])(?:(?:the|your|my)[ ]code[ ]is|(?:2fa|mfa|sms|login|security|verification)[ ]?(?:code)?"
            r"[ ]?(?::|is)?|passcode)[ ](?P<secret>[0-9]{6})(?![0-9A-Za-z.,-]*[0-9])",
            _is_digits,
        ),
        (
            ("pin code", "pin number", "cvv", "cvc", "security code"),
            r"(?<![A-Za-z])(?:pin[ ](?:code|number)[ ]?(?::|is)?[ ](?P<pin>[0-9]{4,6})|(?:cvv2?|cvc2?|security[ ]code)"
            r"[ ]?(?::|is)?[ ]?(?P<secret>[0-9]{3,4}))(?![0-9A-Za-z.,-]*[0-9])",
            _is_digits,
        ),
        (
            ("password", "passwd", "pwd"),
            rf"(?m){LINE_START}(?:password|passwd|pwd)[;,|](?P<secret>[!-~]{{4,128}})$",
            is_told,
        ),
    )
)


def find_given(text: str, lower: Lowered) -> Iterator[Span]:
    """Find secrets that calls, commands and phrases of the folded ``text`` give; ``lower`` is it in lower case."""
    for shape in _BEHIND.met(lower):
        for match in matches(shape, text, lower):
            yield from _judge(text, match, is_call=match.group().endswith(("(", " ", ",")))
    if _SETTER_CUES.meets(lower):
        for match in matches(_SETTER, text, lower):
            yield from _judge(text, match, is_call=False)
    for said, check in _SAID.met(lower):
        for match in matches(said, text, lower):
            yield from _judge_said(match, check)


def _judge(text: str, match: re.Match[str], *, is_call: bool) -> Iterator[Span]:
    value = value_at(text, match.end())
    if value is None:
        return
    found = text[value.start : value.end]
    if match.group().endswith("{"):
        found = found.split("}")[0]
    if not found or " " in found or is_placeholder(found):
        return
    if is_told(found) or (is_call and value.quoted and " " not in found and len(found) >= _SHORTEST_QUOTED):
        yield _span(value.start, value.start + len(found))


def _judge_said(match: re.Match[str], check: Callable[[str], bool]) -> Iterator[Span]:
    name = "pin" if "pin" in match.re.groupindex and match["pin"] else "secret"
    found = match[name].rstrip(f".,;:)]}}{Q}") if match[name] else ""
    if found and check(found) and (found.isdigit() or not (is_placeholder(found) or is_technical(found))):
        yield _span(match.start(name), match.start(name) + len(found))


def _span(start: int, end: int) -> Span:
    return Span(start, end, "given_secret", REDACTED, RANK_KEYED)
