"""The judged benchmark, with a made-up chat and a scripted reader and judge over HTTP."""

import json
from pathlib import Path

import pytest

from benchmarks import beam
from nanobot_memory_plugins.tools.scripted_model import Reply, ReplyRule, Request, ScriptedServer

PROMPTS = '''unified_llm_judge_base_prompt = """
JUDGE <question> | <rubric_item> | <llm_response>
"""
answer_generation_for_rag = """
READ <context> | <question>
"""
'''
RUBRIC = ("says 5433", "says staging")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "BEAM" / "chats" / "100K" / "1"
    (folder / "probing_questions").mkdir(parents=True)
    said = [
        {
            "role": "user",
            "id": 0,
            "time_anchor": "March-15-2024",
            "content": "Our staging database is on 5433. ->-> 1,1",
        },
        {"role": "assistant", "id": 1, "content": "Noted: <question> 5433."},
    ]
    (folder / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [said]}]))
    questions = {"information_extraction": [{"question": "Which port has the staging database?", "rubric": RUBRIC}]}
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(questions))
    (tmp_path / "BEAM" / "src").mkdir()
    (tmp_path / "BEAM" / "src" / "prompts.py").write_text(PROMPTS)
    return tmp_path / "BEAM"


def judged(request: Request) -> Reply:
    _, item, answer = request.last_user.split(" | ")
    return Reply(json.dumps({"score": 1.0 if item == RUBRIC[0] and "5433" in answer else 0.5, "reason": "..."}))


@pytest.fixture
def model():
    rules = [
        ReplyRule(lambda request: "JUDGE" in request.last_user, judged),
        ReplyRule(lambda request: "READ" in request.last_user and "5433" in request.last_user, Reply("It is 5433.")),
    ]
    with ScriptedServer(rules, default="I do not know.") as server:
        yield server


def run(clone: Path, model: ScriptedServer, file: Path, *more: str) -> int:
    options = ["--beam", str(clone), "--chats", "1", "--reader", model.base_url, "--reader-model", "test"]
    return beam.main([*options, "--conditions", "none,plain,everything", "--resume", str(file), *more])


def test_each_item_of_the_rubric_is_judged_by_itself_and_a_second_run_asks_nothing(
    clone: Path, model: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "answers.jsonl"
    assert run(clone, model, file) == 0
    found = beam.read_judged(file)
    assert {name: one.scores for (_, name), one in found.items()} == {
        "none": (0.5, 0.5),
        "plain": (1.0, 0.5),
        "everything": (1.0, 0.5),
    }
    assert "plain         0.750" in capsys.readouterr().out
    asked = len(model.requests)
    assert asked == 3 * (1 + len(RUBRIC))
    assert "<question> 5433" in "".join(request.last_user for request in model.requests)
    assert run(clone, model, file) == 0
    assert len(model.requests) == asked


@pytest.mark.parametrize(
    ("text", "score"),
    [('{"score": 0.5}', 0.5), ('Sure: {"score": "1.0", "reason": "x"', 1.0), ("none", 0.0), ("{}", 0.0)],
)
def test_a_judges_answer_is_read_leniently_and_counts_as_nothing_without_a_score(text: str, score: float):
    assert beam.verdict(text) == score
