"""The chats of tests/data/assistant_chats: how many questions find their evidence."""

import json
from pathlib import Path

import pytest

from tests.behaviour.kit.command import run

CHATS = Path(__file__).parents[2] / "data" / "assistant_chats"
# docs/figures.md.
FOUND = 70


@pytest.mark.slow
def test_most_questions_have_evidence_among_the_first_ten(tmp_path: Path, builtin_model: Path):
    answers, configuration = tmp_path / "run.jsonl", tmp_path / "config.json"
    configuration.write_text("{}", encoding="utf-8")
    assert builtin_model.exists()
    assert run("eval", CHATS, "--run", answers, config=configuration).status == 0
    questions = [json.loads(line) for line in (CHATS / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    ranked = {
        answer["query_id"]: answer["ranked"]
        for answer in map(json.loads, answers.read_text(encoding="utf-8").splitlines())
    }
    found = [one["id"] for one in questions if not set(one["gold"]).isdisjoint(ranked[one["id"]][:10])]
    assert len(questions) == 72
    assert len(found) >= FOUND
