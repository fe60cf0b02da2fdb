"""Learn the weights of the ranking again: ``python -m benchmarks learn_ranking``.

The candidates of a question compete for being its evidence: the probability of each is the softmax of its weighted
features, and the weights maximise the likelihood of the labelled evidence, with a ridge. The scores come from
cross-validation, where the questions of a conversation are scored with weights learned on the others, and from leaving
out a whole set, next to those of the plain fusion. Then the table for ``storage/ranking.py`` is printed, learned on
everything.
"""

import asyncio
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrieval.datasets import BENCH, LEFT_OUT, SETS, WHERE, Question, read_set
from benchmarks.retrieval.exchange import Answer, write_answers
from benchmarks.retrieval.scoring import score
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions, SearchOptions, StorageOptions
from nanobot_memory_plugins.storage.ranking import WITH_MEANING, WORDS_ALONE, features, rank
from nanobot_memory_plugins.storage.search.searcher import Searcher, meaning_of
from nanobot_memory_plugins.storage.search.sqlite_index import SqliteIndex
from nanobot_memory_plugins.storage.store import SqliteStore
from nanobot_memory_plugins.tools.evaluation.dataset import read_dataset
from nanobot_memory_plugins.tools.evaluation.evaluate import group_scope, write_transcripts

# A set counts by the square root of its size, so that small sets matter as well.
HEARD = 20.0
RIDGE = 10.0
FOLDS = 5
# The groups that are each scored with weights learned on all others.
_PARTS: dict[str, Callable[["Example"], object]] = {
    "cross-validated": lambda one: one.fold,
    "set left out": lambda one: one.dataset,
}
_STEPS = 30
_SMALL = 1e-4
_RANKED = 60


# Rows of features, their shares of the evidence, and the weight of the question.
_Task = tuple[NDArray[np.float64], NDArray[np.float64], float]


@dataclass(frozen=True)
class Example:
    """A question with its candidates' features, plain fusion scores and evidence labels (0 or 1)."""

    dataset: str
    question: Question
    ids: tuple[str, ...]
    features: dict[str, NDArray[np.float64]]
    fused: NDArray[np.float64]
    evidence: NDArray[np.float64]
    fold: int


async def examples_of(name: str, embedder: Embedder | None, model: bool) -> list[Example]:
    """Index a set as files, and return its questions with their candidates, which may lack the evidence."""
    with tempfile.TemporaryDirectory() as folder:
        places = write_transcripts(Path(folder), read_dataset(BENCH / name).documents)
        options = StorageOptions() if model else StorageOptions(embedding_provider="none")
        store = SqliteStore(Path(folder), options, SystemClock())
        await store.start()
        await store.flush()
        await store.vectors_complete()
        await store.close()
        database = Database.open(MemoryPaths.of(folder).database, read_only=True)
        searcher = Searcher(SqliteIndex(database), SearchOptions(), SystemClock())
        labelled = read_set(BENCH / name)
        message_of = {one.id: one.parent or one.id for one in labelled.documents}
        asked = [one for one in labelled.questions if one.category != LEFT_OUT]
        groups = sorted({one.group for one in asked})
        found = []
        for number, question in enumerate(asked):
            query = Query(
                question.text,
                limit=_RANKED,
                scope=group_scope(question.group),
                use_vectors=model,
                asked_at=question.asked_at,
            )
            candidates = searcher.candidates(query, meaning_of(query, embedder))
            hits = [places.ids[row.path, row.line] for row in candidates.rows]
            columns = features(candidates, question.text)
            fused, _ = rank(candidates, question.text, SystemClock().now(), SearchOptions(fusion="weighted"))
            found.append(
                Example(
                    name,
                    question,
                    tuple(hits),
                    columns,
                    fused,
                    np.array([message_of[hit] in question.gold for hit in hits], dtype=np.float64),
                    (groups.index(question.group) if len(groups) > 1 else number) % FOLDS,
                )
            )
        database.close()
        return found


def learn(examples: Sequence[Example], names: Sequence[str]) -> dict[str, float]:
    """Return the weights of some features by Newton's method."""
    usable = [one for one in examples if one.evidence.any()]
    tables = [np.stack([one.features[name] for name in names], axis=1) for one in usable]
    scale = np.concatenate(tables).std(0)
    scale[scale == 0] = 1.0
    sizes = Counter(one.dataset for one in usable)
    tasks = [
        (table / scale, one.evidence / one.evidence.sum(), HEARD / math.sqrt(sizes[one.dataset]))
        for table, one in zip(tables, usable, strict=True)
    ]
    weights = np.zeros(len(names))
    for _ in range(_STEPS):
        slope = -RIDGE * weights
        curve = RIDGE * np.eye(len(names))
        for rows, evidence, worth in tasks:
            share = softmax(rows @ weights)
            slope += worth * rows.T @ (evidence - share)
            centred = rows - share @ rows
            curve += worth * (centred * share[:, None]).T @ centred
        step = np.linalg.solve(curve, slope)
        before = _loss(tasks, weights)
        while _loss(tasks, weights + step) > before and np.abs(step).max() > _SMALL:
            step /= 2
        weights += step
        if np.abs(step).max() < _SMALL:
            break
    return dict(zip(names, (weights / scale).tolist(), strict=True))


def _loss(tasks: Sequence[_Task], weights: NDArray[np.float64]) -> float:
    """Return the loss to minimise: the negative log-likelihood of the evidence, with the ridge."""
    loss = RIDGE * float(weights @ weights) / 2
    for rows, evidence, worth in tasks:
        loss -= worth * float(evidence @ np.log(softmax(rows @ weights) + 1e-300))
    return loss


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of scores in log-odds."""
    grown = np.exp(scores - scores.max())
    share: NDArray[np.float64] = grown / grown.sum()
    return share


def order(example: Example, weights: Mapping[str, float] | None) -> list[str]:
    """Return the ids of the best candidates, best first. Without weights, the order is that of plain fusion."""
    scores = example.fused
    if weights is not None:
        scores = sum((weight * example.features[name] for name, weight in weights.items()), start=0.0 * scores)
    best = np.argsort(-scores, kind="stable")
    return list(dict.fromkeys(example.ids[place] for place in best))[:_RANKED]


def report(label: str, ranked: dict[str, dict[str, list[str]]]) -> None:
    """Print the scores of each set."""
    for name, by_question in ranked.items():
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "run.jsonl"
            write_answers(target, (Answer(key, ids, []) for key, ids in by_question.items()))
            figures = score(BENCH / name, target)
        columns = ("R@5", "R@10", "hit@10", "MRR", "B800", "B1800")
        print(
            f"  {label:32}{name:14}" + "".join(f"{column:>7} {figures[column]:.3f}" for column in columns), flush=True
        )


def main(arguments: Sequence[str] = ()) -> int:
    """Cross-validate, and print the tables. Return 1 when there is no data."""
    if not BENCH.exists():
        print(f"  the labelled sets are not at {BENCH}. {WHERE}")
        return 1
    embedder = open_embedder(EmbeddingOptions())
    for label, model, table in (("with meaning", True, WITH_MEANING), ("words alone", False, WORDS_ALONE)):
        examples = [one for name in SETS for one in asyncio.run(examples_of(name, embedder, model))]
        names = tuple(table)
        for kind, part_of in _PARTS.items():
            ranked: dict[str, dict[str, list[str]]] = {name: {} for name in SETS}
            for part in {part_of(one) for one in examples}:
                learned = learn([one for one in examples if part_of(one) != part], names)
                for one in examples:
                    if part_of(one) == part:
                        ranked[one.dataset][one.question.id] = order(one, learned)
            report(f"{label}, {kind}", ranked)
        fused: dict[str, dict[str, list[str]]] = {name: {} for name in SETS}
        for one in examples:
            fused[one.dataset][one.question.id] = order(one, None)
        report(f"{label}, plain fusion", fused)
        print(f"  {label}: " + ", ".join(f'"{name}": {weight:.2f}' for name, weight in learn(examples, names).items()))
    return 0
