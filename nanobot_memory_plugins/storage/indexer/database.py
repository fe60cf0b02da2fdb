"""What the indexer asks of the index that it fills."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from nanobot_memory_plugins.storage.documents import FileChange, FileState


class TextToEmbed(NamedTuple):
    """A document that waits for its vector."""

    id: int
    text: str


class FileIndex(Protocol):
    """An index over the files of one workspace. The indexer's thread alone uses it.

    Every method may raise `StoreError`.
    """

    def file_states(self) -> dict[str, FileState]:
        """Return the manifest: how far each file is indexed, by its path."""

    def apply(self, change: FileChange, /) -> None:
        """Apply what one step of the indexer found, whole or not at all."""

    def keys_from(self, path: str, offset: int) -> Sequence[str]:
        """Return the keys of a file's documents that start at a byte or after it."""

    def has_key(self, key: str) -> bool:
        """Tell whether a document is in the index."""

    def drop_older_than(self, source: str, before: datetime) -> int:
        """Drop the documents of a source from before a moment, and do not take them again. Return how many went."""

    def documents_without_vector(self, space: str, limit: int, /) -> Sequence[TextToEmbed]:
        """Return documents that have no vector in a space yet, with the text to embed."""

    def put_vectors(self, space: str, vectors: Sequence[tuple[int, Sequence[float]]], /) -> None:
        """Store vectors by the documents' ids."""

    def close(self) -> None:
        """Close the index."""
