"""The command ``python -m benchmarks retrieval``: a table per set, with our results and others."""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.retrieval.baselines import BASELINES, ONLY_CHINESE
from benchmarks.retrieval.datasets import BENCH, SETS, WHERE, LabelledSet, read_set
from benchmarks.retrieval.exchange import Task, Vectors, write_answers
from benchmarks.retrieval.kept_runs import KeptRuns
from benchmarks.retrieval.ours import own_server, run_ours, run_ours_on
from benchmarks.retrieval.peers import PeerFailedError, PeerRun, peer_names, run_peer, task_of
from benchmarks.retrieval.plain import FUSION, FUSION_BY_WORDS, Found, count_found, shortfalls
from benchmarks.retrieval.scoring import (
    Row,
    format_row,
    has_scorer,
    heading,
    names_injected,
    score,
    score_apart,
    verdict,
)
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions


def main(arguments: Sequence[str] = ()) -> int:
    """Print the table of each chosen set. Without ``--peers`` only our search and the baselines run.

    Returns 1 when our ranking is more than one question below a plain one on any set, or when there is no set, else 0.
    """
    options = _options(arguments)
    names = [name for name in options.sets if (options.bench / name / "queries.jsonl").exists()]
    if not names:
        print(f"  none of the sets is in {options.bench}. {WHERE}")
        return 1
    embedder = open_embedder(EmbeddingOptions())
    if embedder is None:
        print("  the embedding model is not installed: only words are compared, and no peer runs")
    is_below = False
    for name in names:
        labelled = read_set(options.bench / name)
        print(f"\n  {name}: {len(labelled.documents)} documents, {len(labelled.questions)} questions")
        print(heading(), flush=True)
        with tempfile.TemporaryDirectory() as temporary:
            ran_with: list[str] = []
            shown: dict[str, Row] = {}
            found_by_row: dict[str, Found] = {}
            for row in _rows(labelled, embedder, options, Path(temporary), ran_with, found_by_row):
                shown[row.label] = row
                print(format_row(row), flush=True)
        if ran_with:
            print(f"  with {', '.join(ran_with)}")
        print(verdict(shown.get("ours") or shown["ours, words alone"], [*shown.values()]), flush=True)
        for sentence in shortfalls(found_by_row):
            is_below = True
            print(f"  {sentence}", flush=True)
    return int(is_below)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks retrieval", description=main.__doc__)
    known = peer_names()
    parser.add_argument("--bench", type=Path, default=BENCH, help="the folder of the sets (default: %(default)s)")
    parser.add_argument("--sets", type=_names, default=SETS, help="names of sets, joined by commas (default: all)")
    parser.add_argument(
        "--peers",
        type=lambda text: known if text == "all" else _names(text),
        default=(),
        help=f"peers to install and run, joined by commas, or 'all': {', '.join(known)} (default: none)",
    )
    parser.add_argument("--store", choices=("postgres",), help="a second store to run ours on, beside SQLite")
    parser.add_argument("--runs", type=Path, help="a folder to keep the runs in, as SET/SYSTEM.jsonl")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="take the runs that are in the folder of --runs as they are, and make those that are missing",
    )
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.peers) - set(known)):
        parser.error(f"there is no peer {', '.join(unknown)}; there are {', '.join(known)}")
    if options.resume and options.runs is None:
        parser.error("--resume goes on with the runs of a folder: name it by --runs")
    return options


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _rows(
    labelled: LabelledSet,
    embedder: Embedder | None,
    options: argparse.Namespace,
    folder: Path,
    ran_with: list[str],
    found_by_row: dict[str, Found],
) -> Iterator[Row]:
    kept = KeptRuns(options.runs / labelled.name if options.runs is not None else folder, is_resumed=options.resume)

    def row(label: str, make: Callable[[Path], str | None], *, is_peer: bool = False) -> Row:
        file, versions = kept.run(label, labelled, make)
        if versions:
            ran_with.append(versions)
        found_by_row[label] = count_found(labelled, file)
        if not has_scorer(labelled.folder):
            shares = {figure: count / len(labelled.questions) for figure, count in found_by_row[label].items()}
            return Row(label, shares, is_peer)
        parts = score_apart(labelled.folder, file)
        return Row(label, score(labelled.folder, file), is_peer, names_injected(file), parts)

    def ours(*, no_embeddings: bool, plain: bool = False) -> Callable[[Path], None]:
        return lambda run: run_ours(labelled.folder, run, no_embeddings=no_embeddings, plain=plain)

    if embedder is not None:
        yield row("ours", ours(no_embeddings=False))
        yield row(FUSION, ours(no_embeddings=False, plain=True))
    yield row("ours, words alone", ours(no_embeddings=True))
    yield row(FUSION_BY_WORDS, ours(no_embeddings=True, plain=True))
    if options.store is not None:
        with own_server() as server:
            if embedder is not None:
                yield row("on PostgreSQL", lambda run: run_ours_on(server, labelled.folder, run, no_embeddings=False))
            yield row(
                "on PostgreSQL, words alone",
                lambda run: run_ours_on(server, labelled.folder, run, no_embeddings=True),
            )
    for label, baseline in BASELINES.items():
        if label in ONLY_CHINESE and labelled.language != "zh":
            continue
        yield row(label, lambda run, baseline=baseline: write_answers(run, baseline(labelled)))
    if embedder is None or not options.peers:
        return
    # The vectors are computed once, and not at all if the runs of all peers are kept.
    task = cache(lambda: _task(labelled, embedder))
    for name in options.peers:
        try:
            yield row(name, lambda run, name=name: _run_peer(name, task(), folder / name, run), is_peer=True)
        except PeerFailedError as error:
            print(f"  {name} did not run: {error}", flush=True)


def _run_peer(name: str, task: Task, folder: Path, run: Path) -> str:
    """Run a peer in ``folder``, move its run to its place, and return its versions."""
    done = run_peer(name, task, folder)
    run.write_bytes(done.file.read_bytes())
    return done.versions


def run_peer_on(labelled: LabelledSet, name: str, folder: Path) -> PeerRun:
    """Run one peer on a set with the built-in model's vectors, in ``folder``.

    Raises `PeerFailedError` when the peer fails, or when the model is not installed.
    """
    embedder = open_embedder(EmbeddingOptions())
    if embedder is None:
        raise PeerFailedError("the embedding model is not installed")
    return run_peer(name, _task(labelled, embedder), folder)


def _task(labelled: LabelledSet, embedder: Embedder) -> Task:
    return task_of(
        labelled,
        _vectors(embedder, [document.line for document in labelled.documents]),
        _vectors(embedder, [question.text for question in labelled.questions]),
    )


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    return np.asarray(embedder.encode(texts), dtype=np.float32)
