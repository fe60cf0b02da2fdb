"""One recall, watched: the answer to ``nanobot-memory why`` as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.core import Hit, MemoryConfig, Message, Scope
from nanobot_memory_plugins.core.cli.open_store import opened_store, settled
from nanobot_memory_plugins.core.config import plugin_options
from nanobot_memory_plugins.core.host.missed_turns import missed_recalls
from nanobot_memory_plugins.core.host.unhelpful import Unhelpful
from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_scopes
from nanobot_memory_plugins.core.values import ScorePart
from nanobot_memory_plugins.recall.engine import Recalled, limit_seconds, recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.trace import LeftOut, RecallTrace

# Seconds for the recall itself. A turn has less, and is told of; a question about it must not end with "too late".
_NO_LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory that was looked at, and why it was left out; None where it is in the block, or was no hit.

    ``total`` and ``parts`` are None and empty where the store does not tell them.
    """

    hit: Hit
    place: int | None
    injected: bool
    cut: LeftOut | None
    total: float | None = None
    parts: tuple[ScorePart, ...] = ()
    found_by: str = ""

    @property
    def fate(self) -> str:
        """What became of it, for programs."""
        if self.injected:
            return "injected"
        return (
            self.cut.reason.value if self.cut is not None else "no hit" if self.place is None else "not among the best"
        )


@dataclass(frozen=True, slots=True)
class Examined:
    """What a recall did.

    ``turn_seconds`` is what a turn would have had for it, ``missed`` how many turns of the last day got
    nothing in time.
    """

    recalled: Recalled
    watch: RecallTrace
    options: RecallOptions
    turn_seconds: float
    missed: int = 0

    def candidates(self) -> list[Candidate]:
        """Return every candidate of the last search, hits first and in their order."""
        if not self.watch.searches:
            return []
        _, result = self.watch.searches[-1]
        injected = {hit.id for hit in self.recalled.injected}
        cuts = self.watch.cuts
        if result.explanation is None:
            return [
                Candidate(hit, number, hit.id in injected, cuts.get(hit.id))
                for number, hit in enumerate(result.hits, start=1)
            ]
        return [
            Candidate(one.hit, one.place, one.hit.id in injected, cuts.get(one.hit.id), one.total, one.parts, one.why)
            for one in result.explanation.candidates
        ]


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
    tier = watch.decision.tier if watch.decision is not None else recalled.tier
    return Examined(
        recalled, watch, options, limit_seconds(tier, options), missed_recalls(workspace, datetime.now(UTC))
    )
