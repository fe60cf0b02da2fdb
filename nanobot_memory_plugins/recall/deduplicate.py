"""Recognizes hits that repeat each other or the live context, and uninformative ones: questions and non-answers."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark, is_only_questions
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import is_non_answer
from nanobot_memory_plugins.redaction.rules.rule import PLACEHOLDER

# The remark that the store appends to an entry that supersedes another one; prompts show the entry without it.
_SINCE = re.compile(r"\s*(?:\(since [\d-]+\)|（自[\d-]+起）)$")
# Separates a clause that states something from the question after it.
_CLAUSE = re.compile("[,，;；:：]")
# Shorter texts ("yes", "好的") are compared with whole texts only, not searched for in longer ones.
_MIN_PART_CHARS = 8


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def fold_line(text: str) -> str:
    """Normalize case, compatible characters, Chinese script and white space, to compare two versions of a text."""
    return one_line(fold_text(text))


def is_uninformative(hit: Hit, options: RecallOptions) -> bool:
    """Return whether a hit says nothing by itself: a question, the summary of one, or an answer without information."""
    if hit.origin is Origin.SUMMARY:
        return is_only_questions(hit.text)
    if hit.source != "transcript":
        return False
    if hit.origin is Origin.ASSISTANT:
        return is_non_answer(hit.text, options)
    # "I have gastritis, what may I drink?" states something before it asks.
    is_from_user = hit.origin is Origin.USER and not hit.answers
    return is_from_user and is_only_questions(hit.text) and _CLAUSE.search(hit.text) is None


def merge_repeats(hits: Iterable[Hit]) -> list[Hit]:
    """Merge hits that say the same: the newest stays, with the rank and the figures of the best."""
    unique: list[tuple[Hit, str]] = []
    for hit in hits:
        words = "".join(letter for letter in fold_line(hit.text) if letter.isalnum()) or hit.text
        repeated = (place for place, (other, others_words) in enumerate(unique) if words == others_words)
        place = next((place for place in repeated if _may_repeat(hit, unique[place][0])), None)
        if place is None:
            unique.append((hit, words))
        elif _time(hit) > _time(other := unique[place][0]):
            newest = replace(hit, score=other.score, coverage=other.coverage, similarity=other.similarity)
            unique[place] = (newest, words)
    return [hit for hit, _ in unique]


def _may_repeat(hit: Hit, other: Hit) -> bool:
    """Return whether two hits have the same speaker and project as far as known, and both or neither ask."""
    speakers, projects = {hit.speaker.casefold(), other.speaker.casefold()}, {hit.scope.project, other.scope.project}
    is_question = {ends_in_question_mark(hit.text), ends_in_question_mark(other.text)}
    return len(speakers - {""}) < 2 and len(projects - {""}) < 2 and len(is_question) == 1


def _time(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else -math.inf


class LiveContext:
    """The texts of a live context, whose memories are not injected again. Built once per message.

    A memory of such a text may be stored with hidden secrets, other white space, or only in part. Placeholders of
    secrets match anything: a memory is contained if its other words occur in one text, in the same order.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = {fold_line(text) for text in texts} | {""}

    def contains(self, text: str) -> bool:
        """Return whether the context contains all of a memory."""
        text = _SINCE.sub("", text)
        parts = [fold_line(part) for part in PLACEHOLDER.split(text)]
        if len(parts) == 1 and len(parts[0]) < _MIN_PART_CHARS:
            return parts[0] in self._texts
        return any(_occur_in_order(parts, known) for known in self._texts)


def _occur_in_order(parts: Iterable[str], text: str) -> bool:
    """Return whether all parts occur in a text, one after the other."""
    at = 0
    for part in parts:
        start = text.find(part, at)
        if start < 0:
            return False
        at = start + len(part)
    return True
