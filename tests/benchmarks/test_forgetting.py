"""The benchmark of what is left of a session counts what is there, and misses what is not."""

import json

from benchmarks.forgetting import Session, chosen, remembered, truncated
from benchmarks.retrieval.datasets import Question

TOLD = [
    {"role": "user", "content": "Ann: I moved the telescope to the attic on Sunday."},
    {"role": "assistant", "content": "Bob: Good, it is dry there."},
    *({"role": "user", "content": f"Ann: remark {number} about nothing at all."} for number in range(10)),
]
QUESTION = Question(
    id="q", group="g", text="Where is the telescope?", category="single-hop", answer="in the attic", gold=("d0",)
)
SESSION = Session("g/s", "english", TOLD, {"d0": [TOLD[0]["content"]]}, [QUESTION])


async def test_evidence_is_found_after_compaction_and_not_after_truncation():
    left, tokens = await remembered(SESSION, None)
    assert (left.found, left.held) == ([True], [True])
    assert tokens > left.summary_tokens > 0 == left.used_tokens
    assert truncated(SESSION, 60).found == [False]
    assert truncated(SESSION, 60).held == [False]
    assert truncated(SESSION, 10_000).found == [True]


async def test_the_tokens_that_a_model_takes_are_counted():
    async def complete(messages, *, max_tokens: int, purpose: str) -> str:
        return json.dumps([{"type": "note", "tldr": "Ann moved the telescope to the attic", "quote": "the telescope"}])

    left, _ = await remembered(SESSION, complete)
    assert left.used_tokens > 0
    assert left.held == [True]


def test_sessions_are_those_that_questions_are_about_and_pairs_are_two_messages(tmp_path):
    for name, text in (("locomo_turns", "I like tea."), ("membank_zh", "用户：我喜欢茶。 助手：好的。")):
        (tmp_path / name).mkdir()
        documents = [
            {"id": f"d{n}", "group": "g", "session": "s", "order": n, "role": "user", "speaker": "Ann", "text": text}
            for n in range(4)
        ]
        asked = {"id": "q", "group": "g", "text": "tea?", "category": "x", "answer": "tea", "gold": ["d1"]}
        (tmp_path / name / "docs.jsonl").write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
        (tmp_path / name / "queries.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    english, chinese = chosen(tmp_path, 2)
    assert (english.language, len(english.messages)) == ("english", 4)
    assert [message["role"] for message in chinese.messages] == ["user", "assistant"] * 4
    assert chinese.parts["d1"] == ["我喜欢茶。", "好的。"]
