"""How the shapes of tokens are written down, and how a real token is told from an example of one.

In the shapes ``<A>`` is a letter or digit, ``<W>`` one of those or ``_`` and ``-``, ``<D>`` one of those or ``.`` and
``=``, ``<H>`` a hexadecimal digit; ``<start>`` and ``<end>`` are the borders of a run of ``<A>``,
``<word>`` is the left border of a run of ``<W>``. All are ASCII: a Chinese character is a border.
"""

from __future__ import annotations

import base64
import binascii
import re

from nanobot_memory_plugins.redaction.rules.lazy_pattern import lazy_re
from nanobot_memory_plugins.redaction.rules.rule import API_KEY, Rule
from nanobot_memory_plugins.redaction.values.value_shapes import entropy

_CLASSES = {
    "<A>": "[A-Za-z0-9]",
    "<W>": "[A-Za-z0-9_-]",
    "<D>": "[A-Za-z0-9_.=-]",
    "<H>": "[0-9a-fA-F]",
    "<start>": "(?<![A-Za-z0-9])",
    "<end>": "(?![A-Za-z0-9])",
    "<word>": "(?<![A-Za-z0-9_-])",
}
_EXAMPLE = re.compile(
    r"(?i)x{6,}|\*{3,}|\.{3,}|your[-_]|[-_]your|placeholder|redacted|[-_]here\b|example(?:key)?$|<"
    r"|insert[-_]|replace[-_]"
    r"|dummy|changeme"
)
_WORDS_ONLY = re.compile(r"(?:[a-z]{1,20}[-_.])*[a-z]{1,20}")
_FEWEST_CHARACTERS = 6
_LEAST_ENTROPY = 2.8


def is_issued(token: str) -> bool:
    """Tell whether ``token`` was really issued: not ``ghp_xxxx``, not ``sk-your-key-here``, not words."""
    if _EXAMPLE.search(token) or _WORDS_ONLY.fullmatch(token):
        return False
    return len(set(token[-24:])) >= _FEWEST_CHARACTERS


def is_mixed(token: str) -> bool:
    """As :func:`is_issued`, with digits among the letters: for shapes that words could have too."""
    body = re.split(r"[-_.]", token, maxsplit=1)[-1]
    mixed = any(char.isdigit() for char in body) and any(char.isalpha() for char in body)
    return mixed and is_issued(token) and entropy(body) >= _LEAST_ENTROPY


def opens_json_object(token: str) -> bool:
    """Tell whether the first part of ``token`` is Base64 of a JSON object, as the header of a JWT is."""
    try:
        return base64.urlsafe_b64decode(token.split(".", 1)[0][:8] + "==")[:1] == b"{"
    except (binascii.Error, ValueError):
        return False


def pattern(shape: str) -> re.Pattern[str]:
    """Make a pattern of ``shape``, in which ``<A>`` and the like stand for character classes."""
    for name, meaning in _CLASSES.items():
        shape = shape.replace(name, meaning)
    return lazy_re(shape)


def prefixed(kind: str, prefixes: str, body: str, *, border: str = "") -> Rule:
    """Make a rule for tokens that are one of ``prefixes`` (divided by spaces) and then ``body``."""
    literals = tuple(prefixes.split())
    heads = "|".join(re.escape(prefix) for prefix in literals)
    return Rule(kind, API_KEY, pattern(f"{border}(?:{heads}){body}"), is_issued, literals, anchored=True)


def shaped(
    kind: str, shape: str, *literals: str, mixed: bool = False, loose: bool = False, placeholder: str = API_KEY
) -> Rule:
    """Make a rule for another shape; ``loose`` when its literals stand elsewhere than at its beginning."""
    check = is_mixed if mixed else is_issued
    return Rule(kind, placeholder, pattern(shape), check, literals, anchored=bool(literals) and not loose)
