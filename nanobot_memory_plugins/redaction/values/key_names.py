"""How sensitive is what a name names: ``DB_PASSWORD`` very much, ``token_count`` not at all.

A name is split into words (snake_case, kebab-case, camelCase and run-together ones); the words before and after the
telling one decide whether it names the secret itself or something about it.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from nanobot_memory_plugins.redaction.rules.keyword_index import KeywordIndex
from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.values import name_words
from nanobot_memory_plugins.redaction.values.name_words import VENDOR_NAMES


class Sensitivity(IntEnum):
    """How little it takes for the value under a name to count as a secret."""

    NONE = 0
    WEAK = 1
    """Only when the value looks random (``key``, ``session_id``)."""
    VENDOR = 2
    """As WEAK, but a bare hexadecimal value or a UUID counts (``heroku_api``)."""
    TOKEN = 3
    """Unless the value reads like an ordinary word (``token``, ``secret``)."""
    CODE = 4
    """Digits alone count (``pin``, ``cvv``, ``otp``)."""
    COMPOUND = 5
    """Unless the value is a reference or a placeholder (``client_secret``, ``api_key``)."""
    PASSWORD = 6
    """The same, and ordinary words and short numbers count too."""


TELLING = KeywordIndex(
    name_words.PASSWORD
    | name_words.TOKEN
    | name_words.CODE
    | name_words.COMPOUND
    | {*name_words.PASSWORD_ENDS, *name_words.COMPOUND_ENDS}
    | {"code", "key", "pat", "sess", "saml", "auth", "yao"}
)
"""One of them stands in every name that is at least a `Sensitivity.TOKEN`."""

_SPLIT = lazy_re(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


@lru_cache(maxsize=4096)
def split_name(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words: ``dbPassword_2`` gives ``("db", "password", "2")``."""
    return tuple(word.lower() for word in _SPLIT.findall(name))


@lru_cache(maxsize=4096)
def sensitivity(name: str) -> Sensitivity:
    """Tell how sensitive the value under ``name`` is."""
    parts = split_name(name)
    if not parts or len(parts) > 12 or name == "Pw":  # a name that a minifier made
        return Sensitivity.NONE
    joined = "".join(parts)
    if joined in name_words.COMPOUND:
        return Sensitivity.COMPOUND
    if joined in ("password", "passphrase", "passcode"):
        return Sensitivity.PASSWORD  # "PassWord", too
    if joined in ("jsessionid", "phpsessid", "sessionid", "sessid"):
        return Sensitivity.WEAK
    found = _telling_word(parts)
    if found is None:
        return _vendor(parts)
    at, level = found
    before, after = parts[:at], parts[at + 1 :]
    if before and before[0] in name_words.SWITCH:
        return Sensitivity.NONE
    if parts[0] in ("public", "pub") or (before and before[-1] in ("public", "pub")):
        return Sensitivity.NONE
    if parts[at] == "pass" and before and before[-1] in ("by", "one", "first", "second", "single", "multi", "two"):
        return Sensitivity.NONE  # a pass over something
    after = tuple(word for word in after if not word.isdigit() and word not in name_words.NEUTRAL_AFTER)
    if after:
        if after == ("id",) and parts[at] == "secret":
            return Sensitivity.VENDOR  # the secret_id of an AppRole is a UUID
        if any(word in name_words.ABOUT_AFTER for word in after):
            return Sensitivity.NONE
        return Sensitivity.TOKEN if level >= Sensitivity.COMPOUND else min(level, Sensitivity.WEAK)
    if level <= Sensitivity.VENDOR:
        return max(level, _vendor(parts))
    return level


def _telling_word(parts: tuple[str, ...]) -> tuple[int, Sensitivity] | None:
    """Find the last word that names a secret, and how sensitive it is with the word before it."""
    for at in range(len(parts) - 1, -1, -1):
        word = parts[at]
        before = parts[at - 1] if at else ""
        if word in name_words.PASSWORD or word.endswith(name_words.PASSWORD_ENDS):
            return at, Sensitivity.PASSWORD
        if word in name_words.CODE:
            return at, Sensitivity.CODE
        if word == "code" and before in name_words.CODE_BEFORE:
            return at, Sensitivity.CODE
        if word in name_words.COMPOUND or (word == "pat" and (before in VENDOR_NAMES or before == "gh")):
            return at, Sensitivity.COMPOUND
        if word in name_words.TOKEN:
            if word == "token" and before in name_words.TOKEN_NOT_BEFORE:
                return None
            if before in name_words.SECRET_BEFORE or before in VENDOR_NAMES or (at and word in ("secret",)):
                return at, Sensitivity.COMPOUND
            if at and parts[at - 1] in name_words.TOKEN and word in ("token", "secret"):
                return at, Sensitivity.COMPOUND
            return at, Sensitivity.TOKEN
        if word.endswith(name_words.COMPOUND_ENDS):
            return at, Sensitivity.COMPOUND
        if word == "key" or (word == "keys" and before in ("api", "secret", "private", "access")):
            if before in name_words.KEY_NOT_BEFORE:
                return None
            if before in name_words.KEY_BEFORE or before in name_words.TOKEN or before in VENDOR_NAMES:
                return at, Sensitivity.COMPOUND
            return at, Sensitivity.VENDOR if before else Sensitivity.WEAK
        if word.endswith("key") and word[:-3] not in name_words.KEY_NOT_BEFORE | name_words.KEY_ENDS_NOT:
            return at, Sensitivity.VENDOR
        if word == "sk" and before:
            return at, Sensitivity.VENDOR
        if word in name_words.WEAK:
            return at, Sensitivity.WEAK
    return None


def _vendor(parts: tuple[str, ...]) -> Sensitivity:
    if not any(word in VENDOR_NAMES for word in parts) and "".join(parts) not in VENDOR_NAMES:
        return Sensitivity.NONE
    if any(word in name_words.ABOUT_AFTER for word in parts):
        return Sensitivity.NONE
    return Sensitivity.VENDOR
