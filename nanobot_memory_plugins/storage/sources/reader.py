"""Reading any memory file into documents."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO

from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.sources.markdown import read_markdown
from nanobot_memory_plugins.storage.sources.pieces import FilePiece
from nanobot_memory_plugins.storage.sources.places import FileKind, SourceFile
from nanobot_memory_plugins.storage.sources.transcripts import read_transcript


def read_pieces(
    file: BinaryIO,
    source: SourceFile,
    chunking: Chunking,
    *,
    offset: int = 0,
    line: int = 1,
    ordinal: int = 0,
    is_taken: Callable[[str], bool] = lambda key: False,
) -> Iterator[FilePiece]:
    """Yield what ``source`` contains from the byte ``offset`` (at ``line``) up to ``source.size``, in order.

    Ordinals go on from ``ordinal``. Keys are made unique within the file: the second of a kind gets ``~2``, and so on.
    ``is_taken`` tells whether a key is in the index already, from a part of the file that is not read now.
    """
    seen: set[str] = set()

    def unique(base: str) -> str:
        key, number = base, 1
        while key in seen or is_taken(key):
            number += 1
            key = f"{base}~{number}"
        seen.add(key)
        return key

    file.seek(offset)
    read = read_transcript if source.kind is FileKind.TRANSCRIPT else read_markdown
    for piece in read(file, source, offset, line, chunking):
        documents = tuple(
            replace(document, key=unique(document.key), ordinal=ordinal + place)
            for place, document in enumerate(piece.documents)
        )
        ordinal += len(documents)
        yield replace(piece, documents=documents)
