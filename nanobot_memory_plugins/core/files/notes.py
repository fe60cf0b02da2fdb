"""The format of structured notes in Markdown files.

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

The fields end at the first blank line, and no value contains a line break, so that details cannot forge a field. A
heading of level 1 to 3 in the details is escaped with a backslash, so that they cannot forge a note or a section
either. The time in the heading is local, for people; ``time`` is exact. ``searchable`` is written only when it is
false. Parsing is lenient, because people write notes by hand too.
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

# Separators of tags, with the full-width forms that people type.
TAG_SEPARATORS = re.compile(r"[,，、]")

# Up to three spaces may precede a Markdown heading. Escaped headings are escaped again.
_HEADING = re.compile(rf"(\A|[{LINE_BREAKS}])(\ufeff? {{0,3}})(\\*#{{1,3}}(?=\s|\Z))")
_ESCAPED = re.compile(rf"(\A|[{LINE_BREAKS}])(\ufeff? {{0,3}})\\(\\*#{{1,3}}(?=\s|\Z))")

_BOM = b"\xef\xbb\xbf"
_FENCE_OR_HEADING = re.compile(
    rb"^(?:\xef\xbb\xbf)?(?: {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|#{1,3}(?:[ \t\r][^\n]*)?)$",
    re.MULTILINE,
)
_NOTE_HEADING = re.compile(r"### (\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\s+(.*))?")
_FIELD = re.compile(r"([A-Za-z][\w;-]*)[ \t]*[:：](.*)")
_DETAILS = re.compile(r"\s*^[ \t]*details[ \t]*[:：][ \t]*(?:\r?\n|\Z)?", re.MULTILINE | re.IGNORECASE)
_ALIASES = {"tldr": "tl;dr", "tag": "tags"}
# A heading with a time starts a note only if one of these fields follows: people write such headings too.
_NOTE_MARKERS = frozenset({"type", "tags", "tl;dr", "id"})
_KNOWN_FIELDS = _NOTE_MARKERS | _ALIASES.keys() | {"time", "origin", *OWNER_FIELDS, "searchable"}


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """One structured note, as parsed from a file.

    ``offset`` is the byte at which its heading starts, ``length`` its size in bytes up to the next heading or the end
    of the file, and ``line`` the line of the heading.
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
        """The `Hit.source` of the note: ``summary``, ``observation`` or ``note``."""
        names = {tag.casefold() for tag in self.tags} | {self.title.casefold()}
        if self.origin is Origin.SUMMARY or "summary" in names:
            return "summary"
        return "observation" if self.origin is Origin.TOOL and "observation" in names else "note"


@dataclass(frozen=True, slots=True)
class Passage:
    """Markdown text that is not a structured note.

    It starts at the beginning of the parsed text, or at a heading of level 1 to 3 with the text ``heading``.
    ``offset`` and ``length`` are in bytes; ``line`` is its first line.
    """

    text: str
    offset: int
    length: int
    line: int
    heading: str


def render_note(note: Note, *, id: str, time: datetime, scope: Scope) -> str:  # noqa: A002
    """Return the text of ``note``, from its heading line to the blank line that ends it.

    The heading shows ``time`` as given, so pass local time; a naive time counts as local. ``note.scope`` and
    ``note.time`` are ignored. Parsing returns the same values, except that line breaks in one-line fields and
    separators in tags become spaces, and NUL and lone surrogates become U+FFFD.
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
    """The heading and the fields of a note. ``body`` is the byte offset after them."""

    time: datetime
    title: str
    fields: dict[str, str]
    body: int


def parse_notes(text: bytes | str, *, offset: int = 0, line: int = 1) -> Iterator[NoteEntry | Passage]:
    """Yield the structured notes of a Markdown file and the passages between them, in the file's order.

    Every byte of the text belongs to exactly one of them. ``offset`` and ``line`` are the place in the file at which
    ``text`` starts. A note is a heading of level 3 with date and time, followed by at least one of the fields ``type``,
    ``tags``, ``tl;dr`` and ``id``; it ends at the next heading of level 1 to 3. Missing fields get defaults, an unknown
    type is ``note``, and without an origin the user is the author. In a fenced code block of a passage only a note with
    an id counts. Bytes that are not UTF-8 become U+FFFD.
    """
    data = text if isinstance(text, bytes) else clean(text).encode("utf-8")
    start = 0
    header: _Header | None = None
    fence: bytes | None = None
    for mark in _FENCE_OR_HEADING.finditer(data):
        if mark["fence"] is not None:
            if header is None:
                fence = _fence_after(fence, mark["fence"], mark["info"])
            continue
        found = _read_header(data, mark.start())
        if fence is not None and (found is None or not found.fields.get("id")):
            continue
        if mark.start() > start:
            yield _note_or_passage(data, start, mark.start(), header, offset, line)
            line += data.count(b"\n", start, mark.start())
        start, header, fence = mark.start(), found, None
    if start < len(data):
        yield _note_or_passage(data, start, len(data), header, offset, line)


def _fence_after(fence: bytes | None, marks: bytes, info: bytes) -> bytes | None:
    """Return the open fence after a line of ``marks``. A fence is closed by at least as many of the same characters."""
    if fence is None:
        return marks
    return None if marks.startswith(fence) and not info.strip() else fence


def _read_header(data: bytes, start: int) -> _Header | None:
    """Return the header of the note whose heading line starts at ``start``, or None when it is not a note."""
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
        # Text without a preceding blank line, in a note written by hand, belongs to the details. Unknown fields in
        # lower case are from a later version, and are skipped.
        if field is None or name == "details" or (name not in _KNOWN_FIELDS and name != field[1]):
            break
        fields.setdefault(_ALIASES.get(name, name), field[2].strip())
        body = after
    if _NOTE_MARKERS.isdisjoint(fields):
        return None
    return _Header(read_time(fields.get("time", "")) or time, (heading[3] or "").strip(), fields, body)


def _line_at(data: bytes, start: int) -> tuple[str, int]:
    end = data.find(b"\n", start) + 1 or len(data)
    return _decode(data[start:end]), end


def _note_or_passage(
    data: bytes, start: int, end: int, header: _Header | None, offset: int, line: int
) -> NoteEntry | Passage:
    """Return the note with this header, or the passage, between two offsets in ``data``."""
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
    """Return the details below the fields, without the word ``details:`` and the final blank line."""
    marker = _DETAILS.match(body)
    text = body[marker.end() :] if marker else body.lstrip("\r\n")
    for ending in ("\n\n", "\r\n\r\n", "\r\n", "\n"):
        if text.endswith(ending):
            text = text[: -len(ending)]
            break
    return _ESCAPED.sub(r"\1\2\3", text)


def _decode(data: bytes) -> str:
    return data.removeprefix(_BOM).decode("utf-8", "replace")
