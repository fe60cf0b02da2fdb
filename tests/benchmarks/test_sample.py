"""A sample of chats with an assistant, which is part of the project: our order is below nothing plain on it."""

from pathlib import Path

import pytest

from benchmarks.retrieval.baselines import BASELINES
from benchmarks.retrieval.datasets import LabelledSet, read_set
from benchmarks.retrieval.exchange import write_answers
from benchmarks.retrieval.ours import run_ours
from benchmarks.retrieval.plain import BLOCK, FULL_TEXT, FUSION, FUSION_BY_WORDS, HITS, Met, below, met
from nanobot_memory_plugins.core.text.fence import language_of

SAMPLE = Path(__file__).parents[1] / "data" / "assistant_chats"
# The default order, and the weighted sum of words and meaning alone.
ORDERS = {"ours": (False, False), FUSION: (False, True)}
BY_WORDS = {"ours, words alone": (True, False), FUSION_BY_WORDS: (True, True)}


@pytest.fixture(scope="module")
def sample() -> LabelledSet:
    return read_set(SAMPLE)


def test_the_sample_is_bilingual_and_every_question_has_its_evidence(sample: LabelledSet):
    groups = sample.groups()
    assert (len(groups), len(sample.documents), len(sample.questions)) == (6, 419, 72)
    assert sorted(language_of(question.text) for question in sample.questions) == ["en"] * 36 + ["zh"] * 36
    for question in sample.questions:
        ids = {document.id: document for document in groups[question.group]}
        assert question.gold
        assert all(ids[one].ts < question.asked_at for one in question.gold), question.id


@pytest.fixture(scope="module")
def met_by(sample: LabelledSet, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Met]:
    """How many questions each order meets."""
    run, found = tmp_path_factory.mktemp("runs") / "run.jsonl", {}
    for label, (no_embeddings, plain) in {**ORDERS, **BY_WORDS}.items():
        run_ours(sample.folder, run, no_embeddings=no_embeddings, plain=plain)
        found[label] = met(sample, run)
    for label in FULL_TEXT:
        write_answers(run, BASELINES[label](sample))
        found[label] = met(sample, run)
    return found


@pytest.mark.slow
def test_our_order_is_below_no_plain_one(met_by: dict[str, Met]):
    assert not [*below(met_by)]


@pytest.mark.slow
def test_most_questions_are_met_among_the_first_ten_and_in_the_block(met_by: dict[str, Met]):
    # Measured: 68 and 69 with vectors, 65 and 66 by words alone; the plain fusion has 54 and 54, 45 and 44.
    assert min(met_by["ours"][HITS], met_by["ours"][BLOCK]) >= 65, met_by
    assert min(met_by["ours, words alone"].values()) >= 61, met_by
