"""One recall, watched: the answer to ``nanobot-memory why`` as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.core import Hit, MemoryConfig, Message, Scope, StoreStatus
from nanobot_memory_plugins.core.cli import opened_store, settled
from nanobot_memory_plugins.core.config import plugin_options
from nanobot_memory_plugins.core.host.missed_turns import missed_recalls
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_scopes
from nanobot_memory_plugins.core.values import ScorePart
from nanobot_memory_plugins.recall.engine import Recalled, limit_seconds, recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.relevance import relevance
from nanobot_memory_plugins.recall.trace import LeftOut, RecallTrace

# Seconds for the recall itself. A turn has less, and is told of; a question about it must not end with "too late".
_NO_LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Examined:
    """What a recall did.

    ``turn_seconds`` is what a turn would have had for it, ``missed`` how many turns of the last day got
    nothing in time.
    """

    recalled: Recalled
    watch: RecallTrace
    options: RecallOptions
    status: StoreStatus
    turn_seconds: float
    missed: int = 0

    def candidates(self) -> list["ExaminedCandidate"]:
        """Return every candidate of the last search, hits first and in their order."""
        if not self.watch.searches:
            return []
        query, result = self.watch.searches[-1]
        injected = {hit.id for hit in self.recalled.injected}
        if result.explanation is None:
            listed = [
                ExaminedCandidate(hit, number, None, (), "", hit.id in injected, None)
                for number, hit in enumerate(result.hits, start=1)
            ]
        else:
            listed = [
                ExaminedCandidate(one.hit, one.place, one.total, one.parts, one.why, one.hit.id in injected, None)
                for one in result.explanation.candidates
            ]
        return [one.with_fate(self.watch, query.limit) for one in listed]


@dataclass(frozen=True, slots=True)
class ExaminedCandidate:
    """One candidate and what became of it.

    ``total`` and ``parts`` are None and empty where the store does not tell them. ``fate`` is one of ``injected
    whole``, ``injected``, ``injected by snippet``, a `Reason`, ``not asked for`` or ``no hit``.
    """

    hit: Hit
    place: int | None
    total: float | None
    parts: tuple[ScorePart, ...]
    found_by: str
    injected: bool
    cut: LeftOut | None
    fate: str = ""
    unhelpful: bool = False

    @property
    def relevance(self) -> float:
        """How relevant it is by itself, 0..1."""
        return relevance(self.hit)

    def with_fate(self, watch: RecallTrace, limit: int) -> "ExaminedCandidate":
        """Return it with what became of it."""
        cut = None if self.injected else watch.cuts.get(self.hit.id)
        if self.injected:
            fate = "injected whole" if self.hit.id in watch.whole else "injected by snippet"
        elif cut is not None:
            fate = cut.reason.value
        else:
            fate = "no hit" if self.place is None else f"not among the best {limit}"
        return replace(self, cut=cut, fate=fate, unhelpful=self.hit.id in watch.unhelpful)


async def examine(workspace: Path, config: MemoryConfig, text: str, *, recent: Sequence[str], scope: Scope) -> Examined:
    """Recall for a message as a turn would, with nothing left out for want of time, and say what was done.

    ``recent`` are the user's messages before it, oldest first. Raises `StoreError` when there is no store.
    """
    found, _ = plugin_options(config, "recall", RecallOptions)
    options = found if isinstance(found, RecallOptions) else RecallOptions()
    watch = RecallTrace()
    async with opened_store(workspace, config) as store:
        await settled(store)
        recalled = await recall(
            store,
            text,
            options=options.model_copy(update={"recall_timeout": _NO_LIMIT}),
            history=[Message("user", turn) for turn in recent],
            scope=offered_scopes(workspace, config).visible(scope),
            asked_at=datetime.now(UTC).astimezone(),
            watch=watch,
            unhelpful=Unhelpful(workspace).ids,
        )
        status = store.status()
    tier = watch.decision.tier if watch.decision is not None else recalled.tier
    seconds = limit_seconds(tier, options)
    missed = missed_recalls(workspace, datetime.now(UTC))
    return Examined(recalled, watch, options, status, seconds, missed)
