"""Credentials in URLs, Authorization headers, cookies, Kubernetes manifests and Base64.

And blocks of key material: PEM, PGP, SSH2, PuTTY; complete, escaped into one line, or cut at either end.
"""

import base64
import re
from collections.abc import Iterator

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex, LowercaseText, words
from nanobot_memory_plugins.redaction.rules.rule import (
    PRIVATE_KEY,
    RANK_BLOCK,
    RANK_KEYED,
    REDACTED,
    Span,
    resolve_overlaps,
)
from nanobot_memory_plugins.redaction.values.key_names import Sensitivity, sensitivity
from nanobot_memory_plugins.redaction.values.value_shapes import is_placeholder, looks_random

_URL_USER = lazy_re(r"[A-Za-z][A-Za-z0-9+.-]{0,40}+://(?P<user>[^\s:@/\"'`<>\\]{0,256}+)(?P<colon>:)?")
_URL_PASSWORD = lazy_re(r"[^\s\"'`<>\ue0f1-\ue0f9]{1,1024}")
_PORT_OR_VARIABLE = lazy_re(r"[0-9]{1,5}|[\w.-]*\$?\{.*")
_HOST = lazy_re(r"[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?(?:[/?,]|$)")
_AUTH_HEADER = lazy_re(
    r"""(?xi)
    (?<![A-Za-z0-9]) (?:proxy-|x-)?(?:authorization|authentication) ["'\ue0f1-\ue0f9\])]{0,3} \s{0,4} [:=,]
      \s{0,4} ["'\ue0f1-\ue0f9]{0,2}
    (?P<scheme> (?:basic|bearer|token|digest|negotiate|ntlm|apikey|api-key|key|aws4-hmac-sha256|hawk|oauth|hmac
      |signature|bot|ssws|genie-?key|splunk|discourse|klaviyo-api-key|sso-key)\s{1,4} )?
    (?P<secret> (?-i:[^\s"'`,;<>\u2e80-\uffef]){4,8192} )
    """
)
_PARAMETER_SCHEMES = words("digest aws4-hmac-sha256 hawk oauth signature hmac")
_SINGLE_SECRET_SCHEMES = words("basic bearer token negotiate ntlm ssws bot apikey key")
_PARAMETER = lazy_re(
    r"(?i)(?<![A-Za-z0-9_])(?:signature|response|oauth_token|oauth_signature|oauth_consumer_key|credential|mac|cnonce)"
    r"\s{0,2}=\s{0,2}\"?(?P<secret>[^\s\",;]{8,4096})"
)
_COOKIE_HEADER = lazy_re(
    r"(?i)(?<![A-Za-z0-9_])(?:set-)?cookie[\"'\ue0f1-\ue0f9\])]{0,3}\s{0,3}[:=]\s{0,3}[\"'\ue0f1-\ue0f9]?"
    r"(?P<jar>[^\n\x0b\"\ue0f1-\ue0f9]{3,8192})"
)
_COOKIE = lazy_re(r"(?<![^;\s,'{])(?P<name>[A-Za-z0-9_.$!%*^|~-]{1,100})=(?P<value>[^\s;,'\"]{1,4096})")
_COOKIE_ATTRIBUTES = words("path domain expires max-age samesite secure httponly version priority partitioned")
_COOKIE_NAMES = lazy_re(
    r"(?i)sess|sid(?![a-z])|auth|token|jwt|login|remember|csrf|xsrf|secret|ticket|credential|identity|access"
    r"|refresh|sso|passport|_key|pass"
)
_MANIFEST = lazy_re(r"(?m)^[ \t\"']{0,8}kind[\"']?:[ \t]{0,3}[\"']?Secret(?:List)?[\"']?[ \t]*,?$")
_MANIFEST_DATA = lazy_re(
    r"(?m)^(?P<indent>[ \t]{0,20})[\"']?(?:(?P<plain>stringData)|data)[\"']?:[ \t]*\{?[ \t]*\n(?P<body>(?:"
    r"(?P=indent)[ \t]{1,8}[^\n]{1,5000}(?:\n|$)){1,200})"
)
_MANIFEST_ITEM = lazy_re(
    r"(?m)^[ \t]+[\"']?(?P<name>[A-Za-z0-9_.-]{1,200})[\"']?:[ \t]+[\"']?(?P<secret>[^\s#|>\"'][^\n]{0,5000}?)"
    r"[\"']?[ \t]*,?$"
)
BASE64 = lazy_re(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,4096}+={0,2}(?![A-Za-z0-9+/=_-])")
_LONGEST_NESTED = 4096
CREDENTIAL_CUES = KeywordIndex(("://", "auth", "cookie", "secret"))
"""Every place for credentials contains one of these words."""
# "Static key V1" is OpenVPN's. Certificates and public keys are not secret.
_NAME = r"(?:[A-Z0-9][A-Z0-9 ]{0,40}?)?(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)"
_BEGIN = lazy_re(rf"-{{4,5}} ?BEGIN {_NAME} ?-{{4,5}}")
_END = lazy_re(rf"-{{4,5}} ?END {_NAME} ?-{{4,5}}")
# Separators between pieces of a block: real or escaped line breaks, quotes, string operators, margins.
_GAP = r"(?:[\s\"'`,+>|#;\\ ]|\\[nrt])"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Key-Derivation|X-[A-Za-z-]{1,30}):[^\n\\]{0,200}"
_PIECE = r"[A-Za-z0-9+/]{16,100000}={0,2}"
_BODY = lazy_re(rf"(?:{_GAP}{{0,80}}+(?:{_HEADER}|{_PIECE})){{0,2000}}+")
_LAST_PIECE = lazy_re(rf"{_GAP}{{1,20}}[A-Za-z0-9+/]{{1,15}}(?:={{1,2}}|(?=\s{{0,3}}\Z))")
_TAIL_PIECES = lazy_re(r"[A-Za-z0-9+/]{1,100}={0,2}")
_PUTTY_PRIVATE = lazy_re(
    r"Private-Lines:\s{0,3}\d{1,4}(?P<secret>(?:(?:\s|\\[nr]){1,6}(?!Private-MAC)[A-Za-z0-9+/=]{4,80}){1,200}(?:(?:\s"
    r"|\\[nr]){1,6}Private-MAC:\s{0,3}[0-9a-f]{8,128})?)"
)
KEY_BLOCK = re.compile(r"PRIVATE KEY|OpenVPN Static key|Private-Lines:")
"""Every key block contains one of these."""
_LONGEST_BLOCK = 200_000
_LONGEST_TAIL = 8192


def find_credentials(text: str, lower: LowercaseText) -> Iterator[Span]:
    """Find credentials by their place in the folded ``text``; ``lower`` is the same text in lower case."""
    if "://" in text:
        yield from _find_in_urls(text)
    if "auth" in lower:
        yield from _find_authorization(text)
    if "cookie" in lower:
        yield from _find_cookies(text)
    if "secret" in lower and "kind" in lower and _MANIFEST.search(text):
        yield from _find_in_manifests(text)


def _span(start: int, end: int, kind: str) -> Span:
    return Span(start, end, kind, REDACTED, RANK_KEYED)


def _find_in_urls(text: str) -> Iterator[Span]:
    for match in _URL_USER.finditer(text):
        at, user = match.end(), match["user"]
        if match["colon"]:
            run = _URL_PASSWORD.match(text, at)
            end = _end_of_userinfo(run.group()) if run else 0
            if run and end > 0 and "[" not in run.group()[:end] and not is_placeholder(run.group()[:end]):
                yield _span(at, at + end, "url_password")
        elif text.startswith("@", at) and _is_token(user) and "ssh" not in match.group()[:12]:
            yield _span(*match.span("user"), "url_token")


def _is_token(user: str) -> bool:
    return looks_random(user, allow_hex=True) and not is_placeholder(user)


def _end_of_userinfo(run: str) -> int:
    """Return the end of the password in ``password@host/...``, or 0 without a password.

    Passwords are often not escaped, so the last ``@`` before the path counts. A ``/`` or ``?`` belongs to the password
    if the text before it cannot be a port.
    """
    at = run.find("@")
    head = re.split(r"[/?#]", run, maxsplit=1)[0]
    if at > 0 and "@" in head:
        return head.rfind("@")
    return at if at > 0 and not _PORT_OR_VARIABLE.fullmatch(head) and _HOST.match(run[at + 1 :]) else 0


def _find_authorization(text: str) -> Iterator[Span]:
    for match in _AUTH_HEADER.finditer(text):
        start, scheme = match.start("secret"), (match["scheme"] or "").strip().lower()
        if scheme in _PARAMETER_SCHEMES:
            line_end = text.find("\n", start, start + 4096)
            stop = line_end if line_end >= 0 else min(len(text), start + 4096)
            for part in _PARAMETER.finditer(text, match.end("scheme"), stop):
                if not is_placeholder(part["secret"]):
                    yield _span(*part.span("secret"), "authorization")
            continue
        found = match["secret"].rstrip(")]}")
        is_word = found.isalpha() and found.islower() and len(found) < 16
        is_secret = not is_word if scheme in _SINGLE_SECRET_SCHEMES else looks_random(found, allow_hex=True, minimum=12)
        if is_secret and not is_placeholder(found):
            yield _span(start, start + len(found), "authorization")


def _find_cookies(text: str) -> Iterator[Span]:
    for header in _COOKIE_HEADER.finditer(text):
        for match in _COOKIE.finditer(text, *header.span("jar")):
            name, value = match["name"], match["value"]
            is_other = name.lower() in _COOKIE_ATTRIBUTES or is_placeholder(value)
            is_secret_name = bool(_COOKIE_NAMES.search(name)) or sensitivity(name) >= Sensitivity.WEAK
            if not is_other and ((is_secret_name and len(value) >= 6) or looks_random(value, allow_hex=True)):
                yield _span(*match.span("value"), "cookie")


def _find_in_manifests(text: str) -> Iterator[Span]:
    for block in _MANIFEST_DATA.finditer(text):
        for item in _MANIFEST_ITEM.finditer(text, *block.span("body")):
            value = item["secret"]
            is_readable = block["plain"] and sensitivity(item["name"]) is Sensitivity.NONE
            is_not_secret = value in ("{", "[") or is_placeholder(value)
            if not is_not_secret and (not is_readable or looks_random(value, allow_hex=True)):
                yield _span(*item.span("secret"), "manifest_secret")


def decoded_text(run: str) -> str:
    """Return the text that the Base64 ``run`` encodes, or "". Nearly all runs fail on their first characters."""
    standard = run.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        if not _is_text(base64.b64decode(standard[:12])):
            return ""
        decoded = base64.b64decode(standard + "=" * (-len(standard) % 4))
    except ValueError:
        return ""
    return decoded.decode("ascii") if _is_text(decoded) and len(decoded) <= _LONGEST_NESTED else ""


def _is_text(data: bytes) -> bool:
    return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in data)


def find_key_blocks(text: str) -> list[Span]:
    """Return the private key blocks of the original (unfolded) ``text``, in order and without overlaps."""
    putty = (_key_block(*match.span("secret")) for match in _PUTTY_PRIVATE.finditer(text))
    return resolve_overlaps([*_find_pem(text), *putty])


def _key_block(start: int, end: int) -> Span:
    return Span(start, end, "private_key", PRIVATE_KEY, RANK_BLOCK)


def _find_pem(text: str) -> Iterator[Span]:
    done = 0
    closing = _END.search(text)
    opening = _BEGIN.search(text)
    while opening is not None or closing is not None:
        if closing is not None and (opening is None or closing.start() < opening.start()):
            # A block whose beginning was cut off.
            start = _start_of_cut_block(text, closing.start(), done)
            if start < closing.start():
                yield _key_block(start, closing.end())
            done = closing.end()
            closing = _END.search(text, done)
            continue
        if opening is None:
            break  # unreachable: one of the two was found
        following = _BEGIN.search(text, opening.end())
        whole = (
            closing is not None
            and closing.start() - opening.end() <= _LONGEST_BLOCK
            and (following is None or closing.start() < following.start())
            and re.search(r"[A-Za-z0-9+/=]{16}", text[opening.end() : closing.start()]) is not None
        )
        if whole and closing is not None:
            end = closing.end()
            closing = _END.search(text, end)
            if following is not None and following.start() < end:
                following = _BEGIN.search(text, end)
        else:
            body = _BODY.match(text, opening.end())
            end = body.end() if body else opening.end()
            last = _LAST_PIECE.match(text, end)
            end = last.end() if last and end > opening.end() else end
        if end > opening.end():
            yield _key_block(opening.start(), end)
        done = end
        opening = following


def _start_of_cut_block(text: str, end: int, floor: int) -> int:
    """Return the start of the Base64 lines before ``end``, or ``end`` if there are none."""
    window = max(floor, end - _LONGEST_TAIL)
    start = end
    longest = 0
    pieces = list(re.finditer(r"[^\s\"'`,>|#;\\]+|\\[nrt]", text[window:end]))
    for number, piece in enumerate(reversed(pieces)):
        found = piece.group()
        if found in ("\\n", "\\r", "\\t"):
            continue
        if not _TAIL_PIECES.fullmatch(found) or (number > 1 and len(found) < 16):
            break
        start = window + piece.start()
        longest = max(longest, len(found))
    return start if longest >= 16 else end
