"""Salience: whether a hit is a memory by itself. Small talk and answers that know nothing stay in their files alone."""

from collections.abc import Sequence

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.small_talk import is_small_talk, knows_nothing
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace
from nanobot_memory_plugins.redaction.script.messages import Sentence


def salient(hits: Sequence[Hit], options: RecallOptions, watch: RecallTrace | None = None) -> list[Hit]:
    """Return the hits that are memories by themselves."""
    kept = []
    for hit in hits:
        why = _emptiness(hit, options)
        if not why:
            kept.append(hit)
        elif watch is not None:
            watch.cut([hit], Reason.SAYS_NOTHING, why)
    return kept


def _emptiness(hit: Hit, options: RecallOptions) -> str:
    """Return why a hit is no memory, or nothing."""
    if hit.source != "transcript":
        return ""
    # "Yes" behind a question says something: the question stands beside it.
    if not hit.answers and is_small_talk(hit.text, options.small_talk):
        return Sentence("an acknowledgement")
    if hit.origin is Origin.ASSISTANT and knows_nothing(hit.text):
        return Sentence("an answer that knows nothing")
    return ""
