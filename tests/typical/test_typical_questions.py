"""Thirty questions as people ask them, over a memory of four months: what the whole set injects beside them."""

import re
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.text.fence import is_fenced, language_of
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.recall.routing import RecallTier
from tests.typical.asking import Outcome, Outcomes, ask_all
from tests.typical.conftest import BY_WORDS
from tests.typical.memory import notes, one_line, questions, tokens_of_files, tokens_said, transcripts


def test_the_questions_are_bilingual_and_their_evidence_stands_in_the_memory():
    asked = questions()
    assert len({one.id for one in asked}) == len(asked) == 30
    assert [language_of(one.text) for one in asked] == ["en"] * 15 + ["zh"] * 15
    texts = [record.text for records in transcripts().values() for record in records]
    assert len(texts) >= 250
    texts += notes().values()
    for one in asked:
        for quotation in one.evidence:
            assert any(quotation in one_line(text) for text in texts), f"{one.id}: {quotation}"
            assert quotation not in one.text


def test_a_question_is_answered_by_its_evidence_alone():
    (question,) = [one for one in questions() if one.id == "en-03"]
    assert not question.is_answered_by(None)
    assert not question.is_answered_by("The staging database listens on port 5432 like any other Postgres.")
    assert question.is_answered_by("- user: The staging database\n  is reached through 6543 from today.")


def test_injecting_the_whole_memory_saves_nothing():
    whole = "\n".join(notes().values())
    outcome = Outcome(questions()[0], RecallTier.HEAVY, whole)
    assert Outcomes([outcome]).saved(estimate_tokens(whole)) == 0.0
    assert Outcomes([outcome]).first == 1.0


@pytest.mark.slow
@pytest.mark.accept("V3-16")
def test_a_block_takes_at_least_40_percent_fewer_tokens_than_the_whole_memory(
    outcomes: Outcomes, typical_workspace: Path
):
    markdown = tokens_of_files(typical_workspace, "*.md")
    files = markdown + tokens_of_files(typical_workspace, "sessions/*.jsonl")
    # Against the notes alone, which leaves out the larger part of the memory; with what was said; and as the files are.
    for whole in (markdown, markdown + tokens_said(), files):
        saved = outcomes.saved(whole)
        assert saved >= 0.40, f"saved {saved:.3f} of {whole} tokens\n{outcomes}"
    assert any(one.tokens for one in outcomes.of)


@pytest.mark.accept("V3-17")
def test_at_least_70_percent_of_the_questions_have_their_evidence_in_the_block(outcomes: Outcomes):
    share = outcomes.first
    assert share >= 0.70, str(outcomes)


@pytest.mark.accept("LR-10")
@pytest.mark.parametrize("outcomes", ["words and meaning"], indirect=True)
def test_over_80_percent_find_their_evidence_at_the_first_tier_and_over_92_after_an_upgrade(outcomes: Outcomes):
    # By words alone this cannot be had: seven of the questions share no word with what answers them.
    first, in_the_end = outcomes.first, outcomes.in_the_end
    assert first > 0.80, str(outcomes)
    assert in_the_end > 0.92, str(outcomes)


def test_every_block_is_fenced_whole_and_inside_its_budget(outcomes: Outcomes):
    for one in outcomes.of:
        for block in filter(None, (one.block, one.upgraded)):
            assert is_fenced(block), one.question.id
            assert len(block) <= 1_800, one.question.id
        assert one.tokens <= 800, one.question.id


def test_without_recall_no_question_has_its_evidence(typical_workspace: Path, at_home: None):
    outcomes = ask_all(typical_workspace, {**BY_WORDS, "recall": {"enabled": False}})
    assert outcomes.in_the_end == 0.0
    assert not any(one.block for one in outcomes.of)


def test_asking_leaves_the_memory_as_it_was(outcomes: Outcomes, typical_workspace: Path):
    # Else a question would be found by the next one.
    said = "".join(
        file.read_text(encoding="utf-8") for file in (typical_workspace / "memory" / "sessions").glob("*.jsonl")
    )
    assert len(re.findall(r'"role":"', said)) == sum(map(len, transcripts().values()))
    assert not [one.question.id for one in outcomes.of if one.question.text in said]
