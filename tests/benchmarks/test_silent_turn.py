"""The measure of planted facts, with a model that answers by rules behind the same call."""

import json

from benchmarks.silent_turn import Outcome, conversation, described, played
from nanobot_memory_plugins.core.text.tokens import estimate_tokens


def test_a_conversation_holds_its_facts_once_and_more_than_stays():
    for language in ("en", "zh"):
        messages, facts = conversation(language, 3)
        assert len(facts) == 4
        for fact in facts:
            assert sum(fact.subject in one["content"] and fact.truth in one["content"] for one in messages) == 1
        assert conversation(language, 3) == (messages, facts)


async def test_what_the_model_writes_down_counts_as_written_and_its_time_is_taken():
    messages, facts = conversation("en", 1)
    told = next(one["content"] for one in messages if facts[0].truth in one["content"])

    async def complete(prompt, *, max_tokens, purpose):
        return json.dumps([{"type": "fact", "tldr": told, "details": told, "tags": []}]) if purpose == "flush" else "-"

    outcome = await played("en", 1, complete)
    assert outcome.planted == 4
    assert 1 <= outcome.written <= outcome.kept <= 4
    assert len(outcome.seconds) == 1
    assert estimate_tokens("".join(one["content"] for one in messages)) > 0


def test_the_line_names_shares_and_the_mean():
    line = described([Outcome(4, 2, 4, [1.0]), Outcome(4, 4, 4, [3.0])])
    assert "8 facts, kept 1.000, in notes or summary 0.750, silent turn 2.0 s" in line
