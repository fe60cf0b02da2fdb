"""The measure of extraction, with a model that answers by rules behind the same call."""

import json

import pytest

from benchmarks.extraction import (
    MORE_PAIRS,
    NO_PAIRS,
    PAIRS,
    Answers,
    is_grounded,
    is_seen,
    near_duplicates,
    read_conversations,
    read_pairs,
    rows_of,
    told,
)
from benchmarks.forgetting import Session
from benchmarks.kept_answers import KeptAnswers

SESSION = Session(
    "s",
    "english",
    [
        {"role": "user", "content": "I moved to Lisbon in May and I work for a bicycle maker."},
        {"role": "assistant", "content": "How nice!"},
    ],
    {},
    (),
)


def answering(**fields):
    row = {
        "content": "The user lives in Lisbon and works for a bicycle maker",
        "category": "fact",
        "importance": "high",
    }

    async def complete(messages, *, max_tokens, purpose):
        return json.dumps([{**row, **fields}])

    return complete


async def test_a_session_is_learned_from_once_and_its_answers_are_kept(tmp_path):
    answers = Answers(answering())
    first = await told(SESSION, tmp_path, answers, "one")
    assert [entry.content for entry in first.values()] == ["The user lives in Lisbon and works for a bicycle maker"]
    assert await told(SESSION, tmp_path, answers, "one") == first
    assert len(answers.texts) == 1
    assert near_duplicates(list(first.values()) * 2) == 1


def test_a_fact_of_another_session_is_not_grounded():
    def encode(texts):
        return [[1.0, 0.0]] + [[0.0, 1.0]] * (len(texts) - 1)

    assert is_grounded("The user works for a bicycle maker in Lisbon", SESSION, encode)
    assert not is_grounded("The user collects antique stamps", SESSION, encode)


def test_broken_answers_are_repaired_and_prose_is_none():
    assert rows_of('[{"content": "a", "category": "fact"},') == [{"content": "a", "category": "fact"}]
    assert rows_of("I have nothing to add.") is None


async def test_a_contradiction_counts_when_the_known_entry_is_replaced():
    pairs = read_pairs(PAIRS, 60)
    assert sorted({language for language, *_ in pairs}) == ["en", "zh"]
    assert len(pairs) == 60
    assert [len(read_pairs(file, 60)) for file in (MORE_PAIRS, NO_PAIRS)] == [40, 20]
    [(language, known, said)] = read_pairs(PAIRS, 2)[:1]

    async def naming(messages, *, max_tokens, purpose):
        text = messages[-1]["content"]
        id_ = text[text.index("[", text.index("Check:")) + 1 :].split("]")[0]
        return json.dumps([{"id": id_, "now": "The user lives in Lisbon"}])

    assert await is_seen(language, known, said, naming)
    [(language, known, said)] = read_pairs(NO_PAIRS, 2)[:1]
    assert not await is_seen(language, known, said, answering())


async def test_an_answer_that_is_kept_costs_no_model_and_another_question_does(tmp_path):
    file = tmp_path / "answers.jsonl"
    asked = [{"role": "user", "content": "user: I moved to Lisbon."}]
    first = await KeptAnswers(file, answering()).complete(asked, max_tokens=800, purpose="extraction")
    kept = KeptAnswers(file, None)
    assert await kept.complete(asked, max_tokens=800, purpose="extraction") == first
    with pytest.raises(LookupError):
        await kept.complete(asked, max_tokens=900, purpose="extraction")


def test_conversations_of_ones_own_are_read(tmp_path):
    row = {"name": "s", "language": "english", "messages": list(SESSION.messages)}
    (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert read_conversations(tmp_path / "own.jsonl") == [SESSION]
