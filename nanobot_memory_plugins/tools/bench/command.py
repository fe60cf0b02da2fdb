"""``nanobot-memory bench``: how fast searches are on this machine, as ratios measured in one run."""

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from nanobot_memory_plugins.core.cli.console import console, show_table, shown
from nanobot_memory_plugins.core.cli.options import JsonOption, print_json
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import SearchOptions
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.tools.bench import made_up
from nanobot_memory_plugins.tools.bench.parts import (
    TIERS,
    Timed,
    bare_product,
    bare_query,
    in_turns,
    milliseconds,
    percentile,
)

_QUESTIONS, _QUESTION_WORDS = 30, 8
_LANGUAGES = {"english": made_up.english, "chinese": made_up.chinese}
_SPOKEN = {"English": Sentence("English"), "Chinese": Sentence("Chinese")}
# The best hundred are chosen among them.
_SMALLEST = 200


def bench(
    size: Annotated[
        int, typer.Option("--size", min=_SMALLEST, max=1_000_000, help="How many made-up passages are searched.")
    ] = 2_000,
    language: Annotated[
        Literal["english", "chinese"], typer.Option("--language", help="That of the passages.")
    ] = "english",
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words alone.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Benchmark search on made-up passages, beside a bare full-text query and a bare product of vectors.

    Your own memory is not touched. 100,000 passages take about two minutes and 500 MB of disk.
    """
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(Path(folder) / "memory.db", _LANGUAGES[language](), size, embeddings=not no_embeddings)
    if as_json:
        print_json(figures)
    else:
        _show(figures)


def measured(path: Path, language: made_up.Language, size: int, *, embeddings: bool) -> dict[str, Any]:
    """Return the figures: milliseconds, and each tier as a multiple of the bare parts' sum."""
    model: Embedder | None = (open_embedder(EmbeddingOptions()) or made_up.RandomModel()) if embeddings else None
    database = Database.open(path)
    try:
        made_up.fill(database, language, size)
        if model is not None:
            made_up.embed(database, model.name, model.dimension)
        searcher = Searcher(SqliteIndex(database), SearchOptions(), SystemClock())
        generator = np.random.default_rng(3)
        questions = [language.text(_QUESTION_WORDS, generator) for _ in range(_QUESTIONS)]
        parts: Timed = {Sentence("bare full-text query"): bare_query(database)}
        if model is not None:
            parts[Sentence("bare product of the vectors")] = bare_product(size, model.dimension)
            parts[Sentence("embedding of the query")] = _timed(model.encode)
        searches: Timed = {name: _search(searcher, model, make) for name, make in TIERS.items()}
        times, _ = in_turns(parts | searches, questions)
    finally:
        database.close()
    bare = [name for name in parts if name.startswith("bare")]
    median, slow = sum(statistics.median(times[name]) for name in bare), sum(percentile(times[name]) for name in bare)
    rows = [
        {
            "what": name,
            "median_ms": round(statistics.median(found), 3),
            "p95_ms": round(percentile(found), 3),
            "median_ratio": round(statistics.median(found) / median, 2) if name in searches else None,
            "p95_ratio": round(percentile(found) / slow, 2) if name in searches else None,
        }
        for name, found in times.items()
    ]
    return {"size": size, "language": language.name, "model": model.name if model else "", "rows": rows}


def _timed(function: Callable[[str], object]) -> Callable[[str], float]:
    return lambda text: milliseconds(lambda: function(text))


def _search(searcher: Searcher, model: Embedder | None, make: Callable[[str], Query]) -> Callable[[str], float]:
    def search(text: str) -> None:
        searcher.search(make(text), meaning_of(make(text), model))

    return _timed(search)


def _show(figures: dict[str, Any]) -> None:
    out = console(wraps=True)
    model = figures["model"] or Sentence("by words alone")
    language = _SPOKEN[figures["language"]]
    title = tr("{size:,} made-up passages, {language}, {model}", size=figures["size"], language=language, model=model)
    out.print(shown(title))
    rows = []
    for row in figures["rows"]:
        ratios = [f"{row[key]:.2f}" if row[key] is not None else "" for key in ("median_ratio", "p95_ratio")]
        rows.append((shown(tr(row["what"])), f"{row['median_ms']:.2f}", f"{row['p95_ms']:.2f}", *ratios))
    show_table(("", "ms", "p95", tr("times"), "p95"), rows, out, right=range(1, 5))
    out.print(tr("ms: the median; p95: the 95th percentile; times: as a multiple of the bare parts together."))
