"""The form of a structured note in a Markdown file.

::

    ### 2026-02-16 14:20 optional title
    type: decision
    tags: cloudflare, sqlite
    tl;dr: one line
    id: 019c6534-7ae0-7b1e-9d3f-2a5c8e41d6b7
    time: 2026-02-16T14:20:33.120+08:00
    origin: tool
    session: cli:direct
    searchable: false

    details:
    - anything, of any length
    <blank line>

The fields end at the first blank line, and no value holds a line break, so details cannot forge a field. A
line of the details that would be a heading of level 1 to 3 is written with a backslash before it, so
details cannot forge an entry or a section either. The heading's time is local, for people; ``time`` is the
exact instant. ``searchable`` is only in notes that no search finds. It is read leniently: people write notes, too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from nanobot_memory_plugins.core.clock import in_local_zone
from nanobot_memory_plugins.core.files.fields import (
    OWNER_FIELDS,
    choice,
    exact_time,
    origin_of,
    read_time,
    scope_fields,
    scope_of,
)
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean, clean_markdown, one_line
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope

# What separates tags; people type the full-width forms too.
TAG_SEPARATORS = re.compile(r"[,，、]")

# Up to three spaces may precede a Markdown heading. Already escaped ones are escaped again.
_HEADING = re.compile(rf"(\A|[{LINE_BREAKS}])(\ufeff? {{0,3}})(\\*#{{1,3}}(?=\s|\Z))")
_ESCAPED = re.compile(rf"(\A|[{LINE_BREAKS}])(\ufeff? {{0,3}})\\(\\*#{{1,3}}(?=\s|\Z))")

_BOM = b"\xef\xbb\xbf"
_MARK = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?: {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|#{1,3}(?:[ \t\r][^\n]*)?)$",
    re.MULTILINE,
)
_NOTE_HEADING = re.compile(r"### (\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\s+(.*))?")
_FIELD = re.compile(r"([A-Za-z][\w;-]*)[ \t]*[:：](.*)")
_DETAILS = re.compile(r"\s*^[ \t]*details[ \t]*[:：][ \t]*(?:\r?\n|\Z)?", re.MULTILINE | re.IGNORECASE)
_ALIASES = {"tldr": "tl;dr", "tag": "tags"}
# One of these must be under a heading with a time, or it is somebody's own section.
_TELLING = frozenset({"type", "tags", "tl;dr", "id"})
_KNOWN = _TELLING | _ALIASES.keys() | {"time", "origin", *OWNER_FIELDS, "searchable"}


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """One structured note as it is in a file.

    ``offset`` is the byte at which its heading line starts, ``length`` its bytes up to the next heading or
    the end, ``line`` the heading's line.
    """

    id: str
    time: datetime
    type: NoteType
    tags: tuple[str, ...]
    tldr: str
    details: str
    title: str
    origin: Origin
    scope: Scope
    offset: int
    length: int
    line: int
    searchable: bool = True

    @property
    def source(self) -> str:
        """The `Hit.source` of the note in the file of a day: ``summary``, ``observation`` or ``note``."""
        names = {tag.casefold() for tag in self.tags} | {self.title.casefold()}
        if self.origin is Origin.SUMMARY or "summary" in names:
            return "summary"
        return "observation" if self.origin is Origin.TOOL and "observation" in names else "note"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of Markdown that is no structured note: somebody's own text.

    It starts at the beginning of what was read or at a heading of level 1 to 3, whose text is ``heading``.
    ``offset``, ``length`` (both in bytes) and ``line`` are its place.
    """

    text: str
    offset: int
    length: int
    line: int
    heading: str


def render_note(note: Note, *, id: str, time: datetime, scope: Scope) -> str:  # noqa: A002
    """Return the text of ``note``, from its heading line to the blank line that ends it.

    The heading shows ``time`` as it is, so pass local time; a naive one counts as the machine's local time.
    ``note.scope`` and ``note.time`` are not looked at. Parsing gives back what was passed, with line
    breaks in one-line fields as spaces, separators in tags as spaces, and NUL and lone surrogates as U+FFFD.
    """
    when = time if time.tzinfo is not None else in_local_zone(time)
    fields = {
        "type": choice(NoteType, note.type, NoteType.NOTE),
        "tags": ", ".join(filter(None, (one_line(TAG_SEPARATORS.sub(" ", one_line(tag))) for tag in note.tags))),
        "tl;dr": note.tldr,
        "id": id,
        "time": exact_time(when),
        "origin": choice(Origin, note.origin, Origin.ASSISTANT),
        **scope_fields(scope),
        "searchable": "" if note.searchable else "false",
    }
    minute = when.replace(tzinfo=None).isoformat(sep=" ", timespec="minutes")
    lines = [f"### {minute} {one_line(note.title)}".rstrip()]
    for name, value in fields.items():
        line = one_line(value)
        if line or name == "tl;dr":
            lines.append(f"{name}: {line}".rstrip())
    if details := clean_markdown(note.details):
        lines += ["", "details:", _HEADING.sub(r"\1\2\\\3", details)]
    return "\n".join(lines) + "\n\n"


@dataclass(frozen=True, slots=True)
class _Header:
    """The heading and the fields of a note; ``body`` is the byte after them."""

    time: datetime
    title: str
    fields: dict[str, str]
    body: int


def parse_notes(text: bytes | str, *, offset: int = 0, line: int = 1) -> Iterator[NoteEntry | Passage]:
    """Yield the structured notes of a Markdown file and what lies between them, in the file's order.

    Together they are the whole text: each byte belongs to exactly one of them. ``offset`` and ``line`` say
    where in its file ``text`` starts. A note is a heading of level 3 with date and time, under which at
    least one of ``type``, ``tags``, ``tl;dr`` and ``id`` stands; it reaches to the next heading of level 1
    to 3. Missing fields get defaults, an unknown type is ``note``, and without an origin a person wrote it.
    In a fenced code block of somebody's own text only a note with an id counts. Bytes that are not UTF-8
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
            yield _part(data, start, mark.start(), header, offset, line)
            line += data.count(b"\n", start, mark.start())
        start, header, fence = mark.start(), found, None
    if start < len(data):
        yield _part(data, start, len(data), header, offset, line)


def _fence_after(fence: bytes | None, marks: bytes, info: bytes) -> bytes | None:
    """Return the open fence after a line of ``marks``: a fence closes with at least as many of the same."""
    if fence is None:
        return marks
    return None if marks.startswith(fence) and not info.strip() else fence


def _read_header(data: bytes, start: int) -> _Header | None:
    """Return the header of the note whose heading line starts at ``start``, or None if it is no note."""
    line, body = _line_at(data, start)
    heading = _NOTE_HEADING.fullmatch(line.rstrip("\r\n"))
    time = read_time(f"{heading[1]}T{heading[2]}") if heading is not None else None
    if heading is None or time is None:
        return None
    fields: dict[str, str] = {}
    while body < len(data):
        line, after = _line_at(data, body)
        if not line.strip():
            body = after
            break
        field = _FIELD.fullmatch(line.strip())
        name = field[1].lower() if field else ""
        # Text without a blank line before it: somebody wrote it by hand, and it is the details. A field of a
        # later version is passed over; those are in lower case.
        if field is None or name == "details" or (name not in _KNOWN and name != field[1]):
            break
        fields.setdefault(_ALIASES.get(name, name), field[2].strip())
        body = after
    if _TELLING.isdisjoint(fields):
        return None
    return _Header(read_time(fields.get("time", "")) or time, (heading[3] or "").strip(), fields, body)


def _line_at(data: bytes, start: int) -> tuple[str, int]:
    end = data.find(b"\n", start) + 1 or len(data)
    return _decode(data[start:end]), end


def _part(data: bytes, start: int, end: int, header: _Header | None, offset: int, line: int) -> NoteEntry | Passage:
    """Return the text between two bytes of ``data``."""
    if header is None:
        text = _decode(data[start:end])
        first = text.partition("\n")[0].strip()
        heading = first.lstrip("#").strip() if re.match(r"#{1,3}(\s|$)", first) else ""
        return Passage(text, offset + start, end - start, line, heading)
    fields = header.fields
    return NoteEntry(
        id=fields.get("id", ""),
        time=header.time,
        type=choice(NoteType, fields.get("type", ""), NoteType.NOTE),
        tags=tuple(filter(None, (tag.strip() for tag in TAG_SEPARATORS.split(fields.get("tags", ""))))),
        tldr=fields.get("tl;dr", ""),
        details=_details(_decode(data[header.body : end])),
        title=header.title,
        origin=origin_of(fields.get("origin", ""), Origin.USER),
        scope=scope_of(fields),
        offset=offset + start,
        length=end - start,
        line=line,
        searchable=fields.get("searchable", "").casefold() not in ("false", "no"),
    )


def _details(body: str) -> str:
    """Return the details below the fields, without the word and the blank line that ends the note."""
    marker = _DETAILS.match(body)
    text = body[marker.end() :] if marker else body.lstrip("\r\n")
    for ending in ("\n\n", "\r\n\r\n", "\r\n", "\n"):
        if text.endswith(ending):
            text = text[: -len(ending)]
            break
    return _ESCAPED.sub(r"\1\2\3", text)


def _decode(data: bytes) -> str:
    return data.removeprefix(_BOM).decode("utf-8", "replace")
