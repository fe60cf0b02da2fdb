"""The time of a search, as a multiple of its unavoidable parts.

``python -m benchmarks search [--size 10000|100000|1000000] [--language english|chinese]`` fills an index with made-up
texts and random vectors and searches it. The unavoidable parts are a product of the same number of vectors with one by
numpy, and a bare full-text query for the best 100, measured in the same run and in turns with the searches. The
embedding of the query is not included. Processor time is that of all threads. Building takes about half a second and
4 to 6 MB of disk for each 1,000 chunks.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import hostile_texts
from benchmarks.bare_parts import Timed, Times, bare_product, bare_query, measure_in_turns
from benchmarks.made_up import LANGUAGES, RandomModel
from benchmarks.measure import report
from benchmarks.search_memory import report_memory
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Query, Scope, Tier
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions, SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.tools.bench import made_up
from nanobot_memory_plugins.tools.bench.command import HITS, TIERS, milliseconds, percentile

SPECIAL: dict[str, Callable[[str], Query]] = {
    "heavy, in one scope that everything is in": lambda text: Query(text, limit=HITS, scope=Scope(agent=made_up.AGENT)),
    "heavy, in one session": lambda text: Query(text, limit=HITS, scope=Scope(session="7")),
    "heavy, by words alone": lambda text: Query(text, limit=HITS, use_vectors=False),
}
"""The heavy search under other conditions."""
QUESTIONS, QUESTION_WORDS = 60, 8
MESSAGES, MESSAGE_WORDS = 20, 120
# The tiers' limits in ms, and the bounds of their means.
LIMITS = {"probe": 80.0, "light": 180.0, "heavy": 450.0}
MEANS = {"light": 200.0, "heavy": 500.0}
MOST = 3.0
# Bounds of processor time, where the parts take 2 ms, so that fixed costs weigh more.
MOST_WORK = 5.0
EMBEDDING = "embedding of the query"
WITHOUT_VECTORS = {"light", "heavy, by words alone"}
# The bound for the default number of chunks. The fastest time of each query counts, without other programs' load.
HOSTILE_MS, HOSTILE_CHUNKS, HOSTILE_REPETITIONS = 50.0, 10_000, 7
MEMORY_MB = 300.0


def report_cold_start(path: Path, texts: Sequence[str]) -> None:
    """Print the time of the first answer in a process that has just opened the index, and has no model yet."""
    database = Database.open(path, read_only=True)
    searcher = Searcher(SqliteIndex(database), SearchOptions(), SystemClock())
    first = milliseconds(lambda: searcher.search(Query(texts[0])))
    report("first answer, while no model is loaded", first, "ms", limit=LIMITS["heavy"])
    database.close()


def report_first_vectors(search: Callable[[Query], object], texts: Sequence[str]) -> None:
    """Print the time of the first search with a model, before its vectors are in memory, and of the next."""
    report("first search with the model", milliseconds(lambda: search(Query(texts[0]))), "ms")
    slowest = max(milliseconds(lambda text=text: search(Query(text))) for text in texts[1:6])
    report("slowest of the next five", slowest, "ms")


def report_hostile(search: Callable[[Query], object], size: int) -> None:
    """Print the slowest hostile query."""

    def fastest(query: Query) -> float:
        return min(milliseconds(lambda: search(query)) for _ in range(HOSTILE_REPETITIONS))

    texts = [*hostile_texts.SHORT, *hostile_texts.long_texts()]
    limit = HOSTILE_MS if size <= HOSTILE_CHUNKS else None
    for kind, use_vectors in (("", True), (", by words alone", False)):
        times = {repr(text[:6]): fastest(Query(text, use_vectors=use_vectors)) for text in texts}
        name = max(times, key=times.__getitem__)
        report(f"slowest hostile query{kind}: {name}...", times[name], "ms", limit=limit)
    light = max(fastest(Query(text, tier=Tier.LIGHT)) for text in texts)
    report("slowest hostile query, light", light, "ms", limit=limit)


def report_times(times: Times, worked: Times, parts: Iterable[str], tiers: Iterable[str]) -> None:
    """Print medians and 95th percentiles, and those of the tiers compared to the sum of the parts."""
    whole_median = sum(statistics.median(times[name]) for name in parts)
    whole = sum(percentile(times[name]) for name in parts)
    for name, found in times.items():
        report(f"{name}, median", statistics.median(found), "ms")
        limit = LIMITS.get(name.partition(",")[0])
        report(f"{name}, 95th percentile", percentile(found), "ms", limit=limit)
        report(f"{name}, 95th percentile of processor time", percentile(worked[name]), "ms", limit=limit)
        if name in MEANS:
            report(f"{name}, mean", statistics.fmean(found), "ms", limit=MEANS[name])
    work = sum(statistics.median(worked[name]) for name in parts)
    embedding = statistics.median(worked[EMBEDDING])
    for name in tiers:
        beyond = statistics.median(worked[name]) - (0.0 if name in WITHOUT_VECTORS else embedding)
        report(f"{name}, medians of processor time beyond the embedding", beyond / work, "x", limit=MOST_WORK)
        report(f"{name}, medians beside the parts", statistics.median(times[name]) / whole_median, "x")
        report(f"{name}, 95th percentiles beside the parts", percentile(times[name]) / whole, "x", limit=MOST)


def measure(language: made_up.Language, size: int, path: Path) -> None:
    """Build an index, and print the figures of one language."""
    model: Embedder = open_embedder(EmbeddingOptions()) or RandomModel()
    database = Database.open(path)
    report("building the index", milliseconds(lambda: made_up.fill(database, language, size)) / 1e3, "s")
    embedding = milliseconds(lambda: made_up.embed(database, model.name, model.dimension)) / 1e3
    report("storing a random vector for each chunk", embedding, "s")
    report("disk", sum(file.stat().st_size for file in path.parent.iterdir()) / 1e6, "MB")
    generator = np.random.default_rng(3)
    questions = [language.text(QUESTION_WORDS, generator) for _ in range(QUESTIONS)]
    messages = [language.text(MESSAGE_WORDS, generator) for _ in range(MESSAGES)]
    report_cold_start(path, questions)
    report_memory(path, questions[0], size, limit=MEMORY_MB if size <= 100_000 else None)
    searcher = Searcher(SqliteIndex(database), SearchOptions(), SystemClock())

    def search(query: Query) -> object:
        return searcher.search(query, meaning_of(query, model))

    report_first_vectors(search, questions)
    parts: Timed = {
        "bare numpy product": bare_product(size, model.dimension),
        "bare full-text query": bare_query(database),
    }
    beside: Timed = {EMBEDDING: lambda text: milliseconds(lambda: model.encode(text))}
    queries = TIERS | SPECIAL

    def timed(make: Callable[[str], Query]) -> Callable[[str], float]:
        return lambda text: milliseconds(lambda: search(make(text)))

    searches = {name: timed(make) for name, make in queries.items()}
    report_times(*measure_in_turns(parts | beside | searches, questions), parts, searches)
    print(f"  messages of {MESSAGE_WORDS} words:", flush=True)
    searches = {name: searches[name] for name in ("heavy", "heavy, by words alone")}
    report_times(*measure_in_turns(parts | beside | searches, messages), parts, searches)
    report_hostile(search, size)
    database.close()


def main(arguments: Sequence[str] = ()) -> None:
    """Print the figures of each requested language."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks search")
    parser.add_argument("--size", type=int, default=10_000, help="chunks (default: 10,000)")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="default: both")
    chosen = parser.parse_args(arguments)
    for name in chosen.language or LANGUAGES:
        language = LANGUAGES[name]()
        print(f"  -- {language.name}, {chosen.size} chunks", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            measure(language, chosen.size, Path(folder) / "memory.db")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
