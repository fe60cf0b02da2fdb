"""Reads any memory file into documents: of a transcript one for each message, several for a long one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.sources.markdown import read_markdown
from nanobot_memory_plugins.storage.sources.pieces import (
    FilePiece,
    decode,
    record_key,
    shorten,
    split_document,
    warn_once,
)
from nanobot_memory_plugins.storage.sources.source_files import FileKind, SourceFile

# A longer line is not parsed: its JSON would be in memory several times.
_LONGEST_LINE = 1 << 25


def read_pieces(
    file: BinaryIO,
    source: SourceFile,
    chunking: Chunking,
    *,
    offset: int = 0,
    line: int = 1,
    ordinal: int = 0,
    is_used: Callable[[str], bool] = lambda key: False,
) -> Iterator[FilePiece]:
    """Yield the pieces of ``source`` from the byte ``offset`` (at ``line``) up to ``source.size``, in order.

    Ordinals continue from ``ordinal``. Keys are made unique within the file: the second equal key gets ``~2``, and so
    on. ``is_used`` tells whether an earlier part of the file, which is not read now, uses a key in the index.
    """
    seen: set[str] = set()

    def unique(base: str) -> str:
        key, number = base, 1
        while key in seen or is_used(key):
            number += 1
            key = f"{base}~{number}"
        seen.add(key)
        return key

    file.seek(offset)
    read = _read_transcript if source.kind is FileKind.TRANSCRIPT else read_markdown
    for piece in read(file, source, offset, line, chunking):
        documents = [
            document._replace(key=unique(document.key), ordinal=ordinal + place)
            for place, document in enumerate(piece.documents)
        ]
        ordinal += len(documents)
        yield replace(piece, documents=documents)


def _read_transcript(
    file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> Iterator[FilePiece]:
    """Yield the lines of a transcript from ``offset`` on, a piece each, without an unfinished last line."""
    while (raw := file.readline(max(0, source.size - offset))).endswith(b"\n"):
        documents: Sequence[Document] = ()
        if len(raw) > _LONGEST_LINE:
            warn_once(source.relative, f"a line of more than {_LONGEST_LINE >> 20} MB is not indexed")
        elif raw.strip():
            documents = _transcript_documents(raw, source, offset, line, chunking)
        yield FilePiece(raw, documents)
        offset, line = offset + len(raw), line + 1


def _transcript_documents(
    raw: bytes, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> Sequence[Document]:
    """Return the documents of one line, which is at ``offset`` and ``line``; none when it is not a message."""
    text = decode(raw, source.relative)
    record = parse_transcript_line(text.encode("utf-8"))
    if record is None:
        warn_once(source.relative, "some of its lines are no messages, and are not indexed")
        return ()
    time = record.time.isoformat() if record.time is not None else ""
    key = record_key(source.relative, record.id, record.role, time, record.text)
    content = shorten(record.text, source.relative)
    if not content.strip():
        return ()
    document = Document.of(
        key=key,
        path=source.relative,
        line=line,
        offset=offset,
        source="transcript",
        text=content,
        origin=record.origin,
        scope=record.scope,
        speaker=record.speaker,
        time=record.time,
    )
    return split_document(document, chunking.cut(content))
