"""The entries of a file, counted by a pattern: ten thousand take a hundredth of a second."""

import re
from dataclasses import dataclass

# An entry in the form in which we write them, and whatever else may begin one or change where it stands.
_ENTRY = re.compile(
    rb"^### \[([0-9A-Za-z_-]{1,64})\] ([a-z_]+) \| [01]\.\d\d \| (\d{4}-\d\d)-\d\d \| (\d{1,9})\n([^\s#<][^\n\r]*)"
    rb"(?:\n<!-- created: (\d{4}-\d\d))?",
    re.MULTILINE,
)
_HEADINGS = re.compile(rb"^##(?!#)[^\n]*|^ {0,3}(?:```|~~~)|\r", re.MULTILINE)
_ACTIVE, _ARCHIVED = b"## Active Memories", b"## Archived Memories"


@dataclass(frozen=True, slots=True)
class Kept:
    """One entry: what is counted of it, and its text."""

    category: str
    month: str
    hits: int
    text: str
    is_active: bool


def plain_entries(data: bytes) -> dict[str, Kept] | None:
    """Return the entries of a file in which all stand as we write them, by id; None where it must be read slowly."""
    if _HEADINGS.findall(data) not in ([_ACTIVE], [_ACTIVE, _ARCHIVED], [_ARCHIVED]):
        return None
    archived = data.find(b"\n" + _ARCHIVED)
    found = {}
    for match in _ENTRY.finditer(data):
        id_, category, last, hits, text, created = match.groups()
        is_active = archived < 0 or match.start() < archived
        found[id_.decode()] = Kept(category.decode(), (created or last).decode(), int(hits), _text(text), is_active)
    return found if len(found) == data.count(b"\n### ") + data.startswith(b"### ") else None


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
