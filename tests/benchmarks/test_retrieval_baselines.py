"""What ours is compared with is fair: the simplest systems find what they can, in the right store."""

import json

import numpy as np
import pytest

from benchmarks.retrieval.baselines import BASELINES, fts5, fts5_trigram, grep, whole_memory
from benchmarks.retrieval.datasets import BENCH, SETS, read_set
from benchmarks.retrieval.exchange import RANKED, Answer, Entry, Task, read_task, write_answers, write_task
from benchmarks.retrieval.ours import EvaluationFailedError, run_ours
from benchmarks.retrieval.scoring import Row, printed, score, verdict
from tests.benchmarks.made_set import made_set

FIGURES = {"R@5": 0.5, "R@10": 0.6, "hit@5": 0.5, "hit@10": 0.6, "MRR": 0.4, "B800": 0.7, "B1800": 0.8, "save": 0.9}
FIGURES |= {"E": 0.0, "Esave": 1.0}


def found(answers):
    return {answer.query_id: list(answer.ranked) for answer in answers}


@pytest.fixture
def labelled(tmp_path):
    return made_set(tmp_path / "made")


def test_questions_without_an_answer_are_left_out(labelled):
    assert [question.id for question in labelled.questions] == ["q1", "q2", "q3"]


@pytest.mark.parametrize("name", BASELINES)
def test_no_baseline_looks_into_another_group(labelled, name):
    groups = {document.id: document.group for document in labelled.documents}
    wanted = {question.id: question.group for question in labelled.questions}
    for query, ranked in found(BASELINES[name](labelled)).items():
        assert {groups[identifier] for identifier in ranked} <= {wanted[query]}


def test_the_whole_memory_is_injected_newest_first(labelled):
    answer = next(iter(whole_memory(labelled)))
    assert list(answer.injected) == ["a/3", "a/2", "a/1"]


def test_grep_orders_by_the_number_of_words_and_finds_chinese_by_pairs(labelled):
    ranked = found(grep(labelled))
    assert ranked["q1"][0] == "a/1"
    assert ranked["q3"] == ["b/1"]


def test_plain_full_text_search_finds_english_and_its_trigrams_chinese(labelled):
    assert found(fts5(labelled))["q2"][0] == "a/2"
    assert found(fts5(labelled))["q3"] == []
    assert found(fts5_trigram(labelled))["q3"] == ["b/1"]


def test_a_question_full_of_quotes_is_no_syntax_error(labelled):
    question = labelled.questions[0].model_copy(update={"text": '"greyhound" AND ("* OR NEAR('})
    hostile = type(labelled)(labelled.folder, labelled.documents, (question,))
    assert found(fts5(hostile))["q1"] == ["a/1"]
    assert found(fts5_trigram(hostile))["q1"] == ["a/1"]


@pytest.mark.slow
def test_ours_writes_a_run_that_finds_the_evidence(labelled, tmp_path):
    run_ours(labelled.folder, tmp_path / "run.jsonl", no_embeddings=True)
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    first = {row["query_id"]: row["ranked"][0] for row in rows}
    assert [first["q1"], first["q2"], first["q3"]] == ["a/1", "a/2", "b/1"]
    assert "a/1" in next(row["injected"] for row in rows if row["query_id"] == "q1")


def test_a_set_that_cannot_be_read_ends_with_what_the_command_says(tmp_path):
    with pytest.raises(EvaluationFailedError, match=r"docs\.jsonl"):
        run_ours(tmp_path, tmp_path / "run.jsonl", no_embeddings=True)


def test_a_task_comes_back_as_it_was_written_and_in_groups(tmp_path):
    vectors = np.eye(3, dtype=np.float32)
    documents = [Entry("1", "a", "one"), Entry("2", "b", "两"), Entry("3", "a", "three")]
    questions = [Entry("q", "a", "which?")]
    write_task(Task("made", "zh", documents, questions, vectors, vectors[:1]), tmp_path / "task")
    task = read_task(tmp_path / "task")
    assert (task.name, task.language, task.documents, task.questions) == ("made", "zh", documents, questions)
    alone = task.groups()["a"]
    assert [entry.id for entry in alone.documents] == ["1", "3"]
    assert np.array_equal(alone.document_vectors, vectors[[0, 2]])
    assert task.groups()["b"].questions == []


def test_a_run_holds_no_more_than_the_scorer_reads(tmp_path):
    write_answers(tmp_path / "run.jsonl", [Answer("q", [str(number) for number in range(RANKED + 5)], ["1"])])
    assert len(json.loads((tmp_path / "run.jsonl").read_text())["ranked"]) == RANKED


def test_the_verdict_names_where_a_peer_is_ahead():
    ours = Row("ours", FIGURES)
    behind = Row("slow", FIGURES | {"R@10": 0.5}, is_peer=True)
    better = Row("good", FIGURES | {"B800": 0.75}, is_peer=True)
    assert verdict(ours, [ours, behind]).startswith("  ahead of or level with every peer")
    assert "NOT ahead" in verdict(ours, [ours, behind, better])
    assert "B800 BEHIND (0.700, best peer good 0.750)" in verdict(ours, [ours, behind, better])
    assert verdict(ours, [ours]) == "  no peer ran"


def test_what_a_run_does_not_say_is_printed_as_a_dash():
    assert printed(Row("ours", FIGURES, names_injected=False)).split()[-2:] == ["-", "-"]
    assert printed(Row("ours", FIGURES)).split()[-2:] == ["0.000", "1.000"]


@pytest.mark.skipif(not (BENCH / "score.py").exists(), reason="the labelled sets are kept outside the project")
@pytest.mark.parametrize("name", SETS)
def test_every_labelled_set_can_be_read_and_scored(name, tmp_path):
    labelled = read_set(BENCH / name)
    run = tmp_path / "run.jsonl"
    write_answers(run, (Answer(question.id, question.gold, question.gold) for question in labelled.questions))
    if all(gold in {document.id for document in labelled.documents} for q in labelled.questions for gold in q.gold):
        assert score(labelled.folder, run)["MRR"] == 1.0
