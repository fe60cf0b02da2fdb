"""Warm-up: recall's own reading of a message and of hits, once before the first message comes."""

from datetime import UTC, datetime

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text import (
    WARM_UP_MESSAGES,
    asks_for_advice,
    only_asks,
    overview_subject,
    period_question,
    tells_change,
    topic_of,
    without_worked_on,
)
from nanobot_memory_plugins.recall.block import build_block
from nanobot_memory_plugins.recall.need import need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import decide_tier
from nanobot_memory_plugins.recall.salience import salient
from nanobot_memory_plugins.recall.usefulness import most_useful

_WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def warm_up(options: RecallOptions) -> None:
    """Read messages and hits as `engine.recall` does, and keep nothing. It blocks."""
    for text in WARM_UP_MESSAGES:
        without_worked_on(text)
        period_question(text, _WHEN, text)
        overview_subject(text)
        topic_of(text)
        asks_for_advice(text)
        only_asks(text)
        tells_change(text)
        hits = [
            Hit("", text, "memory/sessions/a.jsonl", 1, 1.0, origin, source="transcript", time=_WHEN)
            for origin in (Origin.USER, Origin.ASSISTANT)
        ]
        told = salient(hits, options)
        need(text, decide_tier(text, (text,), options), told)
        build_block(most_useful(told, len(hits), options, looks_back=True), options)
