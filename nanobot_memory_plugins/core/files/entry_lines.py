"""The lines of an entry in ``ENTRIES.md``: a header, its text, and a comment with its other fields.

The comment of a forgotten entry lists its source messages (``hides: ID ID``). Until the entry is restored these
messages are neither shown nor read again.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import file_stamp, read_inside
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|\Z)")
_ENTRY_HEADER = re.compile(r"[ \t]*### \[")
_FIELD_NAME = re.compile(r"[a-z_]+")
# The hidden records of each file, with the stamp of the file when it was read.
_CACHE: BoundedDict[Path, tuple[object, frozenset[str]]] = BoundedDict(64)


def end_of_entry(lines: Sequence[str], start: int) -> int:
    """Return the index after the last line of the entry whose header is the line ``start``.

    One blank line may follow the header, and one the text, since Markdown formatters insert them.
    """
    end = start + 1
    if end + 1 < len(lines) and not lines[end].strip() and not lines[end + 1].startswith("<!--"):
        end += 1
    first = end
    while end < len(lines) and lines[end].strip() and not _HEADING.match(lines[end]):
        end += 1
        if lines[end - 1].startswith("<!--") and parse_fields(lines[end - 1]) is not None:
            return end
    if end == first:
        return start + 1
    found = parse_fields(lines[end + 1]) if end + 1 < len(lines) and not lines[end].strip() else None
    return end + 2 if found is not None and ("created" in found or "hides" in found) else end


def text_and_fields(lines: str) -> tuple[str, dict[str, str]]:
    """Return the text and the comment fields of an entry, given its lines below the header.

    A comment on the last line of the text, where an editor has joined the lines, holds fields only if ``created`` is
    among them; another comment is part of the text.
    """
    text = lines.strip()
    begin = text.rfind("<!--", text.rfind("\n") + 1)
    found = parse_fields(text[begin:]) if begin >= 0 else None
    if found is None or not ("created" in found or text[:begin].rstrip(" \t")[-1:] in ("", "\n")):
        return text, {}
    return text[:begin].rstrip(), found


def parse_fields(comment: str) -> dict[str, str] | None:
    """Return the fields of a comment, or None for a comment that a person wrote."""
    inner = comment.strip()
    if not (inner.startswith("<!--") and inner.endswith("-->")) or inner.count("<") + inner.count(">") > 2:
        return None
    found: dict[str, str] = {}
    for part in inner[4:-3].split(";"):
        name, colon, value = part.strip().partition(":")
        if not colon or not _FIELD_NAME.fullmatch(name) or value[:1].strip():
            return None
        found.setdefault(name, unquote(value.strip(), errors="replace"))
    return found


def without_forgotten(text: str) -> str:
    """Return the text of ``ENTRIES.md`` without forgotten entries."""
    kept: list[str] = []
    entry_start = 0
    for line in text.splitlines(keepends=True):
        if _ENTRY_HEADER.match(line):
            entry_start = len(kept)
        if "hides" in (parse_fields(line) or ()):
            del kept[entry_start:]
        else:
            kept.append(line)
    return "".join(kept)


def hidden_records(paths: MemoryPaths) -> frozenset[str]:
    """Return the ids of hidden messages, or none where the file is missing or cannot be read. It blocks."""
    path = paths.entries
    stamp, cached = file_stamp(path), _CACHE.get(path)
    if not stamp:
        return frozenset()
    if cached is None or cached[0] != stamp:
        try:
            lines = read_inside(path).decode("utf-8", "replace").splitlines()
        except OSError:
            return frozenset()
        found = [(parse_fields(line) or {}).get("hides", "") for line in lines]
        cached = _CACHE[path] = stamp, frozenset(" ".join(found).split())
    return cached[1]
