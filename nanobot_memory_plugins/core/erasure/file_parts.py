"""What a memory file holds, for those who clean it of forgotten words or secrets: notes, heads, rows of JSON."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from nanobot_memory_plugins.core.files.fields import scope_fields
from nanobot_memory_plugins.core.files.notes import NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.text.markdown import clean
from nanobot_memory_plugins.core.values import Scope

# Fields with the id and the owner of a message or note: memories are found by them. A session may be named after a
# telephone number.
NAMES = frozenset({"id", "time", "role", "origin", *scope_fields(Scope()), "name"})
_HEAD_LINE = re.compile(rf"(?:{'|'.join(sorted(NAMES | {'type'}))})[ \t]*:")


def note_parts(data: bytes) -> Iterator[tuple[NoteEntry | Passage, bytes, str]]:
    """Yield the structured notes of a Markdown file and what lies between them, with their bytes and their text.

    Bytes that are not UTF-8 are kept in the text as `encoded` turns them back.
    """
    for part in parse_notes(data):
        raw = data[part.offset : part.offset + part.length]
        yield part, raw, raw.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text out of a file."""
    return text.encode("utf-8", "surrogateescape")


def head_lines(note: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the lines of a note's head with its id and its owner."""
    at = 0
    for line in note.splitlines(keepends=True):
        if at and not line.strip():
            return
        if _HEAD_LINE.match(line):
            yield at, at + len(line)
        at += len(line)


def row_of(line: str | bytes) -> Any:
    """Return what a line of JSON holds. Raises ValueError for one that is none."""
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def row_bytes(row: Any) -> bytes:
    """Return a row as a line of JSON, without what cannot be encoded."""
    return clean(json.dumps(row, ensure_ascii=False, separators=(",", ":"))).encode()


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of JSON with each of its texts changed, but for names."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [with_texts(one, change) for one in value]
    if isinstance(value, dict):
        return {name: one if name in NAMES else with_texts(one, change) for name, one in value.items()}
    return value
