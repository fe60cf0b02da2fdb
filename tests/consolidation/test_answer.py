"""What a model answers becomes candidates, or nothing; never an error."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.extraction.answer import Candidate, read_answer
from nanobot_memory_plugins.consolidation.model.entry import Category
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from tests.support.each import each
from tests.support.examples import examples

TEA = {"content": "The user likes tea", "category": "preference", "importance": "high"}


@pytest.mark.accept("EB-05")
def test_the_form_that_was_asked_for_is_read_whole():
    answer = [
        {**TEA, "reinforces": "[a1b2]"},
        {
            "content": "用户下周三有产品评审会议",
            "category": "todo",
            "importance": "medium",
            "expires_at": "2026-02-25",
            "contradicts": "c3",
            "group": "Work / Reviews",
        },
    ]
    first, second = read_answer(json.dumps(answer, ensure_ascii=False)).candidates
    assert first == Candidate(content="The user likes tea", category="preference", importance="high", reinforces="a1b2")
    assert (second.category, second.importance) == (Category.TODO, Importance.MEDIUM)
    assert (second.expires_at, second.contradicts, second.group) == ("2026-02-25", "c3", "work/reviews")


@pytest.mark.accept("EB-05")
@each("kind", [kind.value for kind in Category])
def test_all_seven_kinds_are_read(kind: str):
    (one,) = read_answer(json.dumps([{**TEA, "category": kind}])).candidates
    assert one.category.value == kind


@each(
    "answer",
    [
        "Here you are:\n```json\n[{TEA}]\n```\nAnything else?",
        "<think>tea, then</think>[{TEA}]",
        '{"memories": [{TEA}]}',
        "{TEA}",
        "[{TEA}, {TEA}]",
        '[{TEA}, 7, null, "text", {"category": "fact"}]',
        '[{TEA}, {"content": "half a',
        "[{'content': 'The user likes tea', 'category': 'preference', 'importance': 'high',},]",
        '[{"Content": "The user likes tea", "type": "Preferences", "priority": "High"}]',
        '[{"内容": "The user likes tea", "类别": "偏好", "重要性": "高"}]',
        '[{"content": "The user likes tea", "category": "preference|fact", "importance": 9}]',
    ],
)
def test_what_models_put_around_it_and_break_is_mended(answer: str):
    inner = json.dumps(TEA)[1:-1]
    (one,) = read_answer(answer.replace("{TEA}", "{" + inner + "}")).candidates
    assert (one.content, one.category, one.importance) == ("The user likes tea", Category.PREFERENCE, Importance.HIGH)


@pytest.mark.accept("EB-05")
@each(
    "answer",
    [
        "",
        "[]",
        "NO_REPLY",
        "I'm sorry, I cannot do that.",
        "nothing to remember",
        "[[[[[[",
        "{}",
        '["likes tea"]',
        "\0\ud800",
        json.dumps([{**TEA, "category": "mood"}]),
        json.dumps([{**TEA, "content": 7}]),
        json.dumps([{**TEA, "content": " "}]),
    ],
)
def test_what_is_no_candidate_is_nothing(answer: str):
    assert read_answer(answer).candidates == ()


def test_a_long_text_is_cut_and_a_long_list_too():
    (one,) = read_answer(json.dumps([{**TEA, "content": "tea " * 500}])).candidates
    assert len(one.content) <= 400
    many = read_answer(json.dumps([{**TEA, "content": f"The user owns book {n}"} for n in range(90)])).candidates
    assert len(many) == 60


@settings(max_examples=examples(150))
@given(
    st.recursive(
        st.none() | st.text(max_size=9) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["content", "category", "importance", "expires_at", "contradicts", "x"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=9,
    )
)
def test_any_json_is_read(value: object):
    for one in read_answer(json.dumps(value)).candidates:
        assert one.content


@settings(max_examples=examples(100))
@given(st.text(max_size=80))
def test_any_text_is_read(text: str):
    read_answer(text)
    read_answer(f"[{text}")
