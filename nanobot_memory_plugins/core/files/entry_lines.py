"""The lines of an entry in ``ENTRIES.md``: where it ends, its text, and the fields of the comment behind that."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|\Z)")
_NAME = re.compile(r"[a-z_]+")


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
        if lines[end - 1].startswith("<!--") and fields_in(lines[end - 1]) is not None:
            return end
    if end == first:
        return start + 1
    found = fields_in(lines[end + 1]) if end + 1 < len(lines) and not lines[end].strip() else None
    return end + 2 if found is not None and ("created" in found or "hides" in found) else end


def text_and_fields(lines: str) -> tuple[str, dict[str, str]]:
    """Return the text of an entry, of its lines below the header, and the fields of the comment that ends it.

    On the line of the text it is ours where an editor has joined the lines; another is part of the text.
    """
    text = lines.strip()
    begin = text.rfind("<!--", text.rfind("\n") + 1)
    found = fields_in(text[begin:]) if begin >= 0 else None
    if found is None or not ("created" in found or text[:begin].rstrip(" \t")[-1:] in ("", "\n")):
        return text, {}
    return text[:begin].rstrip(), found


def fields_in(comment: str) -> dict[str, str] | None:
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
