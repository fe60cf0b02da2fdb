"""What recall does: choose a tier, search within its limit, keep what is good and new, and make a block of it.

The hooks in `plugin` call it, and so do ``nanobot-memory why`` and ``eval``: what is shown and measured is what runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from nanobot_memory_plugins.core import (
    Clock,
    ContextBlock,
    Hit,
    Message,
    Query,
    Scope,
    SearchResult,
    Store,
    SystemClock,
    Tier,
)
from nanobot_memory_plugins.core.clock import time_limit
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.recall.block import build_block, render
from nanobot_memory_plugins.recall.deduplicate import LiveContext, fold_repeats, says_nothing
from nanobot_memory_plugins.recall.learned import evidence_of_need, helping, need, usefulness
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import Decision, RecallTier, decide_tier

# Hits asked of the store, at least: what repeats, says nothing or stands in the live context falls out.
_LEAST_HITS = 24
# Of so many hits, best first, it goes whether the message needs memory.
_TELLING = 5
# Characters of the turn before that a short message is searched with.
_FOLLOWED = 500


class Reason(StrEnum):
    """Why a memory is not in the block, and why there is none, in the order of the steps; each as people read it."""

    OFF_RECORD = "it is off the record"
    PAUSED = "the memory is paused"
    NO_STORE = "no store is open"
    NOT_SEARCHED = "no word asks for memory, and nothing is searched (recall.enableProbeOnOff)"
    LATE = "the time for it was over"
    NOTHING_FOUND = "nothing was found"
    IN_CONTEXT = "the message or the conversation says it already"
    REPEATS = "another memory says the same"
    SAYS_NOTHING = "it says nothing new"
    NOT_NEEDED = "the message seems to need no memory (recall.needThreshold)"
    LITTLE_USE = "it hardly helps with the message (recall.minUsefulness, recall.minShareOfBest)"
    TOP_K = "others fit better (recall.recallTopK, recall.lightTopK, recall.heavyTopK)"
    BUDGET = "there is no room left (recall.maxContextTokens, injectBudgetChars, maxFullDocs, maxSnippets)"


@dataclass(slots=True)
class Recalled:
    """One recall, filled in step by step: a turn takes its block, and ``nanobot-memory why`` shows the rest.

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
    left_out: dict[str, Reason] = field(default_factory=dict)
    block: ContextBlock | None = None
    reason: Reason | None = Reason.NOTHING_FOUND

    @property
    def injected(self) -> list[Hit]:
        """The hits in the block, in its order."""
        by_id = {hit.id: hit for hit in self.result.hits}
        return [by_id[id_] for id_ in self.block.hit_ids] if self.block is not None else []

    def narrow(self, hits: Sequence[Hit], kept: Sequence[Hit], reason: Reason) -> list[Hit]:
        """Return the hits that are kept, and note of the others why they go."""
        gone = {hit.id for hit in hits} - {hit.id for hit in kept}
        if gone:
            self.left_out |= dict.fromkeys(gone, reason)
            self.reason = reason
        return list(kept)


async def recall(
    store: Store,
    text: str,
    *,
    options: RecallOptions,
    history: Sequence[Message] = (),
    scope: Scope | Visibility = Scope(),
    tier: RecallTier | None = None,
    asked_at: datetime | None = None,
    clock: Clock | None = None,
    exclude_records: frozenset[str] = frozenset(),
    explain: bool = False,
) -> Recalled:
    """Recall for a message.

    ``history`` are the messages in the live context before it: what is in them is not injected again.
    ``scope`` is the filter of the search. ``tier`` None: the words of the message choose it, and it is asked whether
    the message needs memory. ``asked_at`` is when the question is asked, by default now. ``exclude_records`` are not
    searched. ``explain`` also asks the store for all candidates.

    What is later than the tier's limit is dropped, and is no failure. Raises what the store raises.
    """
    turns = [message.text for message in history if message.role == "user"]
    clock = clock or SystemClock()
    recalled = await run_in_daemon_thread(lambda: Recalled(decide_tier(text, turns, options)))
    decision = recalled.decision
    recalled.tier = decision.tier if tier is None else tier
    if not text.strip() or (recalled.tier is RecallTier.OFF and not options.enable_probe_on_off):
        recalled.reason = Reason.NOT_SEARCHED
        return recalled
    question = f"{turns[-1][:_FOLLOWED]}\n{text}" if decision.follows else text
    # The days of whoever asks are those of this machine.
    asked_at = asked_at or clock.now().astimezone()
    most = max(_LEAST_HITS, options.recall_top_k)
    query = Query(question, most, scope=scope, asked_at=asked_at, exclude_records=exclude_records, explain=explain)
    recalled.limit, started = limit_seconds(recalled.tier, options), clock.monotonic()
    try:
        async with time_limit(clock, recalled.limit) as bound:
            await _search(store, query, options, recalled)
    except TimeoutError:
        if not bound.expired():
            raise
    recalled.seconds = clock.monotonic() - started
    if bound.expired() or recalled.seconds > recalled.limit:
        recalled.result, recalled.reason = SearchResult(), Reason.LATE
        return recalled
    said = [message.text for message in history]
    await run_in_daemon_thread(lambda: _choose(recalled, query, text, said, options, is_asked=tier is None))
    return recalled


def limit_seconds(tier: RecallTier, options: RecallOptions) -> float:
    """Return how long a recall may take that begins at ``tier``.

    It covers everything: a light search and the heavy one that follows it share one limit, and the hits of a strong
    probe are used as they are. So no turn waits longer than for the tier that its words chose.
    """
    by_tier = {
        RecallTier.OFF: options.probe_ms,
        RecallTier.LIGHT: options.light_ms,
        RecallTier.HEAVY: options.heavy_ms,
    }
    return by_tier[tier] / 1000 if options.recall_timeout is None else options.recall_timeout


async def _search(store: Store, query: Query, options: RecallOptions, recalled: Recalled) -> None:
    """Search at the recall's tier; a light search that finds nothing good is followed by a heavy one."""
    if recalled.tier is RecallTier.LIGHT:
        light = await store.search(replace(query, tier=Tier.LIGHT))
        if any(hit.coverage >= options.light_threshold for hit in light.hits):
            recalled.result = light
            return
        recalled.tier = RecallTier.HEAVY
    recalled.result = await store.search(query)


def _choose(
    recalled: Recalled, query: Query, text: str, said: Sequence[str], options: RecallOptions, *, is_asked: bool
) -> None:
    """Make the block of what is not said already, unless the message needs no memory (`need`).

    That is a decision about the message, not about single hits: when something answers it, what ranks next to that may
    be the second half of the answer, whatever its own words are.
    """
    found, live = recalled.result.hits, LiveContext([text, *said])
    hits = recalled.narrow(found, [hit for hit in found if not live.holds(hit.text)], Reason.IN_CONTEXT)
    hits = recalled.narrow(hits, fold_repeats(hits), Reason.REPEATS)
    hits = recalled.narrow(hits, [hit for hit in hits if not says_nothing(hit, options)], Reason.SAYS_NOTHING)
    if is_asked and hits:
        personal = recalled.result.personal
        recalled.evidence = evidence_of_need(query.text, recalled.decision, personal, hits[:_TELLING])
        recalled.need = need(recalled.evidence)
        if recalled.need < options.need_threshold:
            recalled.narrow(hits, (), Reason.NOT_NEEDED)
            recalled.reason = Reason.NOT_NEEDED
            return
    if recalled.tier is RecallTier.OFF and hits:
        recalled.tier = RecallTier.HEAVY  # the probe has looked at the whole text: its hits are those of a heavy search
    recalled.usefulness = usefulness(hits)
    useful = recalled.narrow(hits, helping(hits, recalled.usefulness, options), Reason.LITTLE_USE)
    shown = recalled.narrow(useful, useful[: _top_k(recalled.tier, options)], Reason.TOP_K)
    project = query.scope.project

    new = [hit for hit in shown if not live.holds(render(hit, options, project=project))]  # in no block before
    shown = recalled.narrow(shown, new, Reason.IN_CONTEXT)
    recalled.block = build_block(shown, options, project=project, today=query.asked_at)
    recalled.narrow(shown, recalled.injected, Reason.BUDGET)
    if recalled.block is not None:
        recalled.reason = None


def _top_k(tier: RecallTier, options: RecallOptions) -> int:
    return min(options.light_top_k if tier is RecallTier.LIGHT else options.heavy_top_k, options.recall_top_k)
