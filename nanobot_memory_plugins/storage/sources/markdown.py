"""Reads Markdown into documents: one for each structured note and each section, several for a long one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import BinaryIO

from nanobot_memory_plugins.core.files.entry_lines import end_of_entry, text_and_fields
from nanobot_memory_plugins.core.files.fields import origin_of, read_time, scope_of
from nanobot_memory_plugins.core.files.notes import TAG_SEPARATORS, NoteEntry, Passage, parse_notes
from nanobot_memory_plugins.core.text.empty_templates import is_empty_template
from nanobot_memory_plugins.core.text.fence import language_of
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import Document, holds_entries
from nanobot_memory_plugins.storage.sources.pieces import (
    FilePiece,
    decode,
    record_key,
    shorten,
    split_document,
)
from nanobot_memory_plugins.storage.sources.source_files import FileKind, SourceFile

# The header of a scored long-term entry: id, category, score, last activation, hits. Score, date and hits change over
# time and are not indexed.
_ENTRY_HEADER = re.compile(r"\[(?P<id>[^\]\s]+)\]\s*(?P<category>[^|]*?)\s*\|[^|]*\|[^|]*\|[^|]*")
# The title of a file with no text below it: there is nothing to find.
_TITLE = re.compile(r"(#( .*)?)?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
SUPERSEDED = "superseded"
"""The tag of an entry that another entry has replaced."""


def read_markdown(
    file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> Iterator[FilePiece]:
    """Yield the notes and sections of a Markdown file from ``offset`` on, a piece each.

    The last one may still grow and is not closed. Each piece is read independently of those before it, except in the
    long-term file, where the section above an entry says whether it is archived.
    """
    reader = _Reader(source, chunking)
    data = file.read(source.size - offset)
    decode(data, source.relative)
    parts = list(parse_notes(data, offset=offset, line=line))
    for part in parts:
        raw = data[part.offset - offset : part.offset - offset + part.length]
        yield FilePiece(raw, reader.documents(part), closed=part is not parts[-1])


@dataclass(slots=True)
class _Reader:
    """Turns the parts of one file into documents."""

    source: SourceFile
    chunking: Chunking
    section: str = ""

    def documents(self, part: NoteEntry | Passage) -> list[Document]:
        if isinstance(part, NoteEntry):
            return self._note_documents(part)
        entry_header = _ENTRY_HEADER.fullmatch(part.heading) if self.source.kind is FileKind.LONG_TERM else None
        if entry_header is not None:
            return self._entry_documents(part, entry_header)
        if part.heading:
            self.section = part.heading
        text = _without_comments(part.text).strip()
        if is_empty_template(text) if self.source.kind is FileKind.LONG_TERM else _TITLE.fullmatch(text):
            return []
        return self._passage_documents(part)

    def _note_documents(self, note: NoteEntry) -> list[Document]:
        if not note.searchable:
            return []
        if not note.id:
            title, tldr, details = map(self.chunking.redact, (note.title, note.tldr, note.details))
            note = replace(note, title=title, tldr=tldr, details=details)
        time = note.time.isoformat()
        text = _text_of(note) or note.title
        key = record_key(self.source.relative, note.id, time, note.title, text)
        document = Document.of(
            key=key,
            path=self.source.relative,
            line=note.line,
            offset=note.offset,
            source=note.source if self.source.kind is FileKind.DAY_NOTES else self.source.kind.value,
            text=shorten(text, self.source.relative),
            origin=note.origin,
            scope=note.scope,
            speaker=note.scope.user if note.scope.group_chat else "",
            heading=note.title,
            tldr=note.tldr,
            tags=note.tags,
            time=note.time,
        )
        parts = split_document(document, self.chunking.cut(document.text))
        # Only the first part has the tl;dr: a light search reads it, and would find the note twice.
        return [*parts[:1], *(part._replace(tldr="") for part in parts[1:])]

    def _entry_documents(self, part: Passage, header: re.Match[str]) -> list[Document]:
        lines = _LINE.findall(part.text)
        end = end_of_entry(lines, 0)
        text, fields = text_and_fields("".join(lines[1:end]))
        rest_part = replace(part, text="".join(lines[end:]), line=part.line + end)
        rest = _without_comments(rest_part.text).strip()
        other_documents = (
            [] if is_empty_template(rest) else self._passage_documents(replace(rest_part, heading=self.section))
        )
        if fields.get("hides"):
            return other_documents
        text = self.chunking.redact(text)
        if fields.get("superseded_by"):
            text += _superseded_remark(text, fields.get("created", ""), fields.get("ended", ""))
        elif fields.get("supersedes"):
            text += _since_remark(text, fields.get("created", ""))
        else:
            text += _expiry_remark(text, fields.get("expires", ""))
        # An entry that was learned in a session belongs to that session's scope.
        scope = scope_of({**fields, "session": fields.get("session") or fields.get("source", "")})
        document = Document.of(
            key=record_key(self.source.relative, header["id"], text),
            path=self.source.relative,
            line=part.line,
            offset=part.offset,
            source=self.source.kind.value,
            text=shorten(text, self.source.relative),
            origin=origin_of(fields.get("origin", ""), Origin.USER),
            scope=scope,
            speaker=scope.user if scope.group_chat else "",
            heading=header["category"],
            tags=(
                *(("archived",) if self.section.casefold().startswith("archived") else ()),
                *((SUPERSEDED,) if fields.get("superseded_by") else ()),
                *_tags(fields.get("tags", "")),
            ),
            time=read_time(fields.get("created", "")) if holds_entries(self.source.relative) else None,
        )
        return [*split_document(document, self.chunking.cut(document.text)), *other_documents]

    def _passage_documents(self, part: Passage) -> list[Document]:
        """Split a text that somebody wrote; the key of each part is a hash of its content."""
        path = self.source.relative
        return [
            Document.of(
                key=record_key(path, "", chunk.text, part.heading),
                path=path,
                line=part.line + chunk.line,
                offset=part.offset,
                source=self.source.kind.value,
                text=chunk.text,
                origin=Origin.USER,
                heading=part.heading,
                time=_day_of(self.source),
            )
            for chunk in self.chunking.cut(shorten(self.chunking.redact(part.text), path))
        ]


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag.strip() for tag in TAG_SEPARATORS.split(text) if tag.strip())


def _text_of(note: NoteEntry) -> str:
    """Return the text of a note, without the tl;dr if the details begin with it."""
    begin = " ".join(note.tldr.split())
    repeats_summary = bool(begin) and " ".join(note.details.split()).removeprefix("- ").startswith(begin)
    return note.details if repeats_summary else "\n\n".join(filter(None, (note.tldr, note.details)))


def _day_of(source: SourceFile) -> datetime | None:
    """Return the local midnight of the day at the start of the file's name, or None."""
    match = _DAY.match(source.path.name)
    if match is None or source.kind is FileKind.LONG_TERM:
        return None
    try:
        return datetime(int(match[1]), int(match[2]), int(match[3])).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _without_comments(text: str) -> str:
    """Return a text without its HTML comments; an unclosed one stays."""
    parts: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        parts.append(text[at:begin])
        at = end + 3
    return "".join(parts) + text[at:]


def _expiry_remark(text: str, expires: str) -> str:
    day = _day_before(expires)
    return f" ({day})" if day and day not in text else ""


def _superseded_remark(text: str, since: str, until: str) -> str:
    """Return the remark on the text of a superseded entry: from when to when it held."""
    first, last = _day_before(since), _day_before(until)
    if language_of(text) == "zh":
        return f"（以前，{first}至{last}）" if last else "（以前）"
    return f" (earlier, {first} to {last})".replace(",  to", ", until") if last else " (earlier)"


def _since_remark(text: str, since: str) -> str:
    """Return the remark on the text of an entry that supersedes another one: since when it holds."""
    first = _day_before(since)
    if not first:
        return ""
    return f"（自{first}起）" if language_of(text) == "zh" else f" (since {first})"


def _day_before(moment: str) -> str:
    """Return the local day just before a moment, or an empty text for an invalid one."""
    try:
        return (datetime.fromisoformat(moment) - timedelta(microseconds=1)).astimezone().date().isoformat()
    except (ValueError, OverflowError):
        return ""
