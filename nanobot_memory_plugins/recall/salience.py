"""Salience: whether a hit is a memory by itself.

Acknowledgements, answers that know nothing, bare questions and texts that somebody asked the assistant to invent
stay in their files, and are not recalled.
"""

from collections.abc import Iterable, Sequence

from nanobot_memory_plugins.core import Hit, Origin, Sentence
from nanobot_memory_plugins.core.text import (
    asks_to_invent,
    is_acknowledgement,
    knows_nothing,
    only_asks,
    only_jokes,
    only_supposes,
    tells_besides,
)
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import is_small_talk, is_unsure
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace

# An answer that knows nothing is short; a longer one goes on to say something.
_LONGEST_NON_ANSWER = 240
_LONGEST_ACKNOWLEDGEMENT = 120

# What was only supposed, or in jest, is recalled where a hit covers so much of what is asked.
_ASKED_FOR = 0.5


def salient(hits: Sequence[Hit], options: RecallOptions, watch: RecallTrace | None = None) -> list[Hit]:
    """Return the hits that are memories by themselves."""
    unreal = {(hit.path, hit.line) for hit in hits if hit.origin is Origin.USER and is_unreal(hit.text)}
    invented = {(hit.path, hit.line) for hit in hits if hit.origin is Origin.USER and asks_to_invent(hit.text)}
    kept = []
    for hit in hits:
        why = _emptiness(hit, invented, options) or _unreality(hit, unreal)
        if not why:
            kept.append(hit)
        elif watch is not None:
            watch.cut([hit], Reason.SAYS_NOTHING, why)
    return kept


def _emptiness(hit: Hit, invented: Iterable[tuple[str, int]], options: RecallOptions) -> str:
    """Return why a hit is no memory, or nothing."""
    text = hit.text
    if hit.source != "transcript":
        return ""
    if (hit.path, hit.line) in invented or (hit.path, hit.line - 1) in invented or asks_to_invent(hit.answers):
        return Sentence("an invention that was asked for")
    if len(text) <= _LONGEST_ACKNOWLEDGEMENT and (
        is_small_talk(text, options) or is_acknowledgement(text, hit.answers)
    ):
        return Sentence("an acknowledgement")
    if hit.origin is Origin.ASSISTANT and _knows_nothing(text, options):
        return Sentence("an answer that knows nothing")
    if hit.origin in (Origin.USER, Origin.ASSISTANT) and only_asks(text):
        return Sentence("a question and nothing else")
    return ""


def is_unreal(text: str) -> bool:
    """Return whether a text of the user's only supposes something, or says it in jest."""
    return only_supposes(text) or only_jokes(text)


def _unreality(hit: Hit, unreal: Iterable[tuple[str, int]]) -> str:
    """Return why a hit is about what is not so, or nothing: also where it is asked for."""
    if hit.source != "transcript" or hit.coverage >= _ASKED_FOR:
        return ""
    is_about_it = (hit.path, hit.line) in unreal or (
        hit.origin is Origin.ASSISTANT and (hit.path, hit.line - 1) in unreal
    )
    return Sentence("a supposition or a joke, and nothing else") if is_about_it else ""


def _knows_nothing(text: str, options: RecallOptions) -> bool:
    """Return whether an answer knows nothing; the words of a draft that does not know count, too."""
    if len(text) > _LONGEST_NON_ANSWER:
        return False
    return knows_nothing(text) or (is_unsure(text, options) and not tells_besides(text))
