"""Made-up texts, as unevenly worded as real ones, and indexes full of them.

Words follow Zipf's law with an exponent of 1. The commonest are the function words of the language, which questions do
without, as in real text: they are nearly half of the English one.
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
_VECTORS_A_TRANSACTION = 2_000
_BEGINNING, _SPAN = datetime(2024, 1, 1, tzinfo=UTC), timedelta(days=730)
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_ENGLISH_WORDS = 50_000


@dataclass(frozen=True, slots=True)
class Language:
    """``words`` by falling frequency, ``joint`` between them. A chunk has ``chunk_words``: about 80 tokens."""

    name: str
    words: tuple[str, ...]
    joint: str
    chunk_words: int

    def text(self, words: int, generator: np.random.Generator) -> str:
        """Return a text of so many words."""
        ranks = (len(self.words) ** generator.random(words)).astype(np.int64) - 1
        return self.joint.join(self.words[rank] for rank in ranks.tolist())


def english() -> Language:
    """Return words of two to five syllables, rarer ones longer, after the stop words."""
    syllables = [c + v for c in _CONSONANTS for v in _VOWELS]
    made = ("".join(parts) for count in (2, 3, 4) for parts in itertools.product(syllables, repeat=count))
    # Every seventh: neighbours would differ in their last letter only, and a stemmer would make them one.
    distinct = itertools.islice(made, 0, None, 7)
    common = sorted(STOPWORDS)
    return Language("English", (*common, *itertools.islice(distinct, _ENGLISH_WORDS - len(common))), " ", 60)


def documents(language: Language, count: int, *, seed: int = 1) -> Iterator[FileChange]:
    """Yield files of chunks, one at a time: a million chunks need no more memory than a hundred."""
    generator = np.random.default_rng(seed)
    step = _SPAN * FILE_CHUNKS / count
    for file in range(count // FILE_CHUNKS):
        path = f"memory/{file}.md"
        found = []
        for n in range(FILE_CHUNKS):
            text = language.text(language.chunk_words, generator)
            found.append(
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
                    time=_BEGINNING + file * step,
                )
            )
        yield FileChange(path, FileState(path, 1, "", 1, 0), tuple(found))


def fill(database: Database, language: Language, count: int) -> None:
    """Index so many chunks through the indexer's own way in."""
    for change in documents(language, count):
        database.apply(change)


def unit_vectors(count: int, dimension: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return random directions: a model's vectors would take hours, and comparing them costs no less."""
    vectors = generator.standard_normal((count, dimension), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def embed(database: Database, name: str, dimension: int) -> None:
    """Give every chunk a random vector."""
    generator = np.random.default_rng(2)
    waiting = [row[0] for row in database.connection.execute("SELECT id FROM docs ORDER BY id")]
    for start in range(0, len(waiting), _VECTORS_A_TRANSACTION):
        some = waiting[start : start + _VECTORS_A_TRANSACTION]
        vectors = unit_vectors(len(some), dimension, generator)
        database.put_vectors(name, [(doc_id, vector.tolist()) for doc_id, vector in zip(some, vectors, strict=True)])
