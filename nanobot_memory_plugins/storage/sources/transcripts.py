"""Transcripts as documents: one for each message, more for a long one, none for an order to forget something."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from nanobot_memory_plugins.core.files import TranscriptRecord, parse_transcript_line
from nanobot_memory_plugins.storage.chunking import chunk_text
from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.sources.notices import warn_once
from nanobot_memory_plugins.storage.sources.pieces import (
    Chunking,
    FilePiece,
    bounded,
    decode,
    fingerprint,
    read_lines,
    record_key,
)
from nanobot_memory_plugins.storage.sources.places import SourceFile

# Of a line beyond this only both ends are parsed: its JSON would stand in memory several times.
_LONGEST_LINE = 1 << 25
_HEAD_BYTES, _TAIL_BYTES = 1 << 20, 1 << 18
# Where so many characters hold no backslash and no quote, a JSON text can be cut behind them.
_PLAIN = re.compile(r'[^\\"]{12}')
_CUT_WITHIN = 4_096


def read_transcript(
    file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> Iterator[FilePiece]:
    """Yield the complete lines of a transcript from ``offset`` on, a piece each."""
    head, tail, before = b"", b"", 0  # of a line that comes in several parts, and how long those were
    for raw, ended in read_lines(file, source.size - offset, _LONGEST_LINE):
        if not ended:
            head = head or raw[:_HEAD_BYTES]
            tail, before = raw[-_TAIL_BYTES:], before + len(raw)
            yield FilePiece(raw, closed=False)
            continue
        documents: tuple[Document, ...] = ()
        if before:
            shortened = _shortened(head, (tail + raw)[-_TAIL_BYTES:])
            if shortened:
                warn_once(source.relative, f"a line of more than {_LONGEST_LINE >> 20} MB is indexed by both its ends")
                documents = transcript_documents(shortened, source, offset, line, chunking)
            else:
                warn_once(source.relative, f"a line of more than {_LONGEST_LINE >> 20} MB is not indexed")
        elif raw.strip():
            documents = transcript_documents(raw, source, offset, line, chunking)
        yield FilePiece(raw, documents)
        offset, line = offset + before + len(raw), line + 1
        head, tail, before = b"", b"", 0


def _shortened(head: bytes, tail: bytes) -> bytes:
    """Return a line without the middle of its text, or nothing where it is no message with such a text.

    The fields that say whose it is stand behind the text: without the line's end nothing of it may be indexed.
    """
    first, last = head.decode("utf-8", "ignore"), tail.decode("utf-8", "ignore")
    ends = list(_PLAIN.finditer(first, max(0, len(first) - _CUT_WITHIN)))
    begin = _PLAIN.search(last, 0, _CUT_WITHIN)
    if not ends or begin is None:
        return b""
    line = f"{first[: ends[-1].end()]} … {last[begin.end() :]}".encode()
    return line if parse_transcript_line(line) is not None else b""


def transcript_documents(
    raw: bytes, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> tuple[Document, ...]:
    """Return the documents of one line, which stands at ``offset`` and ``line``; none when it is no message."""
    text = decode(raw, source.relative)
    record = parse_transcript_line(text.encode("utf-8"))
    if record is None:
        warn_once(source.relative, "some of its lines are no messages, and are not indexed")
        return ()
    time = record.time.isoformat() if record.time is not None else ""
    speaker = _speaker(record)
    key = record_key(source.relative, record.id, fingerprint(record.role, time, record.text))
    said = bounded(record.text, source.relative)
    if not said.strip():
        return ()
    chunks = chunk_text(
        said,
        source_type="transcript",
        source_id=key,
        max_tokens=chunking.max_tokens,
        overlap_tokens=chunking.overlap_tokens,
    )
    return tuple(
        Document(
            key=f"{key}/{index}" if index else key,
            path=source.relative,
            line=line,
            offset=offset,
            ordinal=0,
            source="transcript",
            text=chunk.text,
            content_hash=fingerprint(chunk.text, speaker, time),
            origin=record.origin,
            scope=record.scope,
            speaker=speaker,
            time=record.time,
        )
        for index, chunk in enumerate(chunks)
    )


def _speaker(record: TranscriptRecord) -> str:
    if record.name:
        return record.name
    return record.scope.user if record.role == "user" and record.scope.user else record.role
