"""The content of our files with placeholders in place of secrets. Every function gives back what it got, if clean."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from nanobot_memory_plugins.core.erasure.contents import (
    encoded,
    head_lines,
    note_parts,
    row_bytes,
    row_of,
    with_texts,
)
from nanobot_memory_plugins.core.files.entries import NoteEntry
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER
from nanobot_memory_plugins.redaction.rules.word_lists import words

Redact = Callable[[str], str]
# Fields of our own rows that say whose, when and which. A session may be named after a telephone number: what belongs
# together is found by that name, so it stays.
_KEPT = words(
    "id time role origin session channel user agent scope run who file undoes action source_session anchor category"
    " last_activated created_at expires_at supersedes superseded_by kept_in group when failed_at seen found"
)
# A patch leads from one state of a file to another by their hashes: with other bytes it leads nowhere.
_OF_PATCH = ("patch", "before", "after")


@dataclass(frozen=True, slots=True)
class ScrubbedBytes:
    """The bytes without secrets, what was found in what is ours, and what stays in text of people."""

    data: bytes
    found: Counter[str] = field(default_factory=Counter)
    foreign: Counter[str] = field(default_factory=Counter)


Cleaner = Callable[[bytes], ScrubbedBytes]


def redacted(text: str, redact: Redact, found: Counter[str]) -> str:
    """Return ``text`` redacted, and count in ``found`` what was put in."""
    safe = redact(text)
    if safe != text:
        new = Counter(_placeholders(safe)) - Counter(_placeholders(text))
        found.update(new or {"redacted": 1})
    return safe


def clean_rows(data: bytes, redact: Redact) -> ScrubbedBytes:
    """Return lines of JSON, or one JSON document, without secrets in their texts; a line that is no JSON, as text."""
    found: Counter[str] = Counter()
    return ScrubbedBytes(b"\n".join(_clean_row(line, redact, found) for line in data.split(b"\n")), found)


def clean_notes(data: bytes, redact: Redact, *, everywhere: bool, tools: Redact | None = None) -> ScrubbedBytes:
    """Return a Markdown file without secrets in its structured notes; ``everywhere``, in people's text, too.

    ``tools`` is for the notes of what tools and pages said.
    """
    found: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    parts: list[bytes] = []
    for part, raw, text in note_parts(data):
        if isinstance(part, NoteEntry) and part.id:
            is_tools = isinstance(part, NoteEntry) and part.origin in (Origin.TOOL, Origin.WEB)
            safe = _clean_note(text, tools if tools and is_tools else redact, found)
        else:
            safe = redacted(text, redact, found if everywhere else foreign)
            safe = safe if everywhere else text
        parts.append(raw if safe == text else encoded(safe))
    return ScrubbedBytes(b"".join(parts), found, foreign)


def clean_text(data: bytes, redact: Redact) -> ScrubbedBytes:
    """Return a text without secrets."""
    found: Counter[str] = Counter()
    text = data.decode("utf-8", "surrogateescape")
    safe = redacted(text, redact, found)
    return ScrubbedBytes(data if safe == text else encoded(safe), found)


def _placeholders(text: str) -> list[str]:
    return [match.group().strip("[]").lower() for match in PLACEHOLDER.finditer(text)]


def _clean_note(text: str, redact: Redact, found: Counter[str]) -> str:
    """Redact a note, but for the lines of its head that say which it is and whose."""
    pieces: list[str] = []
    at = 0
    for start, end in head_lines(text):
        pieces += [redacted(text[at:start], redact, found), text[start:end]]
        at = end
    return "".join([*pieces, redacted(text[at:], redact, found)])


def _clean_row(line: bytes, redact: Redact, found: Counter[str]) -> bytes:
    if not line.strip():
        return line
    try:
        row = row_of(line)
    except ValueError:
        safe = clean_text(line, redact)
        found.update(safe.found)
        return safe.data
    # Hashes of whole files stand under "before" and "after", too; no rule takes a bare hash for a secret.
    cleaned = with_texts(row, lambda text: redacted(text, redact, found), kept=_KEPT)
    if cleaned == row:
        return line
    if isinstance(cleaned, dict) and "patch" in cleaned:
        cleaned = {name: value for name, value in cleaned.items() if name not in _OF_PATCH}
    return row_bytes(cleaned)
