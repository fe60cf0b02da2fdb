"""Types and helpers that the readers of all kinds of files share."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.storage.chunking import Chunk
from nanobot_memory_plugins.storage.documents import Document

# Of a record with more characters than this only the head and the tail are indexed; the file keeps all of it.
LONGEST_TEXT = 1_000_000
_HEAD, _TAIL = 200_000, 50_000
_BLOCK = 1 << 20
_LONGEST_ID = 64
_HASH_DIGITS = 20


@dataclass(frozen=True, slots=True)
class FilePiece:
    """A section of a file and its documents.

    ``raw`` are its bytes; the pieces of a file join without gaps. Only after a ``closed`` piece may indexing stop and
    later resume: what follows can be read without the pieces before it.
    """

    raw: bytes
    documents: Sequence[Document] = ()
    closed: bool = True


@lru_cache(maxsize=10_000)
def warn_once(path: str, problem: str) -> None:
    """Log a problem of a file, once per process."""
    logger.warning("{}: {}", path, problem)


def read_blocks(file: BinaryIO, length: int) -> Iterator[bytes]:
    """Yield the next ``length`` bytes of ``file`` in blocks, fewer at its end."""
    while length > 0 and (block := file.read(min(length, _BLOCK))):
        length -= len(block)
        yield block


def decode(raw: bytes, path: str) -> str:
    """Return ``raw`` as text; bytes that are not UTF-8 are replaced, with one warning per file."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        warn_once(path, "not all of it is UTF-8; what is not is replaced in the index")
        return raw.decode("utf-8", errors="replace")


def shorten(text: str, path: str) -> str:
    """Return ``text``, or only its head and tail when it is too long to be indexed."""
    if len(text) <= LONGEST_TEXT:
        return text
    warn_once(path, f"a text of {len(text):,} characters is indexed by its beginning and its end only")
    return f"{text[:_HEAD]}\n\n{text[-_TAIL:]}"


def split_document(document: Document, chunks: Iterable[Chunk]) -> list[Document]:
    """Return a document for each chunk of its text: the first keeps the key, the others add their number to it."""
    return [
        document._replace(key=f"{document.key}/{index}" if index else document.key, text=chunk.text)
        for index, chunk in enumerate(chunks)
    ]


def record_key(path: str, record_id: str, *content: str) -> str:
    """Return the key of a record: by its own id, or by a hash of its ``content`` when the id is unusable."""
    if 0 < len(record_id) <= _LONGEST_ID and record_id.isprintable():
        return f"{path}#{record_id}"
    digest = hashlib.sha256()
    for part in content:
        raw = part.encode("utf-8", errors="surrogatepass")
        digest.update(b"%d:" % len(raw))  # separates the parts
        digest.update(raw)
    return f"{path}#{digest.hexdigest()[:_HASH_DIGITS]}"
