"""Memories that say the same: the one that stays, in English and in languages without spaces.

A memory repeats another when all its telling words, and pairs of characters in Chinese, stand in the other too, in
the same order. So nothing that only one of them says is lost: a number, a name, a "not" or an "almost" keeps them
apart, and a question is never taken for what it asks about.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise

from nanobot_memory_plugins.core import Hit
from nanobot_memory_plugins.core.text.negation import negations
from nanobot_memory_plugins.core.text.sentences import ends_in_question_mark
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace
from nanobot_memory_plugins.redaction.rules.lazy_pattern import LazyPattern
from nanobot_memory_plugins.redaction.script.chinese_script import simplified
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SPACES = re.compile(r"\s+")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_TOKEN = LazyPattern(rf"(?P<run>[{_UNSPACED}]+)|[^\W_{_UNSPACED}]+(?:[.:/@'’-][^\W_{_UNSPACED}]+)*")
# What may stand in one of two texts and not in the other without a difference in what they say.
_FILLERS = frozenset(
    "a an the and so well oh ok okay yes yeah just really very also too please that to of is am are was were".split()  # noqa: SIM905
)
_FILLER_CHARACTERS = re.compile("[的了吧呢啊呀哦嘛就也都很]")
# What makes it past, possible or somebody else's: "my old address", "I almost bought it", "he thinks that ...".
_QUALIFIER = re.compile(
    r"\b(?:should|would|could|might|may|if|whether|unless|old|former|formerly|previous|previously|used to|almost|"
    r"nearly|thinks?|thought|sa(?:id|ys?)|believes?|guess|maybe|perhaps|probably|hopes?|wish|wants?|wanted|plans?|planned)\b|"
    "以前|之前|曾|差点|要不要|如果|要是|假如|可能|也许|大概|或许|打算|想|说|觉得|认为|以为|听|"
    "旧|原来|原本|本来"
)
# Of two texts that differ more in length the longer one is more than a repetition, and may be shown by a part only.
_LONGEST_RATIO = 3
# Longer texts are compared whole only.
_LONGEST_COMPARED = 4_000


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def folded(text: str) -> str:
    """Return what two writings of the same text have in common: no case, compatible forms, script, or line breaks."""
    return one_line(simplified(unicodedata.normalize("NFKC", text))).casefold()


def fold_repeats(hits: Iterable[Hit], watch: RecallTrace | None = None) -> list[Hit]:
    """Keep one of the hits that say the same, in the place and with the score of the best of them.

    The one that says more stays, and of two that say the same the newer.
    """
    kept: list[tuple[Hit, _Said]] = []
    for hit in hits:
        said = _Said.of(hit)
        for place, (other, other_said) in enumerate(kept):
            is_held = said.is_held_by(other_said)
            if not is_held and not other_said.is_held_by(said):
                continue
            stays = not is_held or (other_said.is_held_by(said) and _time(hit) > _time(other))
            if stays:
                kept[place] = (_in_place_of(other, hit), said)
            if watch is not None:
                gone, held_by = (other, hit) if stays else (hit, other)
                watch.cut([gone], Reason.REPEATS, Sentence("says the same"), instead=held_by.id)
            break
        else:
            kept.append((hit, said))
    return [hit for hit, _ in kept]


@dataclass(frozen=True)
class _Said:
    """What a memory says, who said it, and what project it is about."""

    text: str
    tokens: tuple[str, ...]
    distinct: frozenset[str]
    speaker: str
    project: str

    @classmethod
    def of(cls, hit: Hit) -> "_Said":
        text = folded(hit.text)
        tokens = tuple(_tokens(text)) if len(text) <= _LONGEST_COMPARED else ()
        return cls(text, tokens, frozenset(tokens), hit.speaker.casefold(), hit.scope.project)

    @cached_property
    def sense(self) -> tuple[int, int, bool]:
        """How often it is turned round, how often qualified, and whether it asks."""
        return (
            sum(1 for _ in negations(self.text)),
            len(_QUALIFIER.findall(self.text)),
            ends_in_question_mark(self.text),
        )

    def is_held_by(self, other: "_Said") -> bool:
        """Return whether ``other`` says all that this says."""
        if self.speaker != other.speaker and self.speaker and other.speaker:
            return False
        if self.project != other.project and self.project and other.project:
            return False  # "we release on Thursdays" of two projects is two decisions
        if self.text == other.text:
            return True
        return (
            bool(self.tokens)
            and len(other.tokens) <= len(self.tokens) * _LONGEST_RATIO
            and self.distinct <= other.distinct
            and _is_subsequence(self.tokens, other.tokens)
            and self.sense == other.sense
        )


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match["run"] is None:
            if match[0] not in _FILLERS:
                yield match[0]
            continue
        run = _FILLER_CHARACTERS.sub("", match[0])
        if len(run) == 1:
            yield run
        yield from (first + second for first, second in pairwise(run))


def _is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(token in rest for token in part)


def _in_place_of(best: Hit, stays: Hit) -> Hit:
    """Return the hit that stays, as good as the one that it replaces."""
    similarity = max((one for one in (best.similarity, stays.similarity) if one is not None), default=None)
    return replace(stays, score=best.score, coverage=max(best.coverage, stays.coverage), similarity=similarity)


def _time(hit: Hit) -> float:
    time = hit.time or datetime.min
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
