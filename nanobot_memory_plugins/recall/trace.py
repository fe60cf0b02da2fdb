"""What a recall did and why, for who wants to see it: ``nanobot-memory why`` hands a `RecallTrace` to the real path."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from nanobot_memory_plugins.core import Hit, Query, SearchResult
from nanobot_memory_plugins.recall.routing import Decision


class Reason(StrEnum):
    """Why a hit is not in the block."""

    LATE = "late"
    TIER = "tier"
    NOT_NEEDED = "not needed"
    SAYS_NOTHING = "says nothing"
    IN_CONTEXT = "in context"
    REPEATS = "repeats"
    TOP_K = "top k"
    LITTLE_USE = "little use"
    PLACES = "places"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why one hit was left out. ``detail`` names the option and figures, ``instead`` the memory that says the same."""

    reason: Reason
    detail: str = ""
    instead: str = ""


@dataclass(slots=True)
class RecallTrace:
    """Filled in by one recall.

    ``searches`` are the queries that were made, each with its result. ``limit_seconds`` is what the recall may take,
    ``seconds`` what it took. ``need`` is the probability that the message needs memory, ``evidence`` what speaks for
    it. ``whole`` are the ids of memories that stand whole in the block, ``unhelpful`` of those that are said not to
    help.
    """

    decision: Decision | None = None
    searches: list[tuple[Query, SearchResult]] = field(default_factory=list)
    limit_seconds: float = 0.0
    seconds: float = 0.0
    need: float | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)
    cuts: dict[str, LeftOut] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    unhelpful: frozenset[str] = frozenset()

    def cut(self, hits: Iterable[Hit], reason: Reason, detail: str = "", *, instead: str = "") -> None:
        """Note why hits are left out; what was noted of one before counts."""
        for hit in hits:
            self.cuts.setdefault(hit.id, LeftOut(reason, detail, instead))
