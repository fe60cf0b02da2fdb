"""Whether a message needs memory, by the table with meaning or, without a model, the one by words."""

from pathlib import Path

import numpy as np
import pytest

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.recall.learned import evidence_of_need, need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import decide_tier
from nanobot_memory_plugins.storage.embedding.catalogue import find_model
from nanobot_memory_plugins.storage.embedding.installation import BUILTIN_NAME
from nanobot_memory_plugins.storage.embedding.local_provider import LocalEmbedder
from nanobot_memory_plugins.storage.search.searcher import WEIGHTS, personal_log_odds

OPTIONS = RecallOptions()
PERSONAL = [
    "Where do I live?",
    "Which locker do I have at the pool?",
    "What is my sister called?",
    "When does Tom get up?",
    "Do you remember the port of the staging database?",
    "我住在哪个城市？",
    "我的猫叫什么？",
    "你还记得我对什么过敏吗？",
]
GENERAL = [
    "Write a haiku about autumn leaves.",
    "Translate 'good night' into German.",
    "Explain how photosynthesis works.",
    "写一首关于春天的诗。",
    "把这句话翻译成英文。",
    "解释一下什么是快速排序。",
]


def hit(text: str = "A text.", *, coverage: float = 0.0, similarity: float | None = None, **more: object) -> Hit:
    given = {"id": "1", "path": "x.md", "line": 1, "score": 1.0, "origin": Origin.USER, **more}
    return Hit(text=text, coverage=coverage, similarity=similarity, **given)


def found(text: str, personal: float | None, *hits: Hit) -> dict[str, float]:
    return evidence_of_need(text, decide_tier(text, [], OPTIONS), personal, hits)


def test_with_a_model_the_meaning_of_a_message_decides_its_need():
    personal, general = (need(found("The port.", log_odds, hit(coverage=0.3))) for log_odds in (2.0, -2.0))
    assert general < 0.1 < 0.9 < personal
    # Without one its words decide, and neither number is asked for.
    asks, tells = (need(found(text, None, hit(coverage=0.3))) for text in ("Where do I live?", "Sing."))
    assert tells < OPTIONS.need_threshold < asks


def test_questions_and_messages_of_an_assistant_are_not_statements():
    told = found("?", None, hit(coverage=0.2))
    asked = found("?", None, hit("Where is it?", coverage=0.9), hit(coverage=0.8, origin=Origin.ASSISTANT))
    assert (told["coverage"], told["told_coverage"]) == (0.2, 0.2)
    assert (asked["coverage"], asked["told_coverage"]) == (0.9, 0.0)
    assert found("?", None)["coverage"] == 0.0


def test_without_a_model_personal_questions_still_get_a_block():
    needed = [text for text in PERSONAL if need(found(text, None, hit(coverage=0.3))) >= OPTIONS.need_threshold]
    assert len(needed) >= 7, set(PERSONAL) - set(needed)
    left = [text for text in GENERAL if need(found(text, None, hit(coverage=0.3))) < OPTIONS.need_threshold]
    assert len(left) >= 5, set(GENERAL) - set(left)


def test_the_layer_has_one_row_for_the_built_in_model_and_ignores_others():
    weights = np.load(WEIGHTS)
    assert (weights.shape, weights.dtype) == ((513,), np.float32)
    assert np.isfinite(weights).all()
    vector = np.zeros(512, dtype=np.float32)
    assert personal_log_odds(BUILTIN_NAME, vector) == pytest.approx(float(weights[-1]))
    assert personal_log_odds("another", vector) is None


def test_the_layer_separates_personal_from_general_questions(builtin_model: Path):
    embedder = LocalEmbedder(find_model("multilingual"))

    def log_odds(texts: list[str]) -> list[float]:
        vectors = np.asarray(embedder.encode(texts), dtype=np.float32)
        return [personal_log_odds(BUILTIN_NAME, one / np.linalg.norm(one)) or 0.0 for one in vectors]

    personal, general = log_odds(PERSONAL), log_odds(GENERAL)
    assert sum(one > 0 for one in personal) >= 6, personal
    assert sum(one < 0 for one in general) >= 5, general
