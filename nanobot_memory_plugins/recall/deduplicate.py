"""Memories that say the same, that the live context has, and that say nothing: questions, and answers without one."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, is_only_questions
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import knows_nothing
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# What the store appends to an entry that has taken the place of another: a prompt shows it without.
_SINCE = re.compile(r"\s*(?:\(since [\d-]+\)|（自[\d-]+起）)$")
# What parts a clause that tells something from the question behind it.
_CLAUSE = re.compile("[,，;；:：]")
# Texts shorter than this say too little to be recognised inside another text ("yes", "好的").
_SHORTEST_PART = 8


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return what two writings of the same text have in common: no case, compatible forms, script, or line breaks."""
    return one_line(fold_text(text))


def says_nothing(hit: Hit, options: RecallOptions) -> bool:
    """Return whether a hit is no memory by itself: a question, what was noted of one, or an answer that has none."""
    if hit.origin is Origin.SUMMARY:
        return is_only_questions(hit.text)
    if hit.source != "transcript":
        return False
    if hit.origin is Origin.ASSISTANT:
        return knows_nothing(hit.text, options)
    # "I have gastritis, what may I drink?" tells something before it asks.
    is_users = hit.origin is Origin.USER and not hit.answers
    return is_users and is_only_questions(hit.text) and _CLAUSE.search(hit.text) is None


def fold_repeats(hits: Iterable[Hit]) -> list[Hit]:
    """Keep of hits that say the same the newest, in the place and with the figures of the best."""
    kept: list[tuple[Hit, str]] = []
    for hit in hits:
        words = "".join(letter for letter in folded(hit.text) if letter.isalnum()) or hit.text
        same = (place for place, (other, others_words) in enumerate(kept) if words == others_words)
        place = next((place for place in same if _is_of_one(hit, kept[place][0])), None)
        if place is None:
            kept.append((hit, words))
        elif _time(hit) > _time(other := kept[place][0]):
            newest = replace(hit, score=other.score, coverage=other.coverage, similarity=other.similarity)
            kept[place] = (newest, words)
    return [hit for hit, _ in kept]


def _is_of_one(hit: Hit, other: Hit) -> bool:
    """Return whether two memories are of one speaker and one project, and both ask or none does."""
    speakers, projects = {hit.speaker.casefold(), other.speaker.casefold()}, {hit.scope.project, other.scope.project}
    is_question = {ends_in_question_mark(hit.text), ends_in_question_mark(other.text)}
    return len(speakers - {""}) < 2 and len(projects - {""}) < 2 and len(is_question) == 1


def _time(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else -math.inf


class LiveContext:
    """What a live context contains already, and is not injected again. Built once for a message.

    A memory of it is in its file as it was stored: its secrets hidden, its white space as it may be, perhaps a part of
    it only. What was hidden is not looked for: a memory whose other words are in one text, in their order, says no
    more.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = {folded(text) for text in texts} | {""}

    def holds(self, text: str) -> bool:
        """Return whether a memory says only what the context contains."""
        text = _SINCE.sub("", text)
        parts = [folded(part) for part in PLACEHOLDER.split(text)]
        if len(parts) == 1 and len(parts[0]) < _SHORTEST_PART:
            return parts[0] in self._texts
        return any(_stand_in(parts, known) for known in self._texts)


def _stand_in(parts: Iterable[str], text: str) -> bool:
    """Return whether a text contains all parts, one after the other."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
