"""A comparison goes on where it stopped, and prints some kinds of question apart."""

import json
import shutil

import pytest

from benchmarks.retrieval import command
from benchmarks.retrieval.datasets import read_set
from benchmarks.retrieval.exchange import Answer, write_answers
from benchmarks.retrieval.kept_runs import KeptRuns
from benchmarks.retrieval.scoring import Row, printed, score, score_apart
from tests.benchmarks.made_set import made_set

# A scorer with the face of the one that lies beside the sets: hits among the first documents, by category.
SCORER = """
import json, sys
folder, run, skip = sys.argv[1], sys.argv[2], sys.argv[4]
queries = [json.loads(line) for line in open(folder + "/queries.jsonl", encoding="utf-8")]
ranked = {one["query_id"]: one["ranked"] for one in map(json.loads, open(run, encoding="utf-8"))}
found = {"all": []}
for one in queries:
    if one["category"] != skip:
        hit = float(bool(set(ranked.get(one["id"], [])[:1]) & set(one["gold"])))
        found["all"].append(hit)
        found.setdefault(one["category"], []).append(hit)
columns = ("R@5", "R@10", "hit@5", "hit@10", "MRR", "B800", "B1800", "save", "E", "Esave")
means = {name: dict.fromkeys(columns, sum(hits) / len(hits)) | {"n": len(hits)} for name, hits in found.items()}
print(json.dumps(means if "--by-category" in sys.argv else {"all": means["all"]}))
"""


@pytest.fixture
def labelled(tmp_path):
    made = made_set(tmp_path / "bench" / "made")
    (tmp_path / "bench" / "score.py").write_text(SCORER, encoding="utf-8")
    return made


@pytest.fixture
def chats(labelled):
    """The made set, whose first two questions ask for a summary and for an order of events."""
    file = labelled.folder / "queries.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows[0]["category"], rows[1]["category"] = "summarization", "event_ordering"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return read_set(labelled.folder)


def test_questions_of_summaries_and_of_order_stand_apart_from_all_others(chats, tmp_path):
    run = tmp_path / "run.jsonl"
    write_answers(run, [Answer("q1", ["a/1"], []), Answer("q2", ["a/3"], []), Answer("q3", ["b/1"], [])])
    parts = score_apart(chats.folder, run)
    assert {name: (part["n"], round(part["hit@10"], 3)) for name, part in parts.items()} == {
        "summarisation": (1, 1.0),
        "event order": (1, 0.0),
        "all others": (1, 1.0),
    }
    lines = printed(Row("ours", score(chats.folder, run), parts=parts)).splitlines()
    assert [line.split("  0.")[0].split("  1.")[0].strip() for line in lines] == [
        "ours",
        "summarisation (1)",
        "event order (1)",
        "all others (1)",
    ]


def test_a_set_without_such_questions_is_one_line(labelled, tmp_path):
    run = tmp_path / "run.jsonl"
    write_answers(run, [Answer("q1", ["a/1"], [])])
    assert score_apart(labelled.folder, run) == {}
    assert len(printed(Row("ours", score(labelled.folder, run))).splitlines()) == 1


@pytest.fixture
def made(monkeypatch):
    """The labels of our own runs that were really made; there is no model."""
    labels = []

    def run(folder, target, *, no_embeddings, plain=False):
        labels.append("plain" if plain else "ours")
        write_answers(target, [Answer(f"q{number}", ["a/1"], []) for number in (1, 2, 3)])

    monkeypatch.setattr(command, "run_ours", run)
    monkeypatch.setattr(command, "open_embedder", lambda options: None)
    return labels


def test_a_comparison_goes_on_where_it_stopped(labelled, tmp_path, made, capsys):
    arguments = ["--bench", str(labelled.folder.parent), "--sets", "made", "--runs", str(tmp_path / "runs"), "--resume"]
    command.main(arguments)
    first = capsys.readouterr().out
    assert made == ["ours", "plain"]
    (tmp_path / "runs" / "made" / "plain-fusion-words-alone.jsonl").unlink()
    command.main(arguments)
    assert made == ["ours", "plain", "plain"]
    assert capsys.readouterr().out == first
    command.main(arguments[:-1])
    assert made == ["ours", "plain", "plain", "ours", "plain"]


def test_a_run_that_broke_off_is_made_again(labelled, tmp_path):
    kept = KeptRuns(tmp_path / "runs", is_resumed=True)

    def breaks_off(run):
        write_answers(run, [Answer("q1", ["a/1"], [])])
        raise KeyboardInterrupt

    def comes_through(run):
        write_answers(run, [Answer(f"q{number}", ["a/1"], []) for number in (1, 2, 3)])
        return "peer 1.0"

    with pytest.raises(KeyboardInterrupt):
        kept.run("ours", labelled, breaks_off)
    assert kept.run("ours", labelled, comes_through)[1] == "peer 1.0"
    file, versions = kept.run("ours", labelled, breaks_off)
    assert versions == "peer 1.0"
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3


def test_a_run_of_another_set_is_made_again(labelled, tmp_path):
    kept = KeptRuns(tmp_path / "runs", is_resumed=True)
    times = []

    def make(run):
        times.append(run)
        write_answers(run, [Answer(f"q{number}", ["a/1"], []) for number in (1, 2, 3)])

    kept.run("ours", labelled, make)
    kept.run("ours", type(labelled)(labelled.folder, labelled.documents[1:], labelled.questions), make)
    shutil.rmtree(tmp_path / "runs")
    kept.run("ours", labelled, make)
    assert len(times) == 3


def test_going_on_needs_the_folder_of_the_runs(labelled):
    with pytest.raises(SystemExit):
        command.main(["--bench", str(labelled.folder.parent), "--resume"])
