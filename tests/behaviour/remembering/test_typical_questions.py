"""Thirty questions as people ask them, in both languages, over a memory of four months: what stands beside them."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import estimate_tokens, is_fenced, language_of
from tests.behaviour.kit.life import Life
from tests.behaviour.kit.typical import (
    Outcome,
    ask_all,
    at_home,
    live_through,
    one_line,
    questions,
    said,
    tokens_of_notes,
)


def missed(outcomes: list[Outcome]) -> str:
    return "\n".join(f"{one.question.id}: {one.question.text}" for one in outcomes if not one.first)


def saved(outcomes: list[Outcome], whole: int) -> float:
    """Return the mean share of ``whole`` tokens that the blocks save."""
    return sum(1 - estimate_tokens(one.block) / whole for one in outcomes) / len(outcomes)


def test_the_questions_are_bilingual_and_their_evidence_stands_in_the_memory(life_without_model: Life):
    live_through(life_without_model)
    asked = questions()
    assert [language_of(one.text) for one in asked] == ["en"] * 15 + ["zh"] * 15
    texts = [one_line(record["text"]) for records in said().values() for record in records]
    assert len(texts) >= 250
    texts += [one_line(file.read_text(encoding="utf-8")) for file in life_without_model.memory.glob("*.md")]
    for one in asked:
        assert not one.is_answered_by(one.text)
        assert all(any(quotation in text for text in texts) for quotation in one.evidence), one.id


@pytest.mark.accept("V3-16", "V3-17")
async def test_by_words_alone_most_questions_have_their_evidence_beside_them_for_a_part_of_the_tokens(
    life_without_model: Life,
):
    live_through(life_without_model)
    with at_home():
        outcomes = await ask_all(life_without_model)
    assert sum(one.first for one in outcomes) >= 21, missed(outcomes)
    # Against the notes alone, which leaves out the larger part of the memory.
    assert saved(outcomes, tokens_of_notes(life_without_model)) >= 0.40
    for one in outcomes:
        for block in filter(None, (one.block, one.second)):
            assert is_fenced(block)
            assert estimate_tokens(block) <= 800


@pytest.mark.accept("V3-16", "V3-17", "LR-10")
async def test_with_meaning_over_80_percent_are_found_at_first_and_over_92_after_an_unsure_draft(
    life_without_model: Life, builtin_model: Path
):
    life = life_without_model
    life.options["storage"] = {"embeddingProvider": "fastembed", "embeddingModel": str(builtin_model)}
    live_through(life)
    with at_home():
        outcomes = await ask_all(life, vectors=True)
    assert sum(one.first for one in outcomes) > 0.80 * 30, missed(outcomes)
    assert sum(one.in_the_end for one in outcomes) > 0.92 * 30, missed(outcomes)
    assert saved(outcomes, tokens_of_notes(life)) >= 0.40
