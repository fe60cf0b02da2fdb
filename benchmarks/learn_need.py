"""Learn again when a message needs memory: ``python -m benchmarks learn_need``.

The first result is the layer on the built-in embedding (``storage/personal_layer.npy``), by logistic regression on
``data/need_messages.jsonl``: whether a message asks about its author's own life. The second are the two tables of
``recall/learned.py``, by logistic regression on the probes of made-up lives and on questions about long chats, with the
memory's findings for each. Every person and chat is scored by weights learned from the others. It reports missing sets.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.lives import Life, read_lives, remembered
from benchmarks.measure import patient_configuration, patient_configuration_by_words, quiet
from benchmarks.retrieval.datasets import BENCH, SHARED
from nanobot_memory_plugins.core.cli.open_store import opened_store
from nanobot_memory_plugins.core.protocols import Embedder
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.learned import NEED_BY_WORDS, NEED_WITH_MEANING
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.storage.embedding.service import open_embedder
from nanobot_memory_plugins.storage.options import EmbeddingOptions
from nanobot_memory_plugins.storage.search.searcher import WEIGHTS, embedded_part
from nanobot_memory_plugins.storage.store import SqliteStore
from nanobot_memory_plugins.tools.evaluation.dataset import read_dataset
from nanobot_memory_plugins.tools.evaluation.evaluate import group_scope, write_transcripts

LIVES = SHARED / "everyday" / "dev.jsonl"
CHATS = BENCH / "assistant_chats"
# Questions about chats all need memory, and are more numerous, so that each counts less.
WEIGHT_OF_CHATS = 0.3
# A superfluous block does more harm than a missing one.
WEIGHT_OF_SILENCE = 1.5
MESSAGES = Path(__file__).with_name("data") / "need_messages.jsonl"
RIDGE_OF_LAYER, RIDGE_OF_TABLE = 1.0, 0.3
FOLDS = 5
_STEPS = 30
_PATIENT = RecallOptions(recall_timeout=120.0)


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """One message with its person, its features, whether it needs memory, and its weight."""

    whose: str
    evidence: Mapping[str, float]
    needs: bool
    counts: float = 1.0


def logistic(
    rows: NDArray[np.float64], labels: NDArray[np.float64], ridge: float, counts: NDArray[np.float64] | float = 1.0
) -> NDArray[np.float64]:
    """Return the weights that maximise the likelihood, with a ridge on all but the last, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    penalty = np.full(rows.shape[1], ridge)
    penalty[-1] = 0.0
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (labels - share)) - penalty * weights
        curve = (rows * (counts * share * (1 - share))[:, None]).T @ rows + np.diag(penalty + 1e-9)
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def learn_layer(embedder: Embedder) -> None:
    """Write the layer next to the code that reads it."""
    messages = [json.loads(line) for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    texts = [embedded_part(one["text"]) for one in messages]
    vectors = np.asarray(embedder.encode(texts), dtype=np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    places = np.arange(len(rows)) % FOLDS
    truth = np.array([one["personal"] for one in messages], dtype=np.float64)
    scores = np.zeros(len(rows))
    for fold in range(FOLDS):
        learned = logistic(rows[places != fold], truth[places != fold], RIDGE_OF_LAYER)
        scores[places == fold] = rows[places == fold] @ learned
    right = ((scores > 0) == (truth > 0)).mean()
    print(f"  personal: {len(rows)} messages, {right:.3f} right in cross-validation")
    np.save(WEIGHTS, logistic(rows, truth, RIDGE_OF_LAYER).astype(np.float32))


async def evidence_of_life(life: Life, *, vectors: bool) -> list[LabelledMessage]:
    """Return the probes of a life for which recall weighs the need."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        async with remembered(life, Path(folder), vectors=vectors) as store:
            for probe in life.probes:
                history = [said.as_message() for said in probe.history]
                recalled = await recall(store, probe.text, options=_PATIENT, history=history, asked_at=probe.moment)
                if recalled.evidence:
                    counts = 1.0 if probe.needs else WEIGHT_OF_SILENCE
                    found.append(LabelledMessage(life.persona, recalled.evidence, bool(probe.needs), counts))
    return found


async def evidence_of_chats(*, vectors: bool) -> list[LabelledMessage]:
    """Return the questions about chats for which recall weighs the need."""
    found = []
    dataset = read_dataset(CHATS)
    with tempfile.TemporaryDirectory() as folder:
        write_transcripts(Path(folder), dataset.documents)
        config = patient_configuration() if vectors else patient_configuration_by_words()
        async with opened_store(Path(folder), config) as store:
            await store.flush()
            assert isinstance(store, SqliteStore)
            await store.vectors_complete()
            for query in dataset.queries:
                scope = group_scope(query.group)
                recalled = await recall(store, query.text, options=_PATIENT, scope=scope, asked_at=query.ts)
                if recalled.evidence:
                    found.append(LabelledMessage(query.group, recalled.evidence, True, WEIGHT_OF_CHATS))
    return found


def learn_table(asked: Sequence[LabelledMessage], columns: Sequence[str]) -> None:
    """Print the weights, and the score of each person and chat by weights learned from the others."""
    rows = np.array([[one.evidence[name] for name in columns] for one in asked])
    truth = np.array([one.needs for one in asked], dtype=np.float64)
    counts = np.array([one.counts for one in asked])
    whose = np.array([one.whose for one in asked])
    scores = np.zeros(len(rows))
    for name in set(whose):
        learned = logistic(rows[whose != name], truth[whose != name], RIDGE_OF_TABLE, counts[whose != name])
        scores[whose == name] = rows[whose == name] @ learned
    is_let_in = 1 / (1 + np.exp(-scores)) >= RecallOptions().need_threshold
    for label, chosen in (
        ("lives, needed", (counts == 1) & (truth == 1)),
        ("lives, not needed", truth == 0),
        ("chats, needed", counts < 1),
    ):
        print(f"    {label}: {int(is_let_in[chosen].sum())} of {int(chosen.sum())} let in")
    weights = logistic(rows, truth, RIDGE_OF_TABLE, counts)
    print("    " + ", ".join(f'"{name}": {weight:.2f}' for name, weight in zip(columns, weights, strict=True)))


def main() -> int:
    """Learn the layer and print the tables. Return 1 when there is no data."""
    if not LIVES.exists() or not CHATS.exists():
        print(f"  the made-up lives and chats are not at {LIVES} and {CHATS}")
        return 1
    embedder = open_embedder(EmbeddingOptions())
    assert embedder is not None
    lives = read_lives(LIVES)
    with quiet():
        learn_layer(embedder)
        for label, names, vectors in (
            ("NEED_WITH_MEANING", NEED_WITH_MEANING, True),
            ("NEED_BY_WORDS", NEED_BY_WORDS, False),
        ):
            asked = [one for life in lives for one in asyncio.run(evidence_of_life(life, vectors=vectors))]
            asked += asyncio.run(evidence_of_chats(vectors=vectors))
            asked = [one for one in asked if ("personal" in one.evidence) == vectors]
            print(f"  {label}: {len(asked)} messages")
            learn_table(asked, [name for name in names if name != "always"] + ["always"])
    return 0
