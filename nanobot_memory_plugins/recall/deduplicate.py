"""Memories that say the same, that say nothing new, and that say nothing: small talk, answers that know nothing."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nanobot_memory_plugins.core import Hit, Origin
from nanobot_memory_plugins.core.text.sentences import only_asks
from nanobot_memory_plugins.core.text.small_talk import is_small_talk, knows_nothing
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.recalled import Reason, Recalled
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.messages import Sentence

# What one of two texts may contain and the other not, without a difference in what they say.
_FILLERS = re.compile(
    r"\b(?:a|an|the|and|so|well|oh|ok|okay|yes|just|really|very|also|too|please)\b|[的了吧呢啊呀也就都很]"
)
# A text that is longer than this many times a part of it is more than a repetition.
_LONGEST_RATIO = 3


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return what two writings of the same text have in common: no case, compatible forms, script, or line breaks."""
    return one_line(simplified(unicodedata.normalize("NFKC", text))).casefold()


def asks(text: str) -> bool:
    """Return whether a text ends with a question mark."""
    return text.rstrip(" \n\t\"'”’」』）)*_")[-1:] in ("?", "？")


def salient(hits: Sequence[Hit], options: RecallOptions, recalled: Recalled) -> list[Hit]:
    """Return the hits that are memories by themselves."""

    def acknowledges(hit: Hit) -> bool:
        # "Yes" after a question says something: the question is shown with it.
        return hit.source == "transcript" and not hit.answers and is_small_talk(hit.text, options.small_talk)

    def questions(hit: Hit) -> bool:
        return hit.source == "transcript" and hit.origin is Origin.USER and not hit.answers and only_asks(hit.text)

    def is_ignorant(hit: Hit) -> bool:
        return hit.source == "transcript" and hit.origin is Origin.ASSISTANT and knows_nothing(hit.text)

    kept = recalled.without(hits, acknowledges, Reason.SAYS_NOTHING, Sentence("an acknowledgement"))
    kept = recalled.without(kept, questions, Reason.SAYS_NOTHING, Sentence("a question"))
    return recalled.without(kept, is_ignorant, Reason.SAYS_NOTHING, Sentence("an answer that knows nothing"))


def fold_repeats(hits: Iterable[Hit], recalled: Recalled) -> list[Hit]:
    """Keep one of the hits of which one holds the words of the other, in the place and with the score of the best.

    The one that says more stays, and of two that say the same the newer.
    """
    kept: list[tuple[Hit, str]] = []
    for hit in hits:
        words = "".join(letter for letter in _FILLERS.sub("", folded(hit.text)) if letter.isalnum()) or hit.text
        for place, (other, others_words) in enumerate(kept):
            if not _is_of_one(hit, other) or not _is_part(*sorted((words, others_words), key=len)):
                continue
            gone, stays = hit, other
            if len(words) > len(others_words) or (words == others_words and _time(hit) > _time(other)):
                gone, stays = other, hit
                similarity = max(
                    (repeat.similarity for repeat in (hit, other) if repeat.similarity is not None), default=None
                )
                coverage = max(hit.coverage, other.coverage)
                kept[place] = (replace(hit, score=other.score, coverage=coverage, similarity=similarity), words)
            recalled.leave_out([gone], Reason.REPEATS, stays.id)
            break
        else:
            kept.append((hit, words))
    return [hit for hit, _ in kept]


def _is_of_one(hit: Hit, other: Hit) -> bool:
    """Return whether two memories are of one speaker and one project, and both ask or none does."""
    speakers, projects = {hit.speaker.casefold(), other.speaker.casefold()}, {hit.scope.project, other.scope.project}
    return len(speakers - {""}) < 2 and len(projects - {""}) < 2 and asks(hit.text) == asks(other.text)


def _is_part(short: str, long: str) -> bool:
    """Return whether one text is the beginning of another one that is hardly longer."""
    return short == long or (len(long) <= _LONGEST_RATIO * len(short) and long.startswith(short))


def _time(hit: Hit) -> float:
    return hit.time.timestamp() if hit.time is not None else -math.inf
