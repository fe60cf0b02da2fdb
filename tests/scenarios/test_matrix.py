"""The scenario matrix: whatever cuts the history, however the model behaves, whatever was said."""

import os
import time

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query
from nanobot_memory_plugins.core.language_model.options import LanguageModelOptions
from nanobot_memory_plugins.core.testing import over_http
from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, ScriptedServer
from tests.scenarios.facts import conversation
from tests.scenarios.matrix import MODELS, TRIGGERS, run

LONG = pytest.mark.skipif(not os.environ.get("NANOBOT_MEMORY_LONG"), reason="NANOBOT_MEMORY_LONG=1 runs it: a minute")
# Without it every trigger meets the model that is fine and another, every model a trigger at least.
CELLS = [
    pytest.param(
        trigger, model, marks=() if model == "fine" or column == 1 + row % 4 else LONG, id=f"{trigger}-{model}"
    )
    for row, trigger in enumerate(TRIGGERS)
    for column, model in enumerate(MODELS)
]


@pytest.mark.slow
@pytest.mark.accept("FL-04", "FL-07")
@pytest.mark.parametrize(("trigger", "model"), CELLS)
async def test_every_fact_is_found_afterwards_and_nothing_is_noted_twice(tmp_path, trigger, model):
    outcomes = await run(tmp_path, trigger, model)
    assert len(outcomes) == 6
    assert [outcome for outcome in outcomes if not outcome.good] == []


@pytest.mark.parametrize(
    ("share", "most"), [pytest.param(1.0, 60.0, marks=LONG, id="default limits"), pytest.param(0.1, 15.0, id="a tenth")]
)
async def test_a_model_that_never_answers_holds_a_cut_up_no_longer_than_the_limits_say(tmp_path, share, most):
    slow = ScriptedServer([ReplyRule(lambda request: True, Reply("late", delay=90.0))])
    default = LanguageModelOptions()
    limits = {
        "timeout": default.timeout * share,
        "purpose_timeouts": {purpose: limit * share for purpose, limit in default.purpose_timeouts.items()},
    }
    config = MemoryConfig.model_validate(
        {"core": {"language_model": limits}, "plugins": {"storage": {"embedding_provider": "none"}}}
    )
    talk = conversation("normal", window=16_000)
    with slow as server:
        async with MemoryHost(tmp_path, config=config, llm=over_http(server.base_url)) as host:
            began = time.monotonic()
            await host.before_compaction(
                session_key=talk.key, messages=talk.messages, context_window=16_000, reason="archive"
            )
            assert time.monotonic() - began < most
            await host.flush_index()
            for fact in talk.facts:
                hits = (await host.search(Query(fact.asked, use_vectors=False))).hits
                assert any(fact.answer in hit.text for hit in hits), fact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trigger", "model"),
    [
        pytest.param(trigger, model, marks=() if (trigger == "SDK") == (model in ("slow", "down")) else LONG)
        for trigger in ("token pressure", "SDK")
        for model in MODELS
        if model != "NO_REPLY"
    ],
)
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
