"""The reference for searches: a bare full-text query, and a product of the same number of vectors."""

import functools
import time
from collections.abc import Callable, Sequence

import numpy as np

from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.question_terms import distinctive_terms
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.storage.segmentation import match_expression
from nanobot_memory_plugins.tools.bench import made_up
from nanobot_memory_plugins.tools.bench.command import milliseconds

# More than these vectors as one float32 matrix is not what a machine should be asked to hold in addition to the rest.
MOST_MULTIPLIED = 250_000

Timed = dict[str, Callable[[str], float]]
Times = dict[str, list[float]]


def measure_in_turns(functions: Timed, texts: Sequence[str]) -> tuple[Times, Times]:
    """Return the milliseconds and the processor milliseconds of each function for each text.

    The functions take turns, so that other load affects all of them. The first two texts are a warm-up.
    """
    times: Times = {name: [] for name in functions}
    worked: Times = {name: [] for name in functions}
    for text in [*texts[:2], *texts]:
        for name, function in functions.items():
            started = time.process_time()
            times[name].append(function(text))
            worked[name].append((time.process_time() - started) * 1e3)
    return {name: found[2:] for name, found in times.items()}, {name: found[2:] for name, found in worked.items()}


def bare_query(database: Database) -> Callable[[str], float]:
    """Return a bare full-text query of the terms that a search would choose."""
    sql = "SELECT rowid FROM docs_fts WHERE docs_fts MATCH ? ORDER BY rank LIMIT 100"
    index = SqliteIndex(database)

    @functools.cache
    def expression(text: str) -> str:
        return match_expression(distinctive_terms(text, index.frequencies))

    def run(text: str) -> float:
        match = expression(text)
        return milliseconds(lambda: database.connection.execute(sql, (match,)).fetchall() if match else [])

    return run


def bare_product(size: int, dimension: int) -> Callable[[str], float]:
    """Return the product of the vectors with one vector and the choice of the best 100, on one thread.

    ``@`` uses all cores, and slows down when they are busy.
    """
    generator = np.random.default_rng(4)
    held = min(size, MOST_MULTIPLIED)
    matrix = made_up.unit_vectors(held, dimension, generator)
    vector = matrix[0].copy()

    def run(_: str) -> float:
        def multiply() -> object:
            products = [
                np.einsum("ij,j->i", matrix[: min(held, size - start)], vector) for start in range(0, size, held)
            ]
            return np.argpartition(-np.concatenate(products), 100)[:100]

        return milliseconds(multiply)

    return run
