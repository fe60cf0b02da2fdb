"""What English and Chinese sentences that tell a secret have in common."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.effort import remembered
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import RANK_KEYED, REDACTED, Span
from nanobot_memory_plugins.redaction.values.value_shapes import has_password_marks, is_placeholder, looks_random

Q = "\"'`\ue0f1-\ue0f9"
"""Every quote of the folded view, for a character class."""
_TECHNICAL = lazy_re(
    r"(?i)base(?:16|32|58|64)|sha-?(?:1|2|3|224|256|384|512)|md[45]|utf-?(?:8|16)|aes(?:-?(?:128|192"
    r"|256))?(?:-[a-z]{3})?|rsa-?\d{4}|oauth-?2?(?:\.0)?|http/?[123s]?(?:\.\d)?|ipv[46]|argon2(?:id|i|d)?"
    r"|pbkdf2"
    r"|[hrep]s(?:256|384|512)|ed25519|x\.?509|pkcs-?#?\d{1,2}|web3|1password|totp|k8s|s3|ec2"
    r"|v?\d{1,3}(?:\.\d{1,4}){1,3}|(?:\d{1,2}:)?v?\d{1,8}(?:\.\d{1,8}){1,4}(?:[-+~][a-z0-9.]{1,16}){0,3}"
    r"|(?:[a-z]{1,3})?[$€£¥](?!0\d)\d[\d,.]{0,15}|gpt-?\d[\w.-]*|\d{1,5}[a-z]{1,3}|[a-z]{1,4}-?\d{1,2}|\d{4}-\d{2}-\d{2}.*"
    r"|[a-z_.]+\(\)?"
)
CODE_STEMS = lazy_re(
    r"(?i).*(?:code|otp|pin|验证码|校验码|安全码|动态码|提取码|访问码|授权码|邀请码|通行码|支付码|解压码|短信码)"
)
"""Names of codes, which are short and mostly digits."""

_QUALIFIED = lazy_re(
    r"(?i)(?<![A-Za-z])(?:public|primary|foreign|cache|partition|sort|fingerprint|host|idempotency|registry|hot"
    r"|shortcut"
    r"|object|map|next|max|total|prompt|per|hash|row|dict|json|i18n)[ _-]$|公$|主$|外$|缓存$|加$"
)
_ENDS_OF_QUALIFIERS = (" ", "_", "-", "公", "主", "外", "缓存", "加")
_RESOURCE = lazy_re(r"(?:arn:|\{\{resolve:)[^\s]{0,80}\Z")
_PATH = lazy_re(r"[/~.][\w./-]*|[\w-]+(?:/[\w.-]+)+")
_PROGRAM_TEXT = lazy_re(
    r"[A-Za-z_][\w.]*(?:\(|={2,3}).*|--?[A-Za-z].*|(?:[a-z_][a-z0-9_.]*|[A-Z_][A-Z0-9_]*|[A-Z]?[a-z]+"
    r"(?:[A-Z][a-z]+)*)=.*"
    r"|@[\w./-]+"
)


def told_span(start: int, end: int) -> Span:
    """Give the finding of a secret that a sentence tells."""
    return Span(start, end, "told_secret", REDACTED, RANK_KEYED)


@remembered
def is_technical(found: str) -> bool:
    """Tell whether ``found`` is a placeholder or a term that sentences about secrets use: ``SHA-256``, ``v1.2``."""
    return is_placeholder(found) or bool(_TECHNICAL.fullmatch(found.rstrip("?!.,;:")))


def is_qualified(text: str, at: int) -> bool:
    """Tell whether the word before ``at`` makes another thing of the next one: ``public key``, ``next token``."""
    before = text[max(0, at - 14) : at]
    return before.removesuffix("\n").endswith(_ENDS_OF_QUALIFIERS) and bool(_QUALIFIED.search(before))


def names_resource(text: str, at: int) -> bool:
    """Tell whether ``at`` lies in the name of a resource, which is no secret: ``arn:aws:secretsmanager:...``."""
    before = text[max(0, at - 80) : at]
    return ("arn:" in before or "{{resolve:" in before) and bool(_RESOURCE.search(before))


@remembered
def is_told(found: str) -> bool:
    """Tell whether a bare word of a sentence is a password: it has marks of one, and is no term, code or path."""
    if not has_password_marks(found) or _TECHNICAL.fullmatch(found):
        return False
    if _PATH.fullmatch(found):
        return looks_random(found)  # a path, unless it is Base64
    return not _PROGRAM_TEXT.fullmatch(found)
