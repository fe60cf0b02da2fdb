"""Credentials in places made for them: URLs, Authorization, cookies, .netrc, .pgpass, the flags of known commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.redaction.values.value_shapes import is_placeholder, looks_random

_URL_USER = lazy_re(r"[A-Za-z][A-Za-z0-9+.-]{0,40}+://(?P<user>[^\s:@/\"'`<>\\]{0,256}+)(?P<colon>:)?")
_URL_PASSWORD = lazy_re(r"[^\s\"'`<>\ue0f1-\ue0f9]{1,1024}")
_AUTH_HEADER = lazy_re(
    r"""(?xi)
    (?<![A-Za-z0-9]) (?:proxy-|x-)?(?:authorization|authentication) ["'\ue0f1-\ue0f9\])]{0,3} \s{0,4} [:=,]
      \s{0,4} ["'\ue0f1-\ue0f9]{0,2}
    (?P<scheme> (?:basic|bearer|token|digest|negotiate|ntlm|apikey|api-key|key|aws4-hmac-sha256|hawk|oauth|hmac
      |signature|bot|ssws|genie-?key|splunk|discourse|klaviyo-api-key|sso-key)\s{1,4} )?
    (?P<secret> [^\s"'`,;<>\u2e80-\uffef]{4,8192} )
    """
)
_PARAMETER = lazy_re(
    r"(?i)(?<![A-Za-z0-9_])(?:signature|response|oauth_token|oauth_signature|oauth_consumer_key|credential|mac"
    r"|cnonce)\s{0,2}=\s{0,2}\"?(?P<secret>[^\s\",;]{8,4096})"
)
_COOKIE_HEADER = lazy_re(
    r"(?i)(?<![A-Za-z0-9_])(?:set-)?cookie[\"'\ue0f1-\ue0f9\])]{0,3}\s{0,3}[:=]\s{0,3}[\"'\ue0f1-\ue0f9]?"
    r"(?P<jar>[^\n\x0b\"\ue0f1-\ue0f9]{3,8192})"
)
_COOKIE = lazy_re(r"(?<![^;\s,'{])(?P<name>[A-Za-z0-9_.$!%*^|~-]{1,100})=(?P<value>[^\s;,'\"]{1,4096})")
_COOKIE_ATTRIBUTES = words("path domain expires max-age samesite secure httponly version priority partitioned")
_COOKIE_NAMES = lazy_re(
    r"(?i)sess|sid(?![a-z])|auth|token|jwt|login|remember|csrf|xsrf|secret|ticket|credential|identity|access|refresh|sso"
    r"|passport|_key|pass"
)
_SECRET_MANIFEST = lazy_re(r"(?m)^[ \t\"']{0,8}kind[\"']?:[ \t]{0,3}[\"']?Secret(?:List)?[\"']?[ \t]*,?$")
_MANIFEST_DATA = lazy_re(
    r"(?m)^(?P<indent>[ \t]{0,20})[\"']?(?:(?P<plain>stringData)|data)[\"']?:[ \t]*\{?[ \t]*\n(?P<body>(?:"
    r"(?P=indent)[ \t]{1,8}[^\n]{1,5000}(?:\n|$)){1,200})"
)
# What a manifest holds beside its secrets.
_BESIDE_SECRETS = words(
    "user username login host hostname server port registry database db dbname name region endpoint bucket type url"
    " namespace schema driver scheme sslmode env environment zone"
)
_MANIFEST_ITEM = lazy_re(
    r"(?m)^[ \t]+[\"']?(?P<name>[A-Za-z0-9_.-]{1,200})[\"']?:[ \t]+(?P<secret>[^\s#|>][^\n]{0,5000}?)[ \t]*,?$"
)


def _span(start: int, end: int, kind: str) -> Span:
    return Span(start, end, kind, REDACTED, RANK_KEYED)


def find_credentials(text: str, lower: Lowered) -> Iterator[Span]:
    """Find credentials by their place in the folded ``text``; ``lower`` is the same in lower case."""
    if "://" in text:
        yield from _find_url_passwords(text)
    if "auth" in lower:
        yield from _find_authorization(text, lower)
    if "cookie" in lower:
        yield from _find_cookies(text, lower)
    if "secret" in lower and "kind" in lower and _SECRET_MANIFEST.search(text):
        yield from _find_manifest_values(text)


def _find_url_passwords(text: str) -> Iterator[Span]:
    for match in _URL_USER.finditer(text):
        at = match.end()
        if match["colon"]:
            run = _URL_PASSWORD.match(text, at)
            if run is None:
                continue
            end = _end_of_userinfo(run.group())
            if end > 0 and "[" not in run.group()[:end] and not is_placeholder(run.group()[:end]):
                yield _span(at, at + end, "url_password")
        elif text.startswith("@", at):
            user = match["user"]
            if looks_random(user, allow_hex=True) and not is_placeholder(user) and "ssh" not in match.group()[:12]:
                yield _span(*match.span("user"), "url_token")


def _end_of_userinfo(run: str) -> int:
    """Give where the password ends in ``password@host/...``; 0 when there is none.

    Passwords are often left unescaped, so that the last ``@`` before the path counts; a ``/`` or ``?`` belongs to the
    password when what stands before it cannot be a port.
    """
    at = run.find("@")
    if at <= 0:
        return 0
    head = re.split(r"[/?#]", run, maxsplit=1)[0]
    if "@" in head:
        return head.rfind("@")
    if re.fullmatch(r"[0-9]{1,5}|[\w.-]*\$?\{.*", head):
        return 0
    host = re.match(r"[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?(?:[/?,]|$)", run[at + 1 :])
    return at if host else 0


def _find_authorization(text: str, lower: Lowered) -> Iterator[Span]:
    for match in _AUTH_HEADER.finditer(text):
        secret = match["secret"]
        start = match.start("secret")
        scheme = (match["scheme"] or "").strip().lower()
        if scheme in ("digest", "aws4-hmac-sha256", "hawk", "oauth", "signature", "hmac"):
            line_end = text.find("\n", start, start + 4096)
            stop = line_end if line_end >= 0 else min(len(text), start + 4096)
            for part in _PARAMETER.finditer(text, match.end("scheme"), stop):
                if not is_placeholder(part["secret"]):
                    yield _span(*part.span("secret"), "authorization")
            continue
        trimmed = secret.rstrip(")]}")
        if is_placeholder(trimmed):
            continue
        if scheme in ("basic", "bearer", "token", "negotiate", "ntlm", "ssws", "bot", "apikey", "key"):
            if trimmed.isalpha() and trimmed.islower() and len(trimmed) < 16:
                continue
            yield _span(start, start + len(trimmed), "authorization")
        elif looks_random(trimmed, allow_hex=True, minimum=12):
            yield _span(start, start + len(trimmed), "authorization")


def _find_cookies(text: str, lower: Lowered) -> Iterator[Span]:
    for header in _COOKIE_HEADER.finditer(text):
        for match in _COOKIE.finditer(text, *header.span("jar")):
            name, value = match["name"], match["value"]
            if name.lower() in _COOKIE_ATTRIBUTES or is_placeholder(value):
                continue
            named = bool(_COOKIE_NAMES.search(name)) or sensitivity(name) >= Sensitivity.WEAK
            if (named and len(value) >= 6) or looks_random(value, allow_hex=True):
                yield _span(*match.span("value"), "cookie")


def _says_where(name: str, value: str) -> bool:
    """Tell whether an item of a manifest in plain text says where to log in, and as whom: no secret of its own."""
    last = split_name(name)[-1:]
    return bool(last) and last[0] in _BESIDE_SECRETS and not looks_random(value, allow_hex=True) and "@" not in value


def _find_manifest_values(text: str) -> Iterator[Span]:
    for block in _MANIFEST_DATA.finditer(text):
        for item in _MANIFEST_ITEM.finditer(text, *block.span("body")):
            value = item["secret"].strip("\"'")
            if block["plain"] and _says_where(item["name"], value):
                continue
            if value and not is_placeholder(value) and value not in ("{", "["):
                start = item.start("secret") + item["secret"].find(value)
                yield _span(start, start + len(value), "manifest_secret")
