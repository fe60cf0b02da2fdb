"""Learn anew when a message needs memory: ``python -m benchmarks learn_need``.

First the two layers on the built-in embedding (``search/question_kinds.npy``), by logistic regression on the messages
of ``data/need_messages.jsonl``: whether one asks for something of its author's own life, and whether for advice. Then
the two tables of ``recall/need.py``, by logistic regression on the probes of made-up lives, with what the memory finds
for each. Without the lives beside the checkout it says so.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.lives import Life, read_lives, remembered
from benchmarks.measure import quiet
from benchmarks.retrieval.datasets import SHARED
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.need import WITH_MEANING, WORDS_ALONE
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.trace import RecallTrace
from nanobot_memory_plugins.storage.embedding import EmbeddingOptions, open_embedder
from nanobot_memory_plugins.storage.index_searcher import WEIGHTS, embedded_part

LIVES = SHARED / "everyday" / "dev.jsonl"
MESSAGES = Path(__file__).with_name("data") / "need_messages.jsonl"
RIDGE_OF_LAYER, RIDGE_OF_TABLE = 1.0, 0.3
FOLDS = 5
_STEPS = 30


def logistic(rows: NDArray[np.float64], labels: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """Return the weights that maximise the likelihood, with a ridge on all but the last, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    penalty = np.full(rows.shape[1], ridge)
    penalty[-1] = 0.0
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (labels - share) - penalty * weights
        curve = (rows * (share * (1 - share))[:, None]).T @ rows + np.diag(penalty + 1e-9)
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def learn_layers(embedder: Embedder) -> None:
    """Write the layers beside the code that reads them."""
    messages = [json.loads(line) for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    texts = [embedded_part(one["text"]) for one in messages]
    vectors = np.asarray(embedder.encode(texts), dtype=np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    places = np.arange(len(rows)) % FOLDS
    layers = []
    for name, told in (
        ("personal", [one["personal"] for one in messages]),
        ("advice", [one["kind"] == "indirect" for one in messages]),
    ):
        truth = np.array(told, dtype=np.float64)
        scores = np.zeros(len(rows))
        for fold in range(FOLDS):
            learned = logistic(rows[places != fold], truth[places != fold], RIDGE_OF_LAYER)
            scores[places == fold] = rows[places == fold] @ learned
        right = ((scores > 0) == (truth > 0)).mean()
        print(f"  {name}: {len(rows)} messages, {right:.3f} right in cross-validation")
        layers.append(logistic(rows, truth, RIDGE_OF_LAYER))
    np.save(WEIGHTS, np.array(layers, dtype=np.float32))


async def evidence_of(life: Life, *, vectors: bool) -> list[tuple[Mapping[str, float], bool]]:
    """Return what speaks for the need of each probe of a life that comes so far, and whether it needs memory."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        async with remembered(life, Path(folder), vectors=vectors) as store:
            for probe in life.probes:
                watch = RecallTrace()
                options = RecallOptions(recall_timeout=120.0)
                history = [said.as_message() for said in probe.history]
                await recall(store, probe.text, options=options, history=history, asked_at=probe.moment, watch=watch)
                if watch.evidence:
                    found.append((watch.evidence, bool(probe.needs)))
    return found


def main() -> None:
    """Learn the layer and print the tables."""
    if not LIVES.exists():
        print(f"  the made-up lives are not at {LIVES}")
        return
    embedder = open_embedder(EmbeddingOptions())
    assert embedder is not None
    lives = read_lives(LIVES)
    with quiet():
        learn_layers(embedder)
        for label, names, vectors in (("WITH_MEANING", WITH_MEANING, True), ("WORDS_ALONE", WORDS_ALONE, False)):
            told = [one for life in lives for one in asyncio.run(evidence_of(life, vectors=vectors))]
            told = [one for one in told if ("personal" in one[0]) == vectors]
            columns = [name for name in names if name != "always"] + ["always"]
            rows = np.array([[found[name] for name in columns] for found, _ in told])
            truth = np.array([needs for _, needs in told], dtype=np.float64)
            weights = logistic(rows, truth, RIDGE_OF_TABLE)
            right = ((rows @ weights > 0) == (truth > 0)).mean()
            print(f"  {label}: {len(told)} probes, {right:.3f} right")
            print("    " + ", ".join(f'"{name}": {weight:.2f}' for name, weight in zip(columns, weights, strict=True)))
