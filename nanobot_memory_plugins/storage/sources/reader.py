"""Reading any memory file into documents."""

from collections.abc import Iterator
from typing import BinaryIO

from nanobot_memory_plugins.storage.sources.markdown import read_markdown
from nanobot_memory_plugins.storage.sources.pieces import Chunking, FilePiece
from nanobot_memory_plugins.storage.sources.places import FileKind, SourceFile
from nanobot_memory_plugins.storage.sources.transcripts import read_transcript


def read_pieces(file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking) -> Iterator[FilePiece]:
    """Yield what ``source`` contains from the byte ``offset`` (at ``line``) up to ``source.size``, in order."""
    read = read_transcript if source.kind is FileKind.TRANSCRIPT else read_markdown
    yield from read(file, source, offset, line, chunking)
