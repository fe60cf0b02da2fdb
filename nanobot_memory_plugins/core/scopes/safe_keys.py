"""Session keys and names of groups without secrets: they become file names, rows and lines of files and logs.

Whoever names a session by an API token gets another name for it, always the same one. So does a name that a line cannot
hold as it is, for blanks at its ends or a line break. Any other name stays as it is.
"""

import functools
import hashlib
from dataclasses import astuple

from nanobot_memory_plugins.core.text.markdown import one_line
from nanobot_memory_plugins.core.values import Scope
from nanobot_memory_plugins.redaction.rules.keyword_index import LowercaseText
from nanobot_memory_plugins.redaction.rules.rule import resolve_overlaps
from nanobot_memory_plugins.redaction.script.folding import FoldedView

_DIGITS = 16
# Letters alone, so that no digest looks like a number that is somebody's.
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")


@functools.lru_cache(maxsize=4_096)
def redact_key(name: str) -> str:
    """Return a name as it is, or where it holds a token, without that and with 64 bits of the whole name's SHA-256.

    The same for a name that a line cannot hold as it is: read back, " ana" would be ana's. Two names give two, and a
    name that was given is given again for itself. A name of blanks alone names nobody.
    """
    plain = one_line(name)
    if not plain:
        return ""
    # Full-width and invisible characters hide no token; a name without one keeps them.
    redacted = FoldedView(plain).text
    # The shapes of known issuers alone: a telephone number or the random id of a chat is an ordinary name. And no rules
    # of others: a name may not depend on what else is installed.
    from nanobot_memory_plugins.redaction.detectors.rule_table import TOKENS

    found = TOKENS.find(redacted, LowercaseText(redacted))
    spans = resolve_overlaps(span for span in found if span.kind != "prefixed_token")
    if not spans and plain == name:
        return plain
    if not spans:
        redacted = plain
    for span in reversed(spans):
        redacted = f"{redacted[: span.start]}{span.placeholder}{redacted[span.end :]}"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{redacted}-{digest.translate(_LETTERS)}"


def redact_scope(scope: Scope) -> Scope:
    """Return a scope of harmless names: hosts make a channel's name, too, of the session's key."""
    return Scope(*("" if name is None else redact_key(str(name)) for name in astuple(scope)))
