"""What a row of `rules.toml` may ask of the value that it would hide, by name."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping

from nanobot_memory_plugins.redaction.lazy import lazy_re
from nanobot_memory_plugins.redaction.rules.keyword_index import words
from nanobot_memory_plugins.redaction.values.bare_words import is_bare_secret
from nanobot_memory_plugins.redaction.values.value_shapes import (
    entropy,
    has_password_marks,
    is_hash_like,
    is_placeholder,
    looks_random,
)

_EXAMPLE = lazy_re(
    r"(?i)x{6,}|\*{3,}|\.{3,}|your[-_]|[-_]your|placeholder|redacted|[-_]here\b|example(?:key)?$|<|insert[-_]"
    r"|replace[-_]"
    r"|dummy|changeme"
)
_WORDS_ONLY = lazy_re(r"(?:[a-z]{1,20}[-_.])*[a-z]{1,20}")
_SPEAKING = lazy_re(r"[A-Za-z]{9,}")
_PUBLISHABLE = ("pk_test_", "pk_live_")  # made for web pages
_APP_PASSWORD = lazy_re(r"[a-z]{4}(?:[ -][a-z]{4}){3}")
# A group of four letters of which no word is made.
_NO_WORD = lazy_re(r"(?i)(?<![a-z0-9])(?![aeiouy])[a-z](?![aeiouy])[a-z](?![aeiouy])[a-z]")
_DATE = lazy_re(r"(?:19|20)[0-9]{2}-[0-9]{2}(?:-[0-9]{2})?")
# What occurs in sentences, and in no phrase that opens a wallet or that somebody chose.
_PROSE = words(
    "the and are for with from was were not but its this that you your they have has had into is must be at should"
    " required when will can may or into which please enter then of to in on by as it my our too so only still never"
    " always because would could does did been same wrong short long"
)
# What is said of a password without telling it.
_DESCRIPTIONS = words(
    "great simple complex complicated random unknown known public private personal temporary default unique common"
    " obvious important broken stolen unset false maybe correct right ready outdated numeric alphanumeric mine yours"
    " theirs something nothing anything everything somewhere below above inside attached online offline local global"
    " plaintext numbers letters characters digits symbols password username email needed forgotten correctly twice"
    " today tomorrow yesterday later invalid wrong empty blank weak strong short longer different safe secure hidden"
    " secret bcrypt argon again about"
)
_ADJECTIVE = lazy_re(r"[a-z]{2}(?:ed|ing|able|ible|ive|ous|ful|less|ant|ent|ory|ly|ish|al|ic|ary)$")


def is_issued(token: str) -> bool:
    """Tell whether ``token`` was really issued: not ``ghp_xxxx``, not ``sk-your-key-here``, not words."""
    if _EXAMPLE.search(token) or _WORDS_ONLY.fullmatch(token):
        return False
    return len(set(token[-24:])) >= 6


def _is_mixed(token: str) -> bool:
    """As `is_issued`, with digits among the letters: for shapes that words could have too."""
    body = re.split(r"[-_.]", token, maxsplit=1)[-1]
    mixed = any(map(str.isdigit, body)) and any(map(str.isalpha, body))
    return mixed and is_issued(token) and entropy(body) >= 2.8


def _is_random_tail(token: str) -> bool:
    """Tell whether what follows the last prefix of ``token`` is random: no checksum, no words with a number."""
    tail = re.split(r"[_-]", token)[-1]
    if token.startswith(_PUBLISHABLE) or is_hash_like(tail) or not is_issued(token) or entropy(tail) < 3.2:
        return False
    digits = sum(map(str.isdigit, tail))
    mixed = any(map(str.isupper, tail)) and any(map(str.islower, tail))
    return len(_SPEAKING.findall(tail)) < 2 and (digits >= 4 or (mixed and digits >= 2))


def _opens_json_object(token: str) -> bool:
    """Tell whether the first part of ``token`` is Base64 of a JSON object, as the header of a JWT is."""
    return _decoded(token.split(".", 1)[0][:8].replace("-", "+").replace("_", "/"))[:1] == b"{"


def _decoded(found: str) -> bytes:
    try:
        return base64.b64decode(found + "=" * (-len(found) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _is_given(found: str) -> bool:
    return not is_placeholder(found)


def is_marked(found: str) -> bool:
    """Tell whether ``found`` has the marks of a password or looks machine-made, and means nothing else."""
    return not is_placeholder(found) and (has_password_marks(found) or looks_random(found, allow_hex=True))


def _is_argument(found: str) -> bool:
    """Tell whether an argument of a command is a secret, and no flag, port, word for one in a line of usage."""
    is_other = found.startswith(("-", "$", "{", "/")) or (found.isdigit() and len(found) <= 5)
    return not (is_other or is_placeholder(found) or (found.isupper() and found.isalpha()))


def _is_bearer(found: str) -> bool:
    return looks_random(found, allow_hex=True) or (any(map(str.isdigit, found)) and is_marked(found))


def _is_basic(found: str) -> bool:
    decoded = _decoded(found)
    return not is_placeholder(found) and ((b":" in decoded and decoded.isascii()) or looks_random(found))


def _is_number(found: str) -> bool:
    """Tell whether ``found`` has the digits that the number of a document has, and is no date."""
    plain = re.sub(r"[ .-]", "", found)
    return 5 <= len(plain) <= 20 and sum(map(str.isdigit, found)) >= 3 and not _DATE.fullmatch(found)


def _is_phrase(found: str) -> bool:
    """Tell whether ``found`` is words that somebody strung together, and not the rest of a sentence."""
    parts = re.split(r"[^a-z]+", found.lower())
    return len(set(parts)) > 2 and _PROSE.isdisjoint(parts)


CHECKS: Mapping[str, Callable[[str], bool]] = {
    "issued": is_issued,
    "mixed": _is_mixed,
    "random tail": _is_random_tail,
    "json": _opens_json_object,
    "given": _is_given,
    "marked": is_marked,
    "told": lambda found: is_bare_secret(found) and not is_placeholder(found),
    "argument": _is_argument,
    "bearer": _is_bearer,
    "basic": _is_basic,
    "password of a call": lambda found: is_marked(found) or _APP_PASSWORD.fullmatch(found) is not None,
    "number": _is_number,
    "phrase": _is_phrase,
    "chosen": lambda found: (
        found.lower() not in _DESCRIPTIONS | _PROSE and (found[0].isupper() or not _ADJECTIVE.search(found))
    ),
    "setup key": lambda found: any(map(str.isdigit, found)) or found.isupper() or _NO_WORD.search(found) is not None,
}
"""Every check."""
