"""What a bare word of a sentence looks like: a password, or a term, a product, a host, a time."""

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

# Terms of sentences about secrets; those of algorithms are no values anywhere.
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
# What password managers suggest: "huwtyf-9xikge-bamQed".
_SUGGESTED = lazy_re(r"[A-Za-z0-9]{5,8}(?:-[A-Za-z0-9]{5,8}){2,5}")
_NO_VALUE = lazy_re(
    r"(?i)ssh-\S*|&#?[a-z0-9]{2,8};.*|AAAA[A-Z]\S*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?-i:[a-z_][a-z0-9._-]*@[a-z][a-z0-9.-]*)|[a-z]{2,20}://.*"
    r"|www\..*|[\w.-]+/[\w./-]*|.*\.(?:[a-z]{2,4}|[a-z][a-z0-9]{1,3})|[a-z_.-]+=.*|[A-Za-z_][\w.-]*=[A-Za-z0-9\"'].*"
    r"|.*[;&].*=.*|.*[\[\]{}<>|\\].*|.*\(|(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)|--?[a-z].*|\d+-[a-z]+|\d+#.*|[#@]\S*|[$€£].*|v?\d+(?:[.x]\d*)+.*"
    r"|\d+(?:st|nd|rd|th|am|pm|px|gb|mb|kb|ms|km|kg|min|h|%)|[a-z]\d{1,3}|\d{1,4}[-/.]\d{1,4}[-/.]\d{1,4}.*"
    r"|\d+[:.]\d+.*|(?-i:[A-Z]{2,10}-\d+)|(?:sha|md|aes|rsa|utf|iso|rfc|cve|ipv|http|tls)-?\d.*"
)
# Words run together, and a number: "ottercrystal949". One word and a number is more often a product.
_RUN_TOGETHER = lazy_re(r"[A-Z]?[a-z]{9,24}[0-9]{2,4}")
# Letters written as digits, words and a number, or a word and a year: "k1ttens", "Blue-Canoe-7", "Schnitzel1988".
_OF_WORDS = lazy_re(
    r"[A-Za-z]{1,12}[0-9]{1,2}[A-Za-z]{1,12}(?:[0-9]{1,2}[A-Za-z]{1,12}){0,3}[0-9]{0,4}"
    r"|[A-Za-z]{3,14}(?:[-_.][A-Za-z]{3,14}){1,6}[-_.]?[0-9]{1,4}[!#*]?|[A-Za-z]{3,14}(?:[-_.][A-Za-z0-9]{1,14}){2,6}"
    r"|[A-Za-z]{4,24}[-_.]?[0-9]{2,5}[!#*]?|[a-z]{3,12}[0-9]{3,6}"
)
_MARK_OF_PASSWORD = lazy_re(r"[!#$%^*@](?=.)")
_PARTS = lazy_re(r"[-_.:,;]")
_INNER_SYMBOL = lazy_re(r"[!@#$%^&*?~+=_](?=.)|[!@#$%^&*]\Z")


class Looks(IntEnum):
    """How much a word looks like a secret."""

    NONE = 0
    WORDS = 1
    """Words and a number, as people choose them."""
    MIXED = 2
    """Letters and digits, or marks among them, as in no word."""
    STRONG = 3
    """Every mark of a password."""


@lru_cache(maxsize=256)
def is_technical(found: str) -> bool:
    """Tell whether ``found`` is a placeholder or a term that sentences about secrets use: ``SHA-256``, ``v1.2``."""
    return is_placeholder(found) or bool(_TECHNICAL.fullmatch(found.rstrip("?!.,;:")))


@lru_cache(maxsize=256)
def is_bare_secret(found: str) -> bool:
    """Tell whether a bare word of a sentence is a password: it has marks of one, and is no term, code or path."""
    is_path = _PATH.fullmatch(found) and not looks_random(found)  # which Base64 may look like
    return has_password_marks(found) and not (is_path or is_technical(found))


def is_host(found: str) -> bool:
    """Tell whether ``found`` is the name or the address of a machine."""
    return bool(_HOST.fullmatch(found))


@lru_cache(maxsize=256)
def looks(found: str) -> Looks:
    """Tell how much ``found`` looks like a password."""
    is_word = len(found) >= 6 and found.isascii() and any(map(str.isalpha, found))
    if not is_word or _NO_VALUE.fullmatch(found[:128]) or is_technical(found) or is_host(found) or is_hash_like(found):
        return Looks.NONE
    digits = any(map(str.isdigit, found))
    if is_bare_secret(found) and digits and not _PRODUCT.fullmatch(found):
        if _is_strong(found):
            return Looks.STRONG
        if len(found) >= 8:
            return Looks.MIXED
    if _RUN_TOGETHER.fullmatch(found) or (_is_mixed(found) if digits else _is_marked(found)):
        return Looks.MIXED
    return Looks.WORDS if _OF_WORDS.fullmatch(found) and not found.isupper() else Looks.NONE


def _is_strong(found: str) -> bool:
    if _SUGGESTED.fullmatch(found) and not is_hash_like(found.replace("-", "")):
        return sum(any(map(str.isdigit, part)) for part in found.split("-")) >= 2
    symbol = bool(_SYMBOL.search(found))
    is_plain = not symbol and (is_code(found, "") or all(map(is_ordinary, _PARTS.split(found))))
    return not is_plain and any(map(str.islower, found)) + any(map(str.isupper, found)) + 1 + symbol >= 3


def _is_marked(found: str) -> bool:
    """Tell whether ``found``, which has no digits, has capitals, small letters and a mark among them."""
    has_case = any(map(str.isupper, found)) and any(map(str.islower, found))
    return len(found) >= 8 and has_case and bool(_MARK_OF_PASSWORD.search(found))


def _is_mixed(found: str) -> bool:
    """Tell whether letters and digits of ``found`` are mixed with symbols, or with capitals within."""
    capital = any(map(str.isupper, found[1:])) and found.isalnum() and any(map(str.islower, found))
    symbol = bool(_INNER_SYMBOL.search(found)) and not _PRODUCT.fullmatch(found)
    return len(found) >= 7 and sum(map(str.isalpha, found)) >= 2 and (symbol or capital)
