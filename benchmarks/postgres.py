"""The times of searching and sending with PostgreSQL, compared to SQLite in the same run.

``python -m benchmarks postgres [--size 10000] [--language english|chinese]`` fills both with the same made-up texts and
random vectors, and alternates between them. The server is the package's own on this machine, over its socket; a network
adds its round trips.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.bare_parts import measure_in_turns
from benchmarks.made_up import LANGUAGES, RandomModel
from benchmarks.measure import quiet, report
from nanobot_memory_plugins.core import SystemClock
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.postgres import schema
from nanobot_memory_plugins.postgres.connection import Connection, connect, run, transaction
from nanobot_memory_plugins.postgres.passages import Owner, PassageIndex
from nanobot_memory_plugins.postgres.search import ServerIndex
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.tools.bench import made_up
from nanobot_memory_plugins.tools.bench.command import milliseconds, percentile
from tests.support.postgres_server import OwnServer

QUESTIONS, QUESTION_WORDS, MESSAGES = 60, 8, 60
_BATCH = 1_000


def measure(language: made_up.Language, size: int, folder: Path) -> None:
    """Fill both, and print the figures of one language."""
    model, options = RandomModel(), SearchOptions()
    database = Database.open(folder / "memory.db")
    built = milliseconds(lambda: made_up.fill(database, language, size)) / 1e3
    made_up.embed(database, model.name, model.dimension)
    with OwnServer(folder / "s").running() as server:
        owner = Owner(language.name, "bench")
        connection = connect(server.dsn)
        schema.prepare(connection)
        index = PassageIndex(connection, owner)
        begun = time.perf_counter()
        for change in made_up.documents(language, size):
            index.apply(change)
        report("sending all, beside building the SQLite index", (time.perf_counter() - begun) / built, "x")
        while waiting := index.texts_without_vector(model.name, _BATCH):
            vectors = made_up.unit_vectors(len(waiting), model.dimension, np.random.default_rng(2))
            index.put_vectors(model.name, list(zip(waiting, vectors.tolist(), strict=True)))
        with connect(server.administrator_dsn) as admin:
            run(admin, "VACUUM ANALYZE")
            bytes_of = run(admin, "SELECT pg_database_size(current_database())").fetchone()
        report("disk for each passage", (bytes_of[0] if bytes_of else 0) / size, "bytes")
        ours = Searcher(SqliteIndex(database), options, SystemClock())

        def our_search(query: Query) -> object:
            return ours.search(query, meaning_of(query, model))

        def theirs(query: Query) -> object:
            with transaction(connection, owner.tenant):
                index = ServerIndex(connection, owner)
                return Searcher(index, options, SystemClock()).search(query, meaning_of(query, model))

        generator = np.random.default_rng(3)
        questions = [language.text(QUESTION_WORDS, generator) for _ in range(QUESTIONS)]
        for name, use_vectors in (("words and meaning", True), ("words", False)):
            times, _ = measure_in_turns(
                {
                    "SQLite": lambda text, vectors=use_vectors: milliseconds(
                        lambda: our_search(Query(text, use_vectors=vectors))
                    ),
                    "PostgreSQL": lambda text, vectors=use_vectors: milliseconds(
                        lambda: theirs(Query(text, use_vectors=vectors))
                    ),
                },
                questions,
            )
            medians = {engine: statistics.median(found) for engine, found in times.items()}
            for engine, found in times.items():
                report(f"search by {name}, {engine}, median", medians[engine], "ms")
                report(f"search by {name}, {engine}, 95th percentile", percentile(found), "ms")
            report(f"search by {name}, beside SQLite", medians["PostgreSQL"] / medians["SQLite"], "x", limit=2.0)
        message, commit = _message_ms(index, connect(server.dsn), language, size)
        report("sending one message, median", message, "ms", limit=4.0)
        report("the commit of one small row, in turns with it, median", commit, "ms")
        index.close()
    database.close()


def _message_ms(index: PassageIndex, other: Connection, language: made_up.Language, size: int) -> tuple[float, float]:
    """Return the median milliseconds of one passage's transaction, including segmentation.

    The second value is that of the smallest possible commit, which is mostly the disk's.
    """
    run(other, "CREATE TABLE one (number integer)")
    run(other, "INSERT INTO one VALUES (0)")
    (change,) = islice(made_up.documents(language, 50, seed=9), 1)
    times, commits = list[float](), list[float]()
    path = "memory/said.md"
    for number, document in enumerate([*change.documents, *change.documents][:MESSAGES]):
        one = document._replace(key=f"{path}:{size}-{number}", path=path, ordinal=number)
        state = change.state._replace(path=path) if change.state is not None else None
        said = replace(change, path=path, state=state, documents=(one,))
        times.append(milliseconds(lambda said=said: index.apply(said)))
        commits.append(milliseconds(lambda: run(other, "UPDATE one SET number = number + 1")))
    other.close()
    return statistics.median(times), statistics.median(commits)


def main(arguments: Sequence[str] = ()) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks postgres")
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--language", choices=LANGUAGES)
    chosen = parser.parse_args(arguments)
    for name in [chosen.language] if chosen.language else LANGUAGES:
        print(f" {name}, {chosen.size:,} passages")
        folder = Path(tempfile.mkdtemp(prefix="pg"))
        folder.chmod(0o755)
        try:
            with quiet():
                measure(LANGUAGES[name](), chosen.size, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
