"""Looking for secrets in files without changing them, as a check before a commit does."""

import codecs
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.rules.rule import CONTACT_PLACEHOLDERS

ALLOWED = ("pragma: allowlist secret", "gitleaks:allow")
"""On a line with one of these, as two other checkers have them, nothing is reported."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Where git looks for a byte of zeros, which tells it that a file is no text.
_BEGINNING = 8_000


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """Where a secret stands and of what kind it is. It never holds the value."""

    file: Path
    line: int
    kind: str


def secrets_in_file(file: Path, redactor: Redactor, *, contacts: bool) -> Iterator[FoundSecret]:
    """Yield the secrets in a file, in order; none in one that is no text.

    ``contacts`` says whether e-mail addresses and telephone numbers count, too. Raises ``OSError``
    for a file that cannot be read.
    """
    text = _text(file.read_bytes())
    starts = [0]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    for finding in redactor.findings(text):
        line = bisect_right(starts, finding.start)
        end = starts[line] if line < len(starts) else len(text)
        is_allowed = any(mark in text[starts[line - 1] : end] for mark in ALLOWED)
        if not is_allowed and (contacts or finding.placeholder not in CONTACT_PLACEHOLDERS):
            yield FoundSecret(file, line, finding.kind)


def _text(content: bytes) -> str:
    if content.startswith(_UTF_16):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:_BEGINNING]:
        return ""
    return content.decode("utf-8", "surrogateescape")
