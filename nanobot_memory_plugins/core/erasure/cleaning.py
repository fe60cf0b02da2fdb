"""The content of our files without the texts that are to be forgotten."""

import json
import re
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.erasure.finding import Wanted
from nanobot_memory_plugins.core.files.entries import NoteEntry
from nanobot_memory_plugins.core.files.parsing import parse_notes
from nanobot_memory_plugins.core.files.text import clean

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The bytes without the texts, how often they stood in what is ours, and how often in what is not and stays."""

    data: bytes
    found: int = 0
    foreign: int = 0


def clean_transcript(data: bytes, wanted: Wanted) -> Cleaned:
    """Return a transcript without the sentences that carry the texts. A line that cannot be read goes whole."""
    lines: list[bytes] = []
    found = 0
    for line in data.split(b"\n"):
        text = line.decode("utf-8", "surrogateescape")
        plain = unescaped(text)
        if not wanted.count(plain):
            lines.append(line)
            continue
        cleaned, count = _clean_line(text, wanted)
        found += count
        if cleaned:
            lines.append(cleaned)
    return Cleaned(b"\n".join(lines), found)


def clean_notes(data: bytes, wanted: Wanted, *, everywhere: bool = False) -> Cleaned:
    """Return a Markdown file without the texts in its structured notes; ``everywhere``, in people's text, too."""
    parts: list[bytes] = []
    found = foreign = 0
    for part in parse_notes(data):
        raw = data[part.offset : part.offset + part.length]
        text = raw.decode("utf-8", "surrogateescape")
        is_ours = isinstance(part, NoteEntry) and bool(part.id)
        if is_ours or everywhere:
            cleaned, count = wanted.without(text)
            found += count
            parts.append(cleaned.encode("utf-8", "surrogateescape") if count else raw)
        else:
            foreign += wanted.count(text)
            parts.append(raw)
    return Cleaned(b"".join(parts), found, foreign)


def count_in(data: bytes, wanted: Wanted) -> int:
    """Return how often the texts stand in any file, as they are or as JSON escapes them."""
    text = data.decode("utf-8", "replace")
    return wanted.count(text) or wanted.count(unescaped(text))


def unescaped(text: str) -> str:
    """Return a text with JSON's escapes as what they stand for."""
    if "\\" not in text:
        return text
    text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text.replace("\\n", "\n").replace('\\"', '"'))
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _clean_line(text: str, wanted: Wanted) -> tuple[bytes, int]:
    """Return a line of a transcript without the texts, nothing when it is no JSON, and how many there were."""
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return b"", 1
    cleaned, count = _clean_value(row, wanted)
    if not count:  # they stand across fields, or in a name
        return b"", 1
    line = clean(json.dumps(cleaned, ensure_ascii=False, separators=(",", ":")))
    return line.encode("utf-8"), count


def _clean_value(value: Any, wanted: Wanted) -> tuple[Any, int]:
    if isinstance(value, str):
        return wanted.without(value)
    if isinstance(value, list):
        cleaned = [_clean_value(one, wanted) for one in value]
        return [one for one, _ in cleaned], sum(count for _, count in cleaned)
    if isinstance(value, dict):
        pairs = {key: _clean_value(one, wanted) for key, one in value.items()}
        return {key: one for key, (one, _) in pairs.items()}, sum(count for _, count in pairs.values())
    return value, 0
