"""Reads the part of the memory files that is not indexed yet, for a search."""

from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.core.files.reading import open_regular
from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.documents import Document, FileState
from nanobot_memory_plugins.storage.sources.pieces import read_blocks, warn_once
from nanobot_memory_plugins.storage.sources.reader import read_pieces
from nanobot_memory_plugins.storage.sources.source_files import SourceFile


class TailReader:
    """Reads files after their indexed part, newest first and within a limit. Safe to use from any thread.

    It caches what a search has read until the file changes, so that the next search reads only what is new.
    """

    def __init__(self, chunking: Chunking) -> None:
        self._chunking = chunking
        self._cached: dict[tuple[SourceFile, int], tuple[Document, ...]] = {}

    def documents(
        self, states: Mapping[str, FileState], sources: Iterable[SourceFile], *, most_bytes: int
    ) -> list[Document]:
        """Return the documents of ``sources`` that the manifest ``states`` does not cover, from at most ``most_bytes``.

        The sources must be listed after the manifest was read: it may be older than they are, but not newer.
        """
        cached, current = self._cached, dict[tuple[SourceFile, int], tuple[Document, ...]]()
        for source in sources:
            state = states.get(source.relative)
            if source.is_unchanged_since(state):
                continue
            # Where it is not safe to continue after the indexed part, the whole file is read.
            resume = state is not None and source.kind.is_resumable and state.offset <= source.size
            offset, line, ordinal = (state.offset, state.line, state.ordinal) if state and resume else (0, 1, 0)
            if most_bytes <= 0:
                if not states:
                    warn_once(source.relative, "without an index neither it nor what is older is searched")
                break
            begin = max(offset, source.size - most_bytes)
            most_bytes -= source.size - begin
            line = line if begin == offset else 0  # 0: inside a line
            documents = cached.get((source, begin))
            current[source, begin] = (
                tuple(self._parse(source, begin, line, ordinal)) if documents is None else documents
            )
        self._cached = current
        return [document for documents in current.values() for document in documents]

    def _parse(self, source: SourceFile, offset: int, line: int, ordinal: int) -> Iterator[Document]:
        try:
            with open_regular(source.path) as file:
                if line == 0:
                    offset, line = _next_line(file, offset)
                read = read_pieces(file, source, self._chunking, offset=offset, line=line, ordinal=ordinal)
                for piece in read:
                    yield from piece.documents
        except OSError as error:
            logger.debug("{} cannot be read now: {}", source.relative, type(error).__name__)


def _next_line(file: BinaryIO, offset: int) -> tuple[int, int]:
    """Return where the first line after ``offset`` starts, and its number."""
    file.seek(0)
    number = 1 + sum(block.count(b"\n") for block in read_blocks(file, offset))
    skipped = file.readline()
    return offset + len(skipped), number + 1
