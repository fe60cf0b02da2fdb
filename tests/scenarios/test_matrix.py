"""The scenario matrix: whatever cuts the history, however the model behaves, whatever was said."""

import time

import pytest

from tests.scenarios.matrix import MODELS, TRIGGERS, run


@pytest.mark.accept("FL-04", "FL-07")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("trigger", TRIGGERS)
async def test_every_fact_is_found_afterwards_and_nothing_is_noted_twice(tmp_path, trigger, model):
    outcomes = await run(tmp_path, trigger, model)
    assert len(outcomes) == 6
    assert [outcome for outcome in outcomes if not outcome.good] == []


@pytest.mark.parametrize("model", [model for model in MODELS if model != "NO_REPLY"])
@pytest.mark.parametrize("trigger", ["token pressure", "SDK"])
async def test_without_transcripts_the_notes_alone_hold_every_fact(tmp_path, trigger, model):
    outcomes = await run(tmp_path, trigger, model, transcripts=False)
    assert [outcome for outcome in outcomes if not outcome.good] == []


async def test_a_fact_that_was_never_said_is_missed(tmp_path, monkeypatch):
    """The matrix can fail."""
    from tests.scenarios import matrix

    monkeypatch.setattr(matrix, "_talk", lambda *_: _nothing())
    monkeypatch.setattr(matrix, "_cut", lambda *_: _nothing())
    began = time.monotonic()
    outcomes = await run(tmp_path, "/compact", "down")
    assert not any(outcome.good for outcome in outcomes)
    assert time.monotonic() - began < 60


async def _nothing() -> bool:
    return False
