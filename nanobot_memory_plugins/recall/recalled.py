"""What one recall did: a turn takes its block, and ``nanobot-memory why`` shows the rest."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from nanobot_memory_plugins.core import ContextBlock, Hit, SearchResult
from nanobot_memory_plugins.recall.routing import Decision, RecallTier


class Reason(StrEnum):
    """Why a memory is not in the block, and why there is none, in the order of the steps; each as people read it."""

    OFF_RECORD = "it is off the record"
    PAUSED = "the memory is paused"
    NO_STORE = "no store is open"
    NOT_SEARCHED = "no word asks for memory, and nothing is searched (enableProbeOnOff)"
    LATE = "the time for it was over"
    NOTHING_FOUND = "nothing was found"
    IN_CONTEXT = "the message or the conversation says it already"
    REPEATS = "another memory says the same"
    SAYS_NOTHING = "it says nothing new"
    NOT_NEEDED = "the message can be answered without memory"
    LITTLE_USE = "it hardly helps with the message"
    TOP_K = "others fit better"
    BUDGET = "there is no room left"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why one hit was left out; ``detail`` names the option, figures, or another memory's id."""

    reason: Reason
    detail: str = ""


@dataclass(slots=True)
class Recalled:
    """One recall, filled in step by step.

    ``decision`` is what the words of the message ask for, ``tier`` where the recall ended: there, or at a higher one to
    which a strong probe or a fruitless light search raised it. ``limit`` and ``seconds`` are what the search may take
    and took. ``result`` is that of the search. ``need`` is the probability that the message needs memory, by its
    ``evidence``; None where nobody asked. ``usefulness`` is the probability of hits that they help, by their ids;
    ``left_out`` says why those went that did.

    ``reason`` is the step that left nothing for a block, None where there is a ``block``.
    """

    decision: Decision = field(default_factory=Decision)
    tier: RecallTier = RecallTier.OFF
    limit: float = 0.0
    seconds: float = 0.0
    result: SearchResult = field(default_factory=SearchResult)
    need: float | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)
    usefulness: Mapping[str, float] = field(default_factory=dict)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    block: ContextBlock | None = None
    reason: Reason | None = Reason.NOTHING_FOUND

    @property
    def injected(self) -> list[Hit]:
        """The hits in the block, in its order."""
        by_id = {hit.id: hit for hit in self.result.hits}
        return [by_id[id_] for id_ in self.block.hit_ids] if self.block is not None else []

    def leave_out(self, hits: Iterable[Hit], reason: Reason, detail: str = "") -> None:
        """Note why hits go; what was noted of one before counts."""
        for hit in hits:
            self.left_out.setdefault(hit.id, LeftOut(reason, detail))
            self.reason = reason

    def without(self, hits: Iterable[Hit], goes: Callable[[Hit], bool], reason: Reason, detail: str = "") -> list[Hit]:
        """Return the hits that stay, and note of the others why they go."""
        kept = []
        for hit in hits:
            if goes(hit):
                self.leave_out([hit], reason, detail)
            else:
                kept.append(hit)
        return kept
