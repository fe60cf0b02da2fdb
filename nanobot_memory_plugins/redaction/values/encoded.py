"""Secrets inside another writing: Base64 of a text that holds one, wallet keys with a checksum, JSON Web Keys."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import API_KEY, PRIVATE_KEY, RANK_KEYED, REDACTED, Span

_BASE64 = lazy_re(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,4096}+={0,2}(?![A-Za-z0-9+/=_-])")
_WALLET = lazy_re(r"(?<![A-Za-z0-9])[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_WEB_KEY_PART = lazy_re(
    r"(?<![A-Za-z0-9_])(?:d|p|q|dp|dq|qi|k)[\"'\ue0f1-\ue0f9]\s{0,3}:\s{0,3}[\"'\ue0f1-\ue0f9]"
    r"(?P<secret>[A-Za-z0-9_-]{20,2000})"
)
_LONGEST_NESTED = 4096


def find_encoded(text: str, holds_secret: Callable[[str], bool]) -> Iterator[Span]:
    """Find encoded secrets in the folded ``text``; ``holds_secret`` judges what a Base64 text decodes to."""
    for match in _BASE64.finditer(text):
        decoded = _decoded(match.group())
        if decoded is not None and holds_secret(decoded):
            yield Span(*match.span(), "encoded_secret", REDACTED, RANK_KEYED)
    for match in _WALLET.finditer(text):
        if _has_base58_checksum(match.group()):
            yield Span(*match.span(), "wallet_key", PRIVATE_KEY, RANK_KEYED)
    if "kty" in text:
        for match in _WEB_KEY_PART.finditer(text):
            yield Span(*match.span("secret"), "web_key", API_KEY, RANK_KEYED)


def _decoded(run: str) -> str | None:
    """Give the text that ``run`` is the Base64 of, or None when it is none. Nearly all runs fail on their beginning."""
    standard = run.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        if not _is_text(base64.b64decode(standard[:12])):
            return None
        decoded = base64.b64decode(standard + "=" * (-len(standard) % 4))
    except (binascii.Error, ValueError):
        return None
    return decoded.decode("ascii") if _is_text(decoded) and len(decoded) <= _LONGEST_NESTED else None


def _is_text(data: bytes) -> bool:
    return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in data)


def _has_base58_checksum(key: str) -> bool:
    """Base58Check: the last four bytes are the beginning of the double SHA-256 of the rest."""
    number = 0
    for char in key:
        number = number * 58 + _BASE58.index(char)
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]
