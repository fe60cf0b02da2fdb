"""Made-up texts with the word frequencies of real ones, and indexes full of them.

Words follow Zipf's law with an exponent of 1. As in real text, the most frequent ones are function words, which
questions leave out. They are nearly half of an English text.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from nanobot_memory_plugins.core.values import Origin, Scope
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.segmentation import STOPWORDS

AGENT = "ours"
SESSIONS = 20
FILE_CHUNKS = 50
_VECTORS_PER_TRANSACTION = 2_000
_FIRST_DAY, _SPAN = datetime(2024, 1, 1, tzinfo=UTC), timedelta(days=730)
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_ENGLISH_WORDS = 50_000


@dataclass(frozen=True, slots=True)
class Language:
    """A made-up language: ``words`` by falling frequency, joined by ``separator``.

    A chunk has ``chunk_words`` words, about 80 tokens.
    """

    name: str
    words: tuple[str, ...]
    separator: str
    chunk_words: int

    def text(self, words: int, generator: np.random.Generator) -> str:
        """Return a random text with the given number of words."""
        ranks = (len(self.words) ** generator.random(words)).astype(np.int64) - 1
        return self.separator.join(self.words[rank] for rank in ranks.tolist())


def english() -> Language:
    """Return a language with the English stop words first, then made-up words, the rarer ones longer."""
    syllables = [c + v for c in _CONSONANTS for v in _VOWELS]
    words = ("".join(parts) for count in (2, 3, 4) for parts in itertools.product(syllables, repeat=count))
    # Only every seventh word, since neighbours that differ in the last letter have the same stem.
    distinct = itertools.islice(words, 0, None, 7)
    common = sorted(STOPWORDS)
    return Language("English", (*common, *itertools.islice(distinct, _ENGLISH_WORDS - len(common))), " ", 60)


def documents(language: Language, count: int, *, seed: int = 1) -> Iterator[FileChange]:
    """Yield files of chunks, one at a time, so that a million chunks need no more memory than a hundred."""
    generator = np.random.default_rng(seed)
    step = _SPAN * FILE_CHUNKS / count
    for file in range(count // FILE_CHUNKS):
        path = f"memory/{file}.md"
        chunks = []
        for n in range(FILE_CHUNKS):
            text = language.text(language.chunk_words, generator)
            chunks.append(
                Document.of(
                    key=f"{path}:{n}",
                    path=path,
                    line=n + 1,
                    offset=n,
                    ordinal=n,
                    source="note",
                    text=text,
                    origin=Origin.USER,
                    scope=Scope(agent=AGENT, session=str(file % SESSIONS)),
                    heading=language.text(4, generator),
                    time=_FIRST_DAY + file * step,
                )
            )
        yield FileChange(path, FileState(path, 1, "", 1, 0), tuple(chunks))


def fill(database: Database, language: Language, count: int) -> None:
    """Index ``count`` chunks in the same way as the indexer."""
    for change in documents(language, count):
        database.apply(change)


def unit_vectors(count: int, dimension: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return random unit vectors. A model's vectors would take hours, and cost the same to compare."""
    vectors = generator.standard_normal((count, dimension), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def embed(database: Database, name: str, dimension: int) -> None:
    """Give every chunk a random vector."""
    generator = np.random.default_rng(2)
    ids = [row[0] for row in database.connection.execute("SELECT id FROM docs ORDER BY id")]
    for start in range(0, len(ids), _VECTORS_PER_TRANSACTION):
        batch = ids[start : start + _VECTORS_PER_TRANSACTION]
        vectors = unit_vectors(len(batch), dimension, generator)
        database.put_vectors(name, [(doc_id, vector.tolist()) for doc_id, vector in zip(batch, vectors, strict=True)])
