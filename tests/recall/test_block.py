from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.fence import fence
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Hit, Origin
from nanobot_memory_plugins.recall.block import build_block
from nanobot_memory_plugins.recall.deduplicate import is_uninformative
from nanobot_memory_plugins.recall.options import RecallOptions


def hit(key: str, text: str, path: str = "memory/a.md", line: int = 1, **more) -> Hit:
    more = {"origin": Origin.USER, "score": 1.0, "coverage": 1.0, "time": datetime(2026, 2, 16, tzinfo=UTC), **more}
    return Hit(id=key, text=text, path=path, line=line, **more)


def test_memories_are_grouped_by_source_newest_first_summaries_last_with_speaker_day_and_line():
    later = datetime(2026, 3, 1, tzinfo=UTC)
    hits = [
        hit("1", "I like tea", "memory/a.md", 3),
        hit("2", "x" * 9, "memory/sessions/b-0123456789abcdef.jsonl", time=later),
        hit("3", "and cake", "memory/a.md", 9),
        hit("4", "They want tea", "memory/2026-03-02.md", time=later, origin=Origin.SUMMARY),
    ]
    block = build_block(hits, RecallOptions(), today=datetime(2026, 3, 2, tzinfo=UTC))
    assert block.text.splitlines() == [
        "Today is 2 March 2026. The newest comes first, summaries last.",
        "sessions/b.jsonl",
        "- [1 March 2026] user: xxxxxxxxx (line 1)",
        "a.md",
        "- [16 February 2026] user: I like tea (line 3)",
        "- [16 February 2026] user: and cake (line 9)",
        "2026-03-02.md",
        "- [1 March 2026] summary: They want tea (line 1)",
    ]
    assert block.hit_ids == ("2", "1", "3", "4")


def test_each_memory_is_a_snippet_and_the_best_are_shown_whole_while_there_is_room():
    told = "I moved. " + "It took a day and a van. " * 12 + "The new street is Elm Street."
    said = [hit("a", told, snippet="…Elm Street.", origin=Origin.ASSISTANT), hit("b", told, snippet="I moved.")]
    whole = [
        f"- [16 February 2026] assistant: {told} (line 1)",
        f"- [16 February 2026] user: {told} (line 1)",
    ]
    parts = ["- [16 February 2026] assistant: …Elm Street. (line 1)", "- [16 February 2026] user: I moved. (line 1)"]

    def lines(**options) -> list[str]:
        return build_block(said, RecallOptions(**options)).text.splitlines()[1:]

    assert lines() == whole
    assert lines(max_context_tokens=170) == [whole[0], parts[1]]
    assert lines(max_context_tokens=100) == parts
    assert lines(max_full_docs=1) == [whole[0], parts[1]]
    assert lines(max_full_docs=0) == parts


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("What was the port of staging?", True),
        ("它的端口是多少？还记得吗？", True),
        ("The port of staging is 5433.", False),
        ("I moved the cellar door. Should it stay there?", False),
        ("I have gastritis, what may I drink?", False),
        ("我有慢性胃炎，喝什么好？", False),
    ],
)
def test_a_question_of_a_user_is_uninformative(text, gone):
    asked = hit("1", text, source="transcript")
    assert is_uninformative(asked, RecallOptions()) is gone
    # An answer may be a question, too, and stands with the question that it answers.
    assert not is_uninformative(replace(asked, answers="Where to?"), RecallOptions())


def test_the_summary_of_a_mere_question_is_uninformative():
    noted = hit("1", "The user wanted: what was the port of staging, by the way?", origin=Origin.SUMMARY)
    assert is_uninformative(noted, RecallOptions())
    answered = replace(noted, text=f"{noted.text}\nResult: It is 5433.")
    assert not is_uninformative(answered, RecallOptions())


TEXTS = st.text(st.sampled_from("ab 记忆\n🙂"), max_size=900)


@given(
    st.lists(st.tuples(TEXTS, st.sampled_from("xyz"), st.floats(0, 1)), max_size=15),
    st.integers(0, 2_000),
    st.integers(0, 900),
)
def test_no_hits_exceed_the_budget_and_lines_of_a_file_stay_together(said, chars, tokens):
    hits = [hit(str(n), text, f"memory/{path}.md", score=score) for n, (text, path, score) in enumerate(said)]
    hits.sort(key=lambda one: -one.score)
    options = RecallOptions(inject_budget_chars=chars, max_context_tokens=tokens)
    block = build_block(hits, options)
    if block is None:
        return
    fenced = fence([block.text], language="zh")
    assert len(fenced) <= chars
    assert estimate_tokens(fenced) <= tokens
    headings = [line for line in block.text.splitlines() if line.endswith(".md")]
    assert len(headings) == len(set(headings))
    assert len(set(block.hit_ids)) == len(block.hit_ids)
