"""Markdown as documents: one for each structured note and each section, more for a long one."""

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
    bounded,
    decode,
    in_parts,
    record_key,
)
from nanobot_memory_plugins.storage.sources.places import FileKind, SourceFile

# The header of a scored long-term entry: id, category, score, last activation, hits. Score, date and hits change
# by themselves, so that they are no part of what is indexed.
_SCORED = re.compile(r"\[(?P<id>[^\]\s]+)\]\s*(?P<category>[^|]*?)\s*\|[^|]*\|[^|]*\|[^|]*")
# The title of a file with nothing below it: there is nothing to find.
_TITLE = re.compile(r"(#( .*)?)?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
SUPERSEDED = "superseded"
"""The tag of an entry that another one has replaced."""


def read_markdown(
    file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> Iterator[FilePiece]:
    """Yield the notes and sections of a Markdown file from ``offset`` on, a piece each.

    The last one may still grow and is not closed. Each is read without looking at what comes before it, except
    in the long-term file, where the section above says whether an entry is archived.
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
            return self._note(part)
        scored = _SCORED.fullmatch(part.heading) if self.source.kind is FileKind.LONG_TERM else None
        if scored is not None:
            return self._scored(part, scored)
        if part.heading:
            self.section = part.heading
        text = _without_comments(part.text).strip()
        if is_empty_template(text) if self.source.kind is FileKind.LONG_TERM else _TITLE.fullmatch(text):
            return []
        return self._passage(part)

    def _note(self, note: NoteEntry) -> list[Document]:
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
            text=bounded(text, self.source.relative),
            origin=note.origin,
            scope=note.scope,
            speaker=note.scope.user if note.scope.group_chat else "",
            heading=note.title,
            tldr=note.tldr,
            tags=note.tags,
            time=note.time,
        )
        parts = in_parts(document, self.chunking.cut(document.text))
        # Once a note: it is what the light search reads, and the rest would be found twice.
        return [*parts[:1], *(part._replace(tldr="") for part in parts[1:])]

    def _scored(self, part: Passage, header: re.Match[str]) -> list[Document]:
        lines = _LINE.findall(part.text)
        end = end_of_entry(lines, 0)
        text, fields = text_and_fields("".join(lines[1:end]))
        rest_part = replace(part, text="".join(lines[end:]), line=part.line + end)
        rest = _without_comments(rest_part.text).strip()
        others = [] if is_empty_template(rest) else self._passage(replace(rest_part, heading=self.section))
        if fields.get("hides"):
            return others
        text = self.chunking.redact(text)
        if fields.get("superseded_by"):
            text += _held(text, fields.get("created", ""), fields.get("ended", ""))
        elif fields.get("supersedes"):
            text += _holds_since(text, fields.get("created", ""))
        else:
            text += _last_day(text, fields.get("expires", ""))
        # One that was learned in a session is not everybody's.
        scope = scope_of({**fields, "session": fields.get("session") or fields.get("source", "")})
        document = Document.of(
            key=record_key(self.source.relative, header["id"], text),
            path=self.source.relative,
            line=part.line,
            offset=part.offset,
            source=self.source.kind.value,
            text=bounded(text, self.source.relative),
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
        return [*in_parts(document, self.chunking.cut(document.text)), *others]

    def _passage(self, part: Passage) -> list[Document]:
        """Cut what somebody wrote; each part is known by its content."""
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
            for chunk in self.chunking.cut(bounded(self.chunking.redact(part.text), path))
        ]


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag.strip() for tag in TAG_SEPARATORS.split(text) if tag.strip())


def _text_of(note: NoteEntry) -> str:
    """Return the text of a note; its summary is left out where the details begin with it."""
    begin = " ".join(note.tldr.split())
    repeats_summary = bool(begin) and " ".join(note.details.split()).removeprefix("- ").startswith(begin)
    return note.details if repeats_summary else "\n\n".join(filter(None, (note.tldr, note.details)))


def _day_of(source: SourceFile) -> datetime | None:
    """Return the beginning of the day, local time, that the file's name starts with."""
    found = _DAY.match(source.path.name)
    if found is None or source.kind is FileKind.LONG_TERM:
        return None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3])).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def _without_comments(text: str) -> str:
    """Return a text without its comments; one that is not closed stays."""
    kept: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept.append(text[at:begin])
        at = end + 3
    return "".join(kept) + text[at:]


def _last_day(text: str, expires: str) -> str:
    day = _day_before(expires)
    return f" ({day})" if day and day not in text else ""


def _held(text: str, since: str, until: str) -> str:
    """Return what is appended to a text that has been replaced by another one: from when to when it held."""
    first, last = _day_before(since), _day_before(until)
    if language_of(text) == "zh":
        return f"（以前，{first}至{last}）" if last else "（以前）"
    return f" (earlier, {first} to {last})".replace(",  to", ", until") if last else " (earlier)"


def _holds_since(text: str, since: str) -> str:
    """Return what is appended to a text that has taken the place of another one."""
    first = _day_before(since)
    if not first:
        return ""
    return f"（自{first}起）" if language_of(text) == "zh" else f" (since {first})"


def _day_before(moment: str) -> str:
    """Return the local day just before a moment, or nothing where there is none."""
    try:
        return (datetime.fromisoformat(moment) - timedelta(microseconds=1)).astimezone().date().isoformat()
    except (ValueError, OverflowError):
        return ""
