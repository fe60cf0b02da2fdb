"""``nanobot-memory bench``: how fast searches are on this machine."""

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from nanobot_memory_plugins.core.cli.console import console, escape, show_table
from nanobot_memory_plugins.core.cli.options import JsonOption, print_json
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Query, Tier
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions, SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.tools.bench import made_up

# The numbers of hits that recall requests.
HITS, LIGHT_HITS, PROBE_HITS = 24, 9, 24
TIERS: dict[str, Callable[[str], Query]] = {
    Sentence("probe"): lambda text: Query(text, limit=PROBE_HITS),
    Sentence("light"): lambda text: Query(text, limit=LIGHT_HITS, tier=Tier.LIGHT),
    Sentence("heavy"): lambda text: Query(text, limit=HITS),
}
"""The searches of recall, by tier."""

_QUESTIONS, _QUESTION_WORDS = 30, 8
# Enough to choose the best hundred from.
_MIN_SIZE = 200


def bench(
    size: Annotated[
        int, typer.Option("--size", min=_MIN_SIZE, max=1_000_000, help="How many made-up passages are searched.")
    ] = 2_000,
    as_json: JsonOption = False,
) -> None:
    """Benchmark the searches of recall on made-up passages.

    Your own memory is not touched. 100,000 passages take about two minutes and 500 MB of disk.
    """
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder) / "memory.db", size)
    if as_json:
        print_json(figures)
    else:
        _show(figures)


def measure(path: Path, size: int) -> dict[str, Any]:
    """Return the milliseconds of a search in each tier, including the embedding of the question."""
    language, model, database = made_up.english(), open_embedder(EmbeddingOptions()), Database.open(path)
    try:
        made_up.fill(database, language, size)
        if model is not None:
            made_up.embed(database, model.name, model.dimension)
        searcher = Searcher(SqliteIndex(database), SearchOptions(), SystemClock())
        generator = np.random.default_rng(3)
        questions = [language.text(_QUESTION_WORDS, generator) for _ in range(_QUESTIONS)]
        rows = []
        for name, make_query in TIERS.items():
            texts = (*questions[:2], *questions)  # the first two are a warm-up
            times = [_search_milliseconds(searcher, make_query(text), model) for text in texts][2:]
            rows.append(
                {"what": name, "median_ms": round(statistics.median(times), 3), "p95_ms": round(percentile(times), 3)}
            )
    finally:
        database.close()
    return {"size": size, "model": model.name if model else "", "rows": rows}


def milliseconds(function: Callable[[], object]) -> float:
    """Return how many milliseconds a call takes."""
    started = time.perf_counter()
    function()
    return (time.perf_counter() - started) * 1e3


def _search_milliseconds(searcher: Searcher, query: Query, model: Embedder | None) -> float:
    return milliseconds(lambda: searcher.search(query, meaning_of(query, model)))


def percentile(times: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(times, n=20)[18]


def _show(figures: dict[str, Any]) -> None:
    out = console(wraps=True)
    model = figures["model"] or Sentence("by words alone")
    out.print(escape(tr("{size:,} made-up passages, {model}", size=figures["size"], model=model)))
    rows = [(escape(tr(row["what"])), f"{row['median_ms']:.2f}", f"{row['p95_ms']:.2f}") for row in figures["rows"]]
    show_table(("", "ms", "p95"), rows, out, right=(1, 2))
    out.print(tr("ms: the median; p95: the 95th percentile."))
