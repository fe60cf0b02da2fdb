"""Reading any memory file into documents."""

from collections.abc import Iterator
from typing import BinaryIO

from nanobot_memory_plugins.storage.sources.markdown import read_markdown
from nanobot_memory_plugins.storage.sources.pieces import Chunking, FilePiece
from nanobot_memory_plugins.storage.sources.places import FileKind, SourceFile
from nanobot_memory_plugins.storage.sources.transcripts import read_transcript


def resumable(kind: FileKind) -> bool:
    """Tell whether reading may begin at the end of a closed piece, rather than at the file's beginning.

    Long-term memory is short, and what an entry is depends on the section it stands in.
    """
    return kind is not FileKind.LONG_TERM


def read_pieces(file: BinaryIO, source: SourceFile, offset: int, line: int, chunking: Chunking) -> Iterator[FilePiece]:
    """Yield what stands in ``source`` from the byte ``offset`` (at ``line``) up to ``source.size``, in order."""
    read = read_transcript if source.kind is FileKind.TRANSCRIPT else read_markdown
    yield from read(file, source, offset, line, chunking)
