"""Session keys and group names without secrets: they become file names, rows and lines of files and logs.

A name that contains an API token is replaced by another one, always the same. So is a name that does not survive being
written on a line, because of a line break or blanks at its ends. Any other name stays as it is.
"""

import functools
import hashlib
from dataclasses import astuple

from nanobot_memory_plugins.core.text.markdown import one_line
from nanobot_memory_plugins.core.values import Scope
from nanobot_memory_plugins.redaction.rules.keyword_index import LowercaseText
from nanobot_memory_plugins.redaction.rules.rule import resolve_overlaps
from nanobot_memory_plugins.redaction.script.folding import FoldedView

_DIGEST_DIGITS = 16
# Only letters, so that no digest looks like a personal number.
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


@functools.lru_cache(maxsize=4_096)
def redact_key(name: str) -> str:
    """Return a name unchanged, or with its token replaced and 64 bits of the whole name's SHA-256 appended.

    The digest is also appended to a name that changes when it is read from a line: " ana" would become ana's. Different
    names stay different, and redacting a result again does not change it. A name of blanks becomes empty.
    """
    plain = one_line(name)
    if not plain:
        return ""
    # Full-width and invisible characters must not hide a token; a name without a token keeps them.
    redacted = FoldedView(plain).text
    # Only the token formats of known issuers: a telephone number or the random id of a chat is an ordinary name. And no
    # third-party rules: a name must not depend on what is installed.
    from nanobot_memory_plugins.redaction.detectors.rule_table import TOKENS

    found = TOKENS.find(redacted, LowercaseText(redacted))
    spans = resolve_overlaps(span for span in found if span.kind != "prefixed_token")
    if not spans and plain == name:
        return plain
    if not spans:
        redacted = plain
    for span in reversed(spans):
        redacted = f"{redacted[: span.start]}{span.placeholder}{redacted[span.end :]}"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
    return f"{redacted}-{digest.translate(_LETTERS)}"


def redact_scope(scope: Scope) -> Scope:
    """Return a scope with redacted names: hosts may derive the channel's name, too, from the session key."""
    return Scope(*("" if name is None else redact_key(str(name)) for name in astuple(scope)))
