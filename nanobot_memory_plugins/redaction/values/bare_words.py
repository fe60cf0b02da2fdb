"""Judging a bare word of a sentence: a password, or a technical term, a product, a host, a time."""

from enum import IntEnum
from functools import lru_cache

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.values.value_shapes import (
    has_password_marks,
    is_code,
    is_hash_like,
    is_ordinary,
    is_placeholder,
    looks_random,
)

# Technical terms in sentences about secrets. Names of algorithms are handled by `is_placeholder`.
_TECHNICAL = lazy_re(
    r"(?i)web3|1password\d*|k8s|s3|ec2"
    r"|v?\d{1,3}(?:\.\d{1,4}){1,3}|(?:\d{1,2}:)?v?\d{1,8}(?:\.\d{1,8}){1,4}(?:[-+~][a-z0-9.]{1,16}){0,3}"
    r"|(?:[a-z]{1,3})?[$€£¥](?!0\d)\d[\d,.]{0,15}|gpt-?\d[\w.-]*|\d{1,5}[a-z]{1,3}|[a-z]{1,4}-?\d{1,2}"
    r"|\d{4}-\d{2}-\d{2}.*|[a-z_.]+\(\)?"
)
_PATH = lazy_re(r"[/~.][\w./-]*|[\w-]+(?:/[\w.-]+)+")
_PRODUCT = lazy_re(
    r"(?i)[a-z]+-?(?:\d{1,3}|(?:19|20)\d{2})[.,:;?)]*|\d+[a-z]+|[a-z]+[-_]?v?\d+(?:[._]\d+)+(?:[a-z]+\d*)?"
    r"|(?:[a-z0-9]+-)+(?:\d{1,2}|v\d+)|[a-z]+-\d+(?:-[a-z0-9]+)*"
)
_HOST = lazy_re(r"(?:[A-Za-z0-9_-]+\.)+(?:[a-z]{2,24}|[A-Z]{2,24})(?::\d+)?[.,:;!?)]*|\d+(?:\.\d+){3}(?::\d+)?")
_SYMBOL = lazy_re(r"[!@#$%^&*?~+=](?!$)|[!@#$%^&*~+=]")
# Passwords that password managers suggest: "huwtyf-9xikge-bamQed".
_SUGGESTED = lazy_re(r"[A-Za-z0-9]{5,8}(?:-[A-Za-z0-9]{5,8}){2,5}")
_NOT_SECRET = lazy_re(
    r"(?i)ssh-\S*|&#?[a-z0-9]{2,8};.*|AAAA[A-Z]\S*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?-i:[a-z_][a-z0-9._-]*@[a-z][a-z0-9.-]*)|[a-z]{2,20}://.*"
    r"|www\..*|[\w.-]+/[\w./-]*|.*\.(?:[a-z]{2,4}|[a-z][a-z0-9]{1,3})|[a-z_.-]+=.*|[A-Za-z_][\w.-]*=[A-Za-z0-9\"'].*"
    r"|.*[;&].*=.*|.*[\[\]{}<>|\\].*|.*\(|(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|--?[a-z].*|\d+-[a-z]+|\d+#.*|[#@]\S*|[$€£].*|v?\d+(?:[.x]\d*)+.*"
    r"|\d+(?:st|nd|rd|th|am|pm|px|gb|mb|kb|ms|km|kg|min|h|%)|[a-z]\d{1,3}|\d{1,4}[-/.]\d{1,4}[-/.]\d{1,4}.*"
    r"|\d+[:.]\d+.*|(?-i:[A-Z]{2,10}-\d+)|(?:sha|md|aes|rsa|utf|iso|rfc|cve|ipv|http|tls)-?\d.*"
)
# Joined words and a number: "ottercrystal949". One word and a number is more often a product.
_RUN_TOGETHER = lazy_re(r"[A-Z]?[a-z]{9,24}[0-9]{2,4}")
# Words with digits for letters, words and a number, or a word and a year: "k1ttens", "Blue-Canoe-7", "Schnitzel1988".
_WORDS_AND_NUMBER = lazy_re(
    r"[A-Za-z]{1,12}[0-9]{1,2}[A-Za-z]{1,12}(?:[0-9]{1,2}[A-Za-z]{1,12}){0,3}[0-9]{0,4}"
    r"|[A-Za-z]{3,14}(?:[-_.][A-Za-z]{3,14}){1,6}[-_.]?[0-9]{1,4}[!#*]?|[A-Za-z]{3,14}(?:[-_.][A-Za-z0-9]{1,14}){2,6}"
    r"|[A-Za-z]{4,24}[-_.]?[0-9]{2,5}[!#*]?|[a-z]{3,12}[0-9]{3,6}"
)
_PASSWORD_MARK = lazy_re(r"[!#$%^*@](?=.)")
_PARTS = lazy_re(r"[-_.:,;]")
_INNER_SYMBOL = lazy_re(r"[!@#$%^&*?~+=_](?=.)|[!@#$%^&*]\Z")


class Likeness(IntEnum):
    """How much a word looks like a password."""

    NONE = 0
    WORDS = 1
    """Words and a number, as people choose for passwords."""
    MIXED = 2
    """Letters mixed with digits or symbols, unlike any word."""
    STRONG = 3
    """All signs of a password."""


@lru_cache(maxsize=256)
def is_technical(word: str) -> bool:
    """Return whether ``word`` is a placeholder or a term that sentences about secrets use: ``SHA-256``, ``v1.2``."""
    return is_placeholder(word) or bool(_TECHNICAL.fullmatch(word.rstrip("?!.,;:")))


@lru_cache(maxsize=256)
def is_bare_secret(word: str) -> bool:
    """Return whether a bare word has the signs of a password, and is not a technical term or a path."""
    is_path = _PATH.fullmatch(word) and not looks_random(word)  # Base64 may look like a path
    return has_password_marks(word) and not (is_path or is_technical(word))


def is_host(word: str) -> bool:
    """Return whether ``word`` is a host name or an IP address."""
    return bool(_HOST.fullmatch(word))


@lru_cache(maxsize=256)
def password_likeness(word: str) -> Likeness:
    """Return how much ``word`` looks like a password."""
    is_word = len(word) >= 6 and word.isascii() and any(map(str.isalpha, word))
    if not is_word or _NOT_SECRET.fullmatch(word[:128]) or is_technical(word) or is_host(word) or is_hash_like(word):
        return Likeness.NONE
    digits = any(map(str.isdigit, word))
    if is_bare_secret(word) and digits and not _PRODUCT.fullmatch(word):
        if _is_strong(word):
            return Likeness.STRONG
        if len(word) >= 8:
            return Likeness.MIXED
    if _RUN_TOGETHER.fullmatch(word) or (_is_mixed(word) if digits else _has_case_and_mark(word)):
        return Likeness.MIXED
    return Likeness.WORDS if _WORDS_AND_NUMBER.fullmatch(word) and not word.isupper() else Likeness.NONE


def _is_strong(word: str) -> bool:
    if _SUGGESTED.fullmatch(word) and not is_hash_like(word.replace("-", "")):
        return sum(any(map(str.isdigit, part)) for part in word.split("-")) >= 2
    symbol = bool(_SYMBOL.search(word))
    is_plain = not symbol and (is_code(word, "") or all(map(is_ordinary, _PARTS.split(word))))
    return not is_plain and any(map(str.islower, word)) + any(map(str.isupper, word)) + 1 + symbol >= 3


def _has_case_and_mark(word: str) -> bool:
    """Return whether ``word``, which has no digits, has upper and lower case and a symbol inside."""
    has_case = any(map(str.isupper, word)) and any(map(str.islower, word))
    return len(word) >= 8 and has_case and bool(_PASSWORD_MARK.search(word))


def _is_mixed(word: str) -> bool:
    """Return whether ``word``, which has digits, also has symbols, or capitals inside."""
    capital = any(map(str.isupper, word[1:])) and word.isalnum() and any(map(str.islower, word))
    symbol = bool(_INNER_SYMBOL.search(word)) and not _PRODUCT.fullmatch(word)
    return len(word) >= 7 and sum(map(str.isalpha, word)) >= 2 and (symbol or capital)
