"""The form of a structured note in a Markdown file: reading it, leniently."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nanobot_memory_plugins.core.files.entries import (
    TAG_SEPARATORS,
    NoteEntry,
    Passage,
    choice,
    origin_of,
    read_time,
    unescape_details,
)
from nanobot_memory_plugins.core.text.markdown import clean
from nanobot_memory_plugins.core.values import NoteType, Origin, Scope

_BOM = b"\xef\xbb\xbf"
_MARK = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?: {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|#{1,3}(?:[ \t\r][^\n]*)?)$",
    re.MULTILINE,
)
_ENTRY_HEADING = re.compile(r"### (\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\s+(.*))?")
_FIELD = re.compile(r"([A-Za-z][\w;-]*)[ \t]*[:：](.*)")
_DETAILS = re.compile(r"\s*^[ \t]*details[ \t]*[:：][ \t]*(?:\r?\n|\Z)?", re.MULTILINE | re.IGNORECASE)
_ALIASES = {"tldr": "tl;dr", "tag": "tags"}
# One of these must stand under a heading with a time, or it is somebody's own section.
_TELLING = frozenset({"type", "tags", "tl;dr", "id"})
_SCOPE = ("session", "channel", "user", "agent", "group_chat", "project")
_KNOWN = _TELLING | _ALIASES.keys() | {"time", "origin", *_SCOPE, "searchable"}


@dataclass(frozen=True, slots=True)
class _Header:
    """The heading and the fields of an entry; ``body`` is the byte after them."""

    time: str
    title: str
    fields: dict[str, str]
    body: int


def parse_notes(text: bytes | str, *, offset: int = 0, line: int = 1) -> Iterator[NoteEntry | Passage]:
    """Yield the structured entries of a Markdown file and what lies between them, in the file's order.

    Together they are the whole text: each byte belongs to exactly one of them. ``offset`` and ``line`` say
    where in its file ``text`` starts. An entry is a heading of level 3 with date and time, under which at
    least one of ``type``, ``tags``, ``tl;dr`` and ``id`` stands; it reaches to the next heading of level 1
    to 3. Missing fields get defaults, an unknown type is ``note``, and without an origin a person wrote it.
    In a fenced code block of somebody's own text only an entry with an id counts. Bytes that are not UTF-8
    become U+FFFD.
    """
    data = text if isinstance(text, bytes) else clean(text).encode("utf-8")
    start = 0
    header: _Header | None = None
    fence: bytes | None = None
    for mark in _MARK.finditer(data):
        if mark["fence"] is not None:
            if header is None:
                fence = _fence_after(fence, mark["fence"], mark["info"])
            continue
        found = _read_header(data, mark.start())
        if fence is not None and (found is None or not found.fields.get("id")):
            continue
        if mark.start() > start:
            yield _stretch(data, start, mark.start(), header, offset, line)
            line += data.count(b"\n", start, mark.start())
        start, header, fence = mark.start(), found, None
    if start < len(data):
        yield _stretch(data, start, len(data), header, offset, line)


def _fence_after(fence: bytes | None, marks: bytes, info: bytes) -> bytes | None:
    """Return the open fence after a line of ``marks``: a fence closes with at least as many of the same."""
    if fence is None:
        return marks
    return None if marks.startswith(fence) and not info.strip() else fence


def _read_header(data: bytes, start: int) -> _Header | None:
    """Return the header of the entry whose heading line starts at ``start``, or None if it is no entry."""
    end = data.find(b"\n", start)
    heading = _ENTRY_HEADING.fullmatch(_decode(data[start : len(data) if end < 0 else end]).rstrip("\r"))
    if heading is None or read_time(f"{heading[1]}T{heading[2]}") is None:
        return None
    fields: dict[str, str] = {}
    body = len(data) if end < 0 else end + 1
    while body < len(data):
        end = data.find(b"\n", body)
        after = len(data) if end < 0 else end + 1
        text = _decode(data[body:after]).strip()
        field = _FIELD.fullmatch(text)
        if not text:
            body = after
            break
        name = field[1].lower() if field else ""
        # Text without a blank line before it: somebody wrote it by hand, and it is the details. A field of a
        # later version is passed over; those are in lower case.
        if field is None or name == "details" or (name not in _KNOWN and name != field[1]):
            break
        fields.setdefault(_ALIASES.get(name, name), field[2].strip())
        body = after
    if _TELLING.isdisjoint(fields):
        return None
    return _Header(f"{heading[1]}T{heading[2]}", (heading[3] or "").strip(), fields, body)


def _stretch(data: bytes, start: int, end: int, header: _Header | None, offset: int, line: int) -> NoteEntry | Passage:
    """Return what stands between two bytes of ``data``."""
    if header is None:
        text = _decode(data[start:end])
        first = text.partition("\n")[0].strip()
        heading = first.lstrip("#").strip() if re.match(r"#{1,3}(\s|$)", first) else ""
        return Passage(text, offset + start, end - start, line, heading)
    fields = header.fields
    time = read_time(fields.get("time", "")) or read_time(header.time)
    assert time is not None  # noqa: S101  (_read_header has read it)
    return NoteEntry(
        id=fields.get("id", ""),
        time=time,
        type=choice(NoteType, fields.get("type", ""), NoteType.NOTE),
        tags=tuple(filter(None, (tag.strip() for tag in TAG_SEPARATORS.split(fields.get("tags", ""))))),
        tldr=fields.get("tl;dr", ""),
        details=_details(_decode(data[header.body : end])),
        title=header.title,
        origin=origin_of(fields.get("origin", ""), Origin.USER),
        scope=Scope(
            agent=fields.get("agent", ""),
            user=fields.get("user", ""),
            channel=fields.get("channel", ""),
            session=fields.get("session", ""),
            group_chat=fields.get("group_chat", ""),
            project=fields.get("project", ""),
        ),
        offset=offset + start,
        length=end - start,
        line=line,
        searchable=fields.get("searchable", "").casefold() not in ("false", "no"),
    )


def _details(body: str) -> str:
    """Return the details below the fields, without the word and the blank line that ends the entry."""
    marker = _DETAILS.match(body)
    text = body[marker.end() :] if marker else body.lstrip("\r\n")
    for ending in ("\n\n", "\r\n\r\n", "\r\n", "\n"):
        if text.endswith(ending):
            text = text[: -len(ending)]
            break
    return unescape_details(text)


def _decode(data: bytes) -> str:
    return data.removeprefix(_BOM).decode("utf-8", "replace")
