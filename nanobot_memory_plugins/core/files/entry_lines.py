"""The lines of an entry in ``ENTRIES.md``: where it ends, its text, and the fields of the comment behind that.

A forgotten entry names there the messages that it came from (``hides: ID ID``): they are not shown and not read again
until it is restored, and are as safe as the entry itself.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.reading import file_stamp, read_inside
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|\Z)")
_ENTRY = re.compile(r"[ \t]*### \[")
_NAME = re.compile(r"[a-z_]+")
# Workspaces whose file is not read again while it is the same.
_KNOWN: BoundedDict[Path, tuple[object, frozenset[str]]] = BoundedDict(64)


def end_of_entry(lines: Sequence[str], start: int) -> int:
    """Return the index after the last line of the entry whose header is the line ``start``.

    The text may be set off from its header by one blank line, and the fields from the text, as formatters do it.
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
    """Return the text of an entry, of its lines below the header, and the fields of the comment that ends it.

    On the line of the text it is ours where an editor has joined the lines; another is part of the text.
    """
    text = lines.strip()
    begin = text.rfind("<!--", text.rfind("\n") + 1)
    found = parse_fields(text[begin:]) if begin >= 0 else None
    if found is None or not ("created" in found or text[:begin].rstrip(" \t")[-1:] in ("", "\n")):
        return text, {}
    return text[:begin].rstrip(), found


def parse_fields(comment: str) -> dict[str, str] | None:
    """Return the fields of a comment, or None where it is a comment of somebody's."""
    inner = comment.strip()
    if not (inner.startswith("<!--") and inner.endswith("-->")) or inner.count("<") + inner.count(">") > 2:
        return None
    found: dict[str, str] = {}
    for part in inner[4:-3].split(";"):
        name, colon, value = part.strip().partition(":")
        if not colon or not _NAME.fullmatch(name) or value[:1].strip():
            return None
        found.setdefault(name, unquote(value.strip(), errors="replace"))
    return found


def without_forgotten(text: str) -> str:
    """Return the text of ``ENTRIES.md`` without the entries that were forgotten."""
    kept: list[str] = []
    entry = 0  # where the last one begins
    for line in text.splitlines(keepends=True):
        if _ENTRY.match(line):
            entry = len(kept)
        if "hides" in (parse_fields(line) or ()):
            del kept[entry:]
        else:
            kept.append(line)
    return "".join(kept)


def hidden_records(paths: MemoryPaths) -> frozenset[str]:
    """Return the ids of the messages that are hidden; none where the file is missing or cannot be read. It blocks."""
    path = paths.entries
    stamp, known = file_stamp(path), _KNOWN.get(path)
    if not stamp:
        return frozenset()
    if known is None or known[0] != stamp:
        try:
            lines = read_inside(path).decode("utf-8", "replace").splitlines()
        except OSError:
            return frozenset()
        found = [(parse_fields(line) or {}).get("hides", "") for line in lines]
        known = _KNOWN[path] = stamp, frozenset(" ".join(found).split())
    return known[1]
