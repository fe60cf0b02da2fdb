"""Cutting one text to a size."""

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.bootstrap.cutting import Cut, cut
from tests.support.examples import examples

# HYPOTHESIS_EXAMPLES=10000 looks longer.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "300"))


def cut_to(text: str, limit: int, name: str = "AGENTS.md", head: float = 0.7, tail: float = 0.2) -> Cut:
    done = cut(text, name, limit=limit, head_ratio=head, tail_ratio=tail)
    assert done is not None
    return done


@pytest.mark.accept("BB-02")
def test_without_lines_head_and_tail_are_exactly_their_shares():
    text = "".join(chr(ord("a") + number % 26) for number in range(30_000))
    done = cut_to(text, 10_000)
    assert done.head == text[:7_000]
    assert done.tail == text[-2_000:]
    assert (
        done.text
        == f"{text[:7_000]}\n\n[...truncated 21000 chars, read AGENTS.md for full content...]\n\n{text[-2_000:]}"
    )
    assert len(done.text) <= 10_000


@pytest.mark.accept("BB-02")
def test_a_text_with_lines_is_cut_between_them():
    lines = [f"line {number} says something" for number in range(2_000)]
    text = "\n".join(lines)
    done = cut_to(text, 10_000)
    kept = done.head.split("\n") + done.tail.split("\n")
    assert set(kept) <= set(lines)
    assert 6_900 < len(done.head) <= 7_000
    assert 1_900 < len(done.tail) <= 2_000
    assert done.text.startswith(lines[0])
    assert done.text.endswith(lines[-1])


def test_a_cut_moves_to_a_nearby_paragraph_break():
    paragraphs = [f"Paragraph {number}.\n" + "\n".join(["words and words"] * 20) for number in range(60)]
    done = cut_to("\n\n".join(paragraphs), 10_000)
    assert set(done.head.split("\n\n")) <= set(paragraphs)
    assert set(done.tail.split("\n\n")) <= set(paragraphs)
    assert len(done.head) > 6_000
    assert len(done.tail) > 1_400


@pytest.mark.accept("BB-02")
def test_a_chinese_text_gets_a_chinese_marker():
    text = "\n".join(["- 回答要简短，用 Python 写脚本。"] * 2_000)
    done = cut_to(text, 10_000, name="memory/MEMORY.md")
    assert (
        done.marker
        == f"\n\n[……此处省略 {len(text) - len(done.head) - len(done.tail)} 个字符，完整内容见 memory/MEMORY.md……]\n\n"
    )


CHARACTERS = st.sampled_from(
    ["a", "b ", "\n", "\n\n", "\r\n", "记忆", "e\u0301", "\ud83d", "\ude00", "🇩🇪", "\u200d", "\0", "x" * 40]
)
TEXTS = st.one_of(
    st.text(),
    st.lists(CHARACTERS, max_size=40).map(lambda parts: "".join(parts) * 10),
    st.integers(0, 5_000).map(lambda n: "y" * n),
)
RATIOS = st.floats(0, 1)


@pytest.mark.accept("BB-02")
@settings(max_examples=examples(EXAMPLES), deadline=None)
@given(TEXTS, st.integers(0, 3_000), RATIOS, RATIOS, st.text(max_size=80))
def test_a_cut_fits_for_any_text_and_budget(text: str, limit: int, head: float, tail: float, name: str):
    text = text + "z" * max(0, limit + 1 - len(text))  # only longer texts are cut
    done = cut(text, name, limit=limit, head_ratio=head, tail_ratio=tail)
    assert done == cut(text, name, limit=limit, head_ratio=head, tail_ratio=tail)
    if done is None:
        assert limit < 64 + len(name) + 20
        return
    assert len(done.text) <= limit
    assert text.startswith(done.head)
    assert text.endswith(done.tail)
    assert done.left_out == len(text) - len(done.head) - len(done.tail) > 0
    assert re.search(rf"\D{done.left_out}\D", done.marker)
    assert len(done.head) <= int(limit * head)
    assert len(done.tail) <= int(limit * tail)
    if head + tail <= 0.9 and limit > 1_000:  # the marker has room beside the shares: at least half of each is kept
        assert len(done.head) >= int(limit * head) // 2 - 40
        assert len(done.tail) >= int(limit * tail) // 2 - 40
