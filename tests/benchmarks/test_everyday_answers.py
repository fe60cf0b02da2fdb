"""A life is lived through the real memory, its probes are answered with what that gives, and a run goes on."""

import json
from types import SimpleNamespace

import pytest

from benchmarks import everyday_answers as command
from benchmarks.lives import evidence, lived, read_lives
from tests.benchmarks.test_answers import model

__all__ = ["model"]

LIFE = {
    "persona": "ann",
    "sessions": [
        {
            "key": "ann:1",
            "day": "2026-01-08",
            "messages": [
                {"id": "nuts", "role": "user", "text": "I'm allergic to walnuts.", "telling": ["allergic to walnuts"]},
                {"id": "ok", "role": "assistant", "text": "Noted."},
                {
                    "id": "port",
                    "role": "tool",
                    "text": "the staging database listens on port 5433",
                    "tool": {"name": "exec", "arguments": {"command": "ss -l"}},
                    "telling": ["5433"],
                },
            ],
        },
        {
            "key": "ann:2",
            "day": "2026-02-08",
            "messages": [{"id": "cat", "role": "user", "text": "Our cat is called Miso.", "telling": ["Miso"]}],
        },
    ],
    "probes": [
        {
            "id": "p1",
            "kind": "direct",
            "day": "2026-03-01",
            "text": "Which nuts am I allergic to?",
            "needs": ["nuts|cat"],
        },
        {"id": "p2", "kind": "smalltalk", "day": "2026-03-01", "text": "Good morning"},
        {"id": "p3", "kind": "direct", "day": "2026-03-01", "text": "What is our cat called?", "needs": ["cat"]},
    ],
}


@pytest.fixture
def life(tmp_path):
    file = tmp_path / "lives.jsonl"
    file.write_text(json.dumps(LIFE) + "\n", encoding="utf-8")
    return SimpleNamespace(file=file, life=read_lives(file)[0])


def test_a_probe_gets_what_was_said_in_the_life_and_small_talk_nothing(life, builtin_model):
    beside = lived(life.life, life.life.probes)
    assert "walnuts" in beside["p1"].block
    assert "Miso" in beside["p3"].block
    assert beside["p2"].block == ""


def test_the_evidence_is_the_needed_message_alone(life):
    nuts, _, cat = life.life.probes
    assert evidence(life.life, nuts).block == "[8 January 2026] user: I'm allergic to walnuts."
    assert evidence(life.life, cat).block == "[8 February 2026] user: Our cat is called Miso."


@pytest.mark.parametrize(
    ("answer", "telling", "share"),
    [
        ("You cannot eat walnuts, as you are allergic.", ["allergic to walnuts"], 1.0),
        ("Anything with nuts.", ["allergic to walnuts"], 0.0),
        ("对虾过敏，换成鸡肉", ["对虾和螃蟹过敏"], 4 / 8),
        ("稿号是adma.202610877", ["稿号是adma.202610877"], 1.0),
        ("anything", [], 0.0),
    ],
)
def test_an_answer_is_scored_by_what_it_draws_upon(answer, telling, share):
    assert command.drawn_upon(answer, telling) == pytest.approx(share)


def test_a_sample_takes_one_of_each_kind_before_a_second(life):
    assert [probe.id for _, probe in command.sample([life.life], 3)] == ["p1", "p2", "p3"]
    assert [probe.id for _, probe in command.sample([life.life], 2)] == ["p1", "p2"]


@pytest.mark.slow
def test_a_run_goes_on_where_it_stopped(life, tmp_path, monkeypatch, model, capsys, builtin_model):
    class Server:
        def __init__(self, *arguments, **options):
            pass

        def __enter__(self):
            return model

        def __exit__(self, *error):
            pass

    monkeypatch.setattr(command, "LocalModelServer", Server)
    monkeypatch.setattr(command, "local_model_file", lambda: tmp_path)
    options = ["--lives", str(life.file), "--resume", str(tmp_path / "answers.jsonl")]
    command.main([*options, "--probes", "2"])
    assert len((tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == 6
    texts = ["\n".join(message["content"] for message in body["messages"]) for body in model.bodies]
    assert len(texts) == 4  # small talk is asked once: three times nothing stands beside it
    assert [("walnuts" in text, "Good morning" in text) for text in texts] == [
        (False, False), (True, False), (True, False), (False, True)
    ]  # fmt: skip
    command.main([*options, "--probes", "3"])
    assert len(model.bodies) == 7
    out = capsys.readouterr().out
    assert "2 questions" in out
    assert "of 1 that need nothing, answered in the same words as without a memory: 1" in out
