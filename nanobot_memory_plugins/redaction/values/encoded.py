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
# Both primes of an RSA key, where the part that says what it is was cut off.
_PRIMES = lazy_re(
    r"[\"\ue0f1-\ue0f9]p[\"\ue0f1-\ue0f9]\s{0,3}:\s{0,3}[\"\ue0f1-\ue0f9][A-Za-z0-9_-]{40,1000}[\"\ue0f1-\ue0f9],\s{0,20}[\"\ue0f1-\ue0f9]q[\"\ue0f1-\ue0f9]"
)
# An Ethereum key, beside a word for one; hashes of blocks and transactions have the same shape.
_HEX_KEY = lazy_re(r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{64}(?![0-9A-Za-z])")
_KEY_BESIDE = lazy_re(r"(?i)private|wallet|signer|secret|accounts")
_HASH_BESIDE = lazy_re(r"(?i)(?<![a-z])(?:tx|transaction|hash|block|root|topic|digest|commitment|proof)")
_KEYPAIR_BESIDE = lazy_re(r"(?i)secret|private|keypair|wallet|solana|id\.json")
# A Solana keypair: 64 bytes as numbers.
_BYTES_KEY = lazy_re(r"(?<![0-9,] )\[\s{0,4}(?P<secret>(?:[0-9]{1,3},\s{0,4}){63}[0-9]{1,3})\s{0,4}\]")
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
    if "0x" in text:
        for match in _HEX_KEY.finditer(text):
            before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 40]
            if (_KEY_BESIDE.search(before) or _KEY_BESIDE.search(after)) and not _HASH_BESIDE.search(before[-24:]):
                yield Span(*match.span(), "wallet_key", PRIVATE_KEY, RANK_KEYED)
    if "[" in text and "," in text:
        for match in _BYTES_KEY.finditer(text):
            around = text[max(0, match.start() - 60) : match.start()] + text[match.end() : match.end() + 40]
            if all(int(number) < 256 for number in match["secret"].split(",")) and _KEYPAIR_BESIDE.search(around):
                yield Span(*match.span("secret"), "wallet_key", PRIVATE_KEY, RANK_KEYED)
    if "kty" in text or _PRIMES.search(text):
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
