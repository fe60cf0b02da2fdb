"""Warm-up: recall's own reading of a message and of hits, once before the first message comes.

The patterns with which texts are read are compiled when they are first tried, and a message has no time for it.
"""

from datetime import UTC, datetime

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.period_questions import period_question
from nanobot_memory_plugins.recall.block import build_block
from nanobot_memory_plugins.recall.need import evidence, need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import decide_tier
from nanobot_memory_plugins.recall.salience import salient
from nanobot_memory_plugins.recall.usefulness import most_useful

_WHEN = datetime(2026, 1, 1, tzinfo=UTC)
# They state, ask and name a day, one in each language.
_MESSAGES = (
    "Please remember that I moved to a new flat on Friday. Could you tell me where I lived before, and what I like?",
    "记住我下周五搬家。你还记得我以前住在哪里吗？",
)


def warm_up(options: RecallOptions) -> None:
    """Read messages and hits as `engine.recall` does, and keep nothing. It blocks."""
    for text in _MESSAGES:
        period_question(text, _WHEN, text)
        hits = [
            Hit("", text, "memory/sessions/a.jsonl", 1, 1.0, origin, source="transcript", time=_WHEN)
            for origin in (Origin.USER, Origin.ASSISTANT)
        ]
        told = salient(hits, options)
        need(evidence(text, decide_tier(text, (text,), options), None, told))
        build_block(most_useful(told, len(hits), options), options)
