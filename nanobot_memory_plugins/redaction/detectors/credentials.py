"""Credentials in places made for them: URLs, Authorization, cookies, .netrc, .pgpass, the flags of known commands."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, Lowered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.prefilter import matches
from nanobot_memory_plugins.redaction.rules.rule import LINE_START, RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.rules.word_lists import words
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity, split_name
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random
from nanobot_memory_plugins.redaction.values.values_in_text import value_at

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
_BEARER = lazy_re(r"(?<![A-Za-z0-9_])(?:[Bb]earer|BEARER)[ \t:]{1,4}[\"']?(?P<secret>[A-Za-z0-9._~+/=-]{8,8192})")
_BASIC = lazy_re(r"(?<![A-Za-z0-9_])[Bb]asic[ \t]{1,4}(?P<secret>[A-Za-z0-9+/=_-]{8,2048})")
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
_NETRC = lazy_re(
    r"(?i)(?<![A-Za-z0-9_])(?:machine\s{1,8}\S{1,200}|default(?=\s{1,8}login))\s{1,8}(?:(?:login|account"
    r"|user)\s{1,8}\S{1,200}\s{1,8}){0,2}password\s{1,8}(?P<secret>\S{1,500})"
)
_PGPASS = lazy_re(
    rf"(?m){LINE_START}[\w.*/-]{{1,200}}:(?:[0-9]{{2,5}}|\*):[\w.*-]{{1,80}}:"
    r"[\w.*-]{1,80}:(?P<secret>[^\s:]{3,300})[ \t]*$"
)
_COLONS_OF_PGPASS = 4
_USER_FLAG = lazy_re(
    r"(?<![A-Za-z0-9_-])(?:-u|--user|--proxy-user|-U|--auth|-a)(?:[ =]{1,3}"
    r"|(?=[\"']))[\"']?(?P<user>[^\s:%\"']{1,128})[:%][\"']?(?P<secret>[^\s\"']{2,256})"
)
# The password is left empty where a key is the name: curl -u "key_...:"
_KEY_AS_USER = lazy_re(r"(?<![A-Za-z0-9_-])(?:-u|--user)[ =][\"']?(?P<secret>[A-Za-z0-9_-]{16,200}):(?=[\"'\s]|$)")
_USER_COMMANDS = words("curl wget smbclient rpcclient svn ldap lftp httpie") | {"http ", "https ", "xh ", "ab "}
_USER_COMMAND_CUES = KeywordIndex(_USER_COMMANDS)
_COMMANDS = KeywordIndex(
    words(
        "sshpass mongo psexec htpasswd ipmitool zip gpg sqlcmd wpscan vncviewer cqlsh clickhouse-client kinit xfreerdp"
        " crackmapexec mysql mariadb 7z rar redis-cli keydb-cli valkey-cli bcp isql osql ldapsearch ldapadd ldapmodify"
        " ldappasswd -pass"
    )
    | {" login", "twine upload", " user ", "echo ", "printf "}
)
_COMMAND_FLAG = lazy_re(
    r"""(?x)
    (?<![A-Za-z0-9_-]) (?:
        (?P<spaced> (?: sshpass | docker[ ]login | podman[ ]login | helm[ ]registry[ ]login | az[ ]login
          | az[ ]acr[ ]login | mongo(?:sh|dump|restore|import|export)? | psexec(?:\.exe|64)?
          | PSEXEC(?:\.EXE)? | oc[ ]login | htpasswd | ipmitool | skopeo[ ]login | unzip | zip | gpg2? | sqlcmd
            | twine[ ]upload | wpscan | vncviewer | cqlsh | clickhouse-client | kinit | xfreerdp | crackmapexec )
          (?:\s[^\n|;&]{0,300}?)? \s (?:-p|-P|-pw|-w) [ \t=]{1,3} )
      | (?P<glued> (?: mysql(?:dump|admin|import|show|check)? | mariadb(?:-dump)? | sshpass | 7z[ar]? | rar
        | unrar ) (?:\s[^\n|;&]{0,300}?)? \s -p (?=[^\s=-]) )
      | (?P<redis> (?: redis-cli | keydb-cli | valkey-cli ) (?:\s[^\n|;&]{0,200}?)? \s -a [ \t]{1,3} )
      | (?P<sqlcmd> (?: sqlcmd | bcp | isql | osql ) (?:\s[^\n|;&]{0,200}?)? \s -P [ \t]{0,3} )
      | (?P<ldap> (?: ldapsearch | ldapadd | ldapmodify | ldappasswd ) (?:\s[^\n|;&]{0,200}?)? \s -w [ \t]{0,3} )
      | (?P<htpasswd> htpasswd \s -[a-zA-Z]{0,6}b[a-zA-Z]{0,6} \s{1,3} \S{1,200} \s{1,3} \S{1,100} \s{1,3} )
      | (?P<openssl> (?:-passin|-passout|-pass) [ \t]{1,3} pass: )
      | (?P<netuse> net \s user \s \S{1,64} \s )
      | (?P<vault> vault \s login \s (?:-method=\S{1,20}\s)? (?!-) )
      | (?P<chpasswd> echo \s [\"']? [A-Za-z_][\w-]{0,31} : (?=[^\s|]{3,128}[\"']?\s\|\s(?:sudo\s)?chpasswd) )
      | (?P<stdin> (?: echo | printf ) \s (?:-n\s)? (?=[\"']?[^\s|]{4,128}[\"']?\s\|\s(?: sudo\s-S
        | [^\n|]{1,80}--password-stdin | sudo\s[^\n|]{0,20}-S | gh\sauth | passwd | openssl )) )
    )
    """
)
_IDENTIFIED_BY = lazy_re(
    r"(?i)(?:identified(?:\s{1,3}with\s{1,3}\S{1,40})?\s{1,3}by|with\s{1,3}(?:encrypted\s{1,3})?password"
    r"|(?<![a-z_])password)\s{1,3}(?=')|identified\s{1,3}by\s{1,3}(?=\")"
)
_DOCKER_AUTH = lazy_re(
    r"(?<![A-Za-z0-9])_?auth[\"'\ue0f1-\ue0f9]?\s{0,3}[:=]\s{0,3}[\"'\ue0f1-\ue0f9]?"
    r"(?P<secret>[A-Za-z0-9+/]{8,1000}={0,2})"
)
_ORACLE_CUES = KeywordIndex(words("sqlplus oracle:thin userid=") | {"expdp ", "impdp ", "sqlldr "})
_ORACLE = lazy_re(
    r"(?i)(?:sqlplus(?:\s-[a-z]{1,8}){0,3}\s|jdbc:oracle:thin:|(?:expdp|impdp"
    r"|sqlldr)\s(?:userid=)?)[a-z][\w$#]{0,29}/(?P<secret>[^\s@\"']{3,60})@"
)
_EXPECT = lazy_re(
    r"(?i)assword[^\n]{0,60}[\n;][^\n]{0,20}send(?:\s--)?\s\"(?P<secret>(?!\$)[^\"\n\\]{3,100}?)(?:\\r|[\x0b\"])"
)
_WIFI = lazy_re(r"WIFI:(?:(?!WIFI:)[^\n]){0,100}?(?<=[:;])P:(?P<secret>[^;\n]{3,80});")
_SECURE_STRING = lazy_re(r"(?i)ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?(?=[\"'])")
_CREDENTIAL_CALL = lazy_re(
    r"(?i)(?:BasicAuth|basic_auth|HTTPBasicAuth|HTTPDigestAuth|(?<![a-z_])auth|PasswordAuthentication"
    r"|UsernamePasswordCredentials|NetworkCredential|PlainCredentials|(?:cx_Oracle|oracledb)\.connect|\.login"
    r"|\.setPassword|set_password|create_user)"
    r"\s{0,2}=?\s{0,2}\(\s{0,3}(?:(?:(?P<q>[\"'])[^\"'\n]{0,80}(?P=q)"
    r"|[A-Za-z_][A-Za-z0-9_.]{0,40})\s{0,3},\s{0,3})?(?=[\"'])"
)
_APP_PASSWORD = lazy_re(r"[a-z]{4}(?:[ -][a-z]{4}){3}")
_CALL_CUES = KeywordIndex(
    words(
        "auth( auth= authentication( credentials( credential( .login( setpassword( set_password( create_user("
        " oracle.connect( oracledb.connect("
    )
    | {"auth ="}
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
        yield from _matches(_DOCKER_AUTH, text, lower, "basic_credentials", _is_user_and_password)
    if _ORACLE_CUES.meets(lower):
        yield from _matches(_ORACLE, text, lower, "database_password", _is_given)
    if "WIFI:" in text:
        yield from _matches(_WIFI, text, lower, "wifi_password", _is_given)
    if "send" in lower:
        yield from _matches(_EXPECT, text, lower, "typed_password", _is_given)
    if "bearer" in lower:
        yield from _matches(_BEARER, text, lower, "bearer_token", _is_bearer)
    if "asic " in text:
        yield from _matches(_BASIC, text, lower, "basic_credentials", is_basic)
    if "cookie" in lower:
        yield from _find_cookies(text, lower)
    if "password" in lower:
        yield from _matches(_NETRC, text, lower, "netrc_password", _is_given)
    if "identified" in lower or "password '" in lower:
        yield from _quoted_after(_IDENTIFIED_BY, text, lower, "sql_password")
    if text.count(":") >= _COLONS_OF_PGPASS:
        yield from _matches(_PGPASS, text, lower, "pgpass_password", _is_given)
    if _USER_COMMAND_CUES.meets(lower):
        yield from _find_user_flags(text, lower)
    if _COMMANDS.meets(lower):
        yield from _find_command_flags(text, lower)
    if "securestring" in lower:
        yield from _quoted_after(_SECURE_STRING, text, lower, "secure_string")
    if _CALL_CUES.meets(lower):
        yield from _quoted_after(_CREDENTIAL_CALL, text, lower, "credential_argument")
    if "secret" in lower and "kind" in lower and _SECRET_MANIFEST.search(text):
        yield from _find_manifest_values(text)


def _is_random_key(value: str) -> bool:
    return looks_random(value, allow_hex=True)


def _is_given(value: str) -> bool:
    return not is_placeholder(value)


def _is_bearer(value: str) -> bool:
    if is_placeholder(value):
        return False
    return looks_random(value, allow_hex=True) or (any(c.isdigit() for c in value) and has_password_marks(value))


def is_basic(value: str) -> bool:
    """Tell whether ``value`` is ``user:password`` in Base64, or at least looks machine-made."""
    if is_placeholder(value):
        return False
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return looks_random(value)
    return (b":" in decoded and decoded.isascii()) or looks_random(value)


def _is_user_and_password(value: str) -> bool:
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return decoded.isascii() and re.fullmatch(rb"[!-~]{1,200}:[ -~]{1,500}", decoded) is not None


def _matches(
    pattern: re.Pattern[str], text: str, lower: Lowered, kind: str, accept: Callable[[str], bool]
) -> Iterator[Span]:
    for match in matches(pattern, text, lower):
        if accept(match["secret"]):
            yield _span(*match.span("secret"), kind)


def _quoted_after(pattern: re.Pattern[str], text: str, lower: Lowered, kind: str) -> Iterator[Span]:
    for match in matches(pattern, text, lower):
        value = value_at(text, match.end())
        if value and value.quoted and not is_placeholder(text[value.start : value.end]):
            found = text[value.start : value.end]
            is_marked = has_password_marks(found) or looks_random(found, allow_hex=True)
            if kind != "credential_argument" or is_marked or _APP_PASSWORD.fullmatch(found):
                yield _span(value.start, value.end, kind)


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
    for match in matches(_AUTH_HEADER, text, lower):
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
    for header in matches(_COOKIE_HEADER, text, lower):
        for match in _COOKIE.finditer(text, *header.span("jar")):
            name, value = match["name"], match["value"]
            if name.lower() in _COOKIE_ATTRIBUTES or is_placeholder(value):
                continue
            named = bool(_COOKIE_NAMES.search(name)) or sensitivity(name) >= Sensitivity.WEAK
            if (named and len(value) >= 6) or looks_random(value, allow_hex=True):
                yield _span(*match.span("value"), "cookie")


def _find_user_flags(text: str, lower: Lowered) -> Iterator[Span]:
    yield from _matches(_KEY_AS_USER, text, lower, "command_password", _is_random_key)
    for match in matches(_USER_FLAG, text, lower):
        line = text[max(0, match.start() - 400) : match.start()]
        if not any(command in line for command in _USER_COMMANDS) or (
            match["secret"].isdigit() and match["user"].isdigit()
        ):
            continue
        if not is_placeholder(match["secret"]):
            yield _span(*match.span("secret"), "command_password")


def _find_command_flags(text: str, lower: Lowered) -> Iterator[Span]:
    for match in matches(_COMMAND_FLAG, text, lower):
        value = value_at(text, match.end())
        if value is None:
            continue
        found = text[value.start : value.end]
        name = match.lastgroup
        if is_placeholder(found) or found.startswith("-") or (name == "spaced" and found.isdigit() and len(found) <= 5):
            continue
        if name in ("netuse", "vault") and not (has_password_marks(found) or looks_random(found, allow_hex=True)):
            continue
        if name in ("spaced", "glued") and found.isupper() and found.isalpha():
            continue
        yield _span(value.start, value.end, "command_password")


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
