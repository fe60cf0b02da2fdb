"""How long a search takes at 10,000 chunks, as a multiple of what cannot be spared.

That is one scan of the vectors by numpy, one bare full-text query with the same terms, OR-joined, for the best 100,
and one embedding of the query, all in the same run on the same data. Without the model, its vectors are random and
its embedding is left out.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import report
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Origin, Query, Scope, Tier
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import Document, FileChange, FileState
from nanobot_memory_plugins.storage.embedding import EmbeddingOptions, open_embedder
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher
from nanobot_memory_plugins.storage.segmentation import match_expression, query_terms

CHUNKS = 10_000
CHUNK_WORDS = 60
QUESTIONS = 60
MOST = 5.0
_VOCABULARY = 20_000
_FILE_CHUNKS = 50


class RandomVectors:
    """Vectors as a model would return them, for a machine that has none."""

    name = "random"
    dimension = 512

    def encode(self, texts: str | list[str]) -> list[list[float]]:
        """Return one vector a text, always the same for the same text."""
        found = []
        for text in [texts] if isinstance(texts, str) else texts:
            vector = np.random.default_rng(abs(hash(text))).normal(size=self.dimension)
            found.append((vector / np.linalg.norm(vector)).tolist())
        return found


def words(count: int, chosen: random.Random) -> list[str]:
    """Return made-up words that are as unevenly common as those of a language."""
    return [f"w{int(_VOCABULARY ** chosen.random())}x" for _ in range(count)]


def fill(database: Database) -> None:
    """Index the chunks, and give each a random vector: the model's would take minutes and cost the scan no less."""
    chosen = random.Random(1)
    for file in range(CHUNKS // _FILE_CHUNKS):
        path = f"memory/{file}.md"
        documents = tuple(
            Document(
                key=f"{path}:{n}",
                path=path,
                line=n + 1,
                offset=n,
                ordinal=n,
                source="note",
                text=" ".join(words(CHUNK_WORDS, chosen)),
                content_hash=f"{file}-{n}",
                origin=Origin.USER,
                scope=Scope(agent="ours", session=str(file % 20)),
            )
            for n in range(_FILE_CHUNKS)
        )
        database.apply(FileChange(path, FileState(path, 1, "", 1, 0), documents))


def embed(database: Database, name: str, dimension: int) -> None:
    """Give every chunk a vector."""
    generator = np.random.default_rng(2)
    while waiting := database.documents_without_vector(name, 1_000):
        vectors = generator.normal(size=(len(waiting), dimension))
        database.put_vectors(name, [(row.id, vector.tolist()) for row, vector in zip(waiting, vectors, strict=True)])


def seconds_of(functions: dict[str, Callable[[str], object]], questions: list[str]) -> dict[str, list[float]]:
    """Return the seconds that each question takes with each function.

    They take turns, so that what else the machine does falls on all of them; the first two questions do not count.
    """
    times: dict[str, list[float]] = {name: [] for name in functions}
    for question in [*questions[:2], *questions]:
        for name, function in functions.items():
            started = time.perf_counter()
            function(question)
            times[name].append(time.perf_counter() - started)
    return {name: found[2:] for name, found in times.items()}


def main() -> None:
    """Print the ratio and what it is made of."""
    model: Embedder | None = open_embedder(EmbeddingOptions())
    embedder = model or RandomVectors()
    chosen = random.Random(3)
    questions = [" ".join(words(8, chosen)) for _ in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as folder:
        database = Database.open(Path(folder) / "memory.db")
        fill(database)
        embed(database, embedder.name, embedder.dimension)
        searcher = Searcher(database, lambda: embedder, options=SearchOptions(), clock=SystemClock())
        started = time.perf_counter()
        searcher.search(Query(questions[0]))
        report("first search, which reads the vectors", (time.perf_counter() - started) * 1e3, "ms")

        matrix = np.random.default_rng(4).normal(size=(CHUNKS, embedder.dimension)).astype(np.float32)
        vector = matrix[0]
        bare = "SELECT rowid FROM docs_fts WHERE docs_fts MATCH ? ORDER BY rank LIMIT 100"
        parts: dict[str, Callable[[str], object]] = {
            "numpy scan": lambda text: np.argpartition(-(matrix @ vector), 100)[:100],
            "bare full-text query": lambda text: database.connection.execute(
                bare, (match_expression(query_terms(text)),)
            ).fetchall(),
        }
        if model is not None:
            parts["embedding of the query"] = model.encode
        searches: dict[str, Callable[[str], object]] = {
            "search": lambda text: searcher.search(Query(text)),
            "search in one scope that everything is in": lambda text: searcher.search(
                Query(text, scope=Scope(agent="ours"))
            ),
            "search in one session": lambda text: searcher.search(Query(text, scope=Scope(session="7"))),
            "search by words alone": lambda text: searcher.search(Query(text, use_vectors=False)),
            "light search": lambda text: searcher.search(Query(text, tier=Tier.LIGHT)),
        }
        times = seconds_of(parts | searches, questions)
        medians = {name: statistics.median(found) for name, found in times.items()}
        whole = sum(medians[name] for name in parts)
        for name in parts:
            report(name, medians[name] * 1e3, "ms")
        for name in searches:
            report(name, medians[name] * 1e3, "ms")
            report(f"{name}, 95th percentile", statistics.quantiles(times[name], n=20)[18] * 1e3, "ms")
            report(f"{name}, as a multiple of the parts", medians[name] / whole, "x", limit=MOST)
        database.close()


if __name__ == "__main__":
    main()
