"""Spill files as documents: records that wait until another process lets go of their file."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO

from nanobot_memory_plugins.storage.documents import Document
from nanobot_memory_plugins.storage.sources.markdown import read_markdown
from nanobot_memory_plugins.storage.sources.notices import warn_once
from nanobot_memory_plugins.storage.sources.pieces import Chunking, FilePiece
from nanobot_memory_plugins.storage.sources.places import SourceFile, kind_of_target
from nanobot_memory_plugins.storage.sources.transcripts import transcript_documents

# A record is a line of JSON that names its file and its length, and then its bytes.
_LONGEST_RECORD = 1 << 25


def read_spill(file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking) -> Iterator[FilePiece]:
    """Yield the complete records from ``offset`` on, a piece each."""
    while offset < source.size:
        head = file.readline(_LONGEST_RECORD)
        try:
            fields = json.loads(head)
            target, length = str(fields["file"]), int(fields["bytes"])
        except (ValueError, KeyError, TypeError):
            warn_once(source.relative, "it is damaged, and not indexed from there on")
            return
        if not head.endswith(b"\n") or not 0 <= length <= source.size - offset - len(head):
            return
        body = file.read(length)
        if len(body) < length:
            return
        at = (offset + len(head), line + 1)
        documents = () if length > _LONGEST_RECORD else _documents(target, body, source, *at, chunking)
        yield FilePiece(head + body, documents)
        offset, line = at[0] + length, at[1] + body.count(b"\n")


def _documents(
    target: str, body: bytes, source: SourceFile, offset: int, line: int, chunking: Chunking
) -> tuple[Document, ...]:
    if target.endswith(".jsonl"):
        return transcript_documents(body, source, offset, line, chunking)
    inside = replace(source, kind=kind_of_target(target), size=len(body))
    pieces = read_markdown(BytesIO(body), inside, 0, line, chunking)
    return tuple(replace(document, offset=offset + document.offset) for piece in pieces for document in piece.documents)
