"""The steps of recall: choose a tier, search within its time limit, keep useful and new hits, and build a block.

The hooks in `plugin` call it, and so do ``nanobot-memory why`` and ``eval``, which thus show and measure the real code.
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
from nanobot_memory_plugins.recall.block import build_block, render_line
from nanobot_memory_plugins.recall.deduplicate import LiveContext, is_uninformative, merge_repeats
from nanobot_memory_plugins.recall.learned import evidence_of_need, need, select_helpful, usefulness
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import Decision, RecallTier, decide_tier

# The least number of hits requested from the store: repetitions, questions and hits in the live context are dropped.
_MIN_HITS = 24
# The number of best hits that are evidence of whether the message needs memory.
_EVIDENCE_HITS = 5
# Characters of the previous turn that are added to the query of a short message.
_PREVIOUS_TURN_CHARS = 500


class Reason(StrEnum):
    """Why a memory is not in the block, or why there is no block, in the order of the steps; the values are shown."""

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
class RecallResult:
    """The result of one recall, filled in step by step: a turn uses its block, ``nanobot-memory why`` shows the rest.

    ``decision`` is the tier that the words of the message ask for; ``tier`` is the final one, which is higher after a
    strong probe or a fruitless light search. The search may take ``limit`` seconds and took ``seconds``; ``result`` is
    its result. ``need`` is the probability that the message needs memory, computed from ``evidence``, or None when it
    was not computed. ``usefulness`` is the probability that a hit helps, by hit id; ``left_out`` maps the ids of
    dropped hits to the reason.

    ``reason`` tells why there is no block, and is None when there is a ``block``.
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
    def injected_hits(self) -> list[Hit]:
        """The hits in the block, in its order."""
        by_id = {hit.id: hit for hit in self.result.hits}
        return [by_id[id_] for id_ in self.block.hit_ids] if self.block is not None else []

    def keep_only(self, hits: Sequence[Hit], kept: Sequence[Hit], reason: Reason) -> list[Hit]:
        """Return ``kept``, and record the reason for which the other hits are left out."""
        dropped = {hit.id for hit in hits} - {hit.id for hit in kept}
        if dropped:
            self.left_out |= dict.fromkeys(dropped, reason)
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
) -> RecallResult:
    """Recall memories for a message.

    ``history`` are the messages in the live context before it; their content is not injected again. ``scope`` filters
    the search. Without a ``tier`` the words of the message choose it, and nothing is injected unless the message needs
    memory. ``asked_at`` is the time of the question, by default now. ``exclude_records`` are not searched. ``explain``
    also asks the store for all candidates.

    A result after the tier's time limit is dropped; that is not an error. Raises what the store raises.
    """
    turns = [message.text for message in history if message.role == "user"]
    clock = clock or SystemClock()
    recalled = await run_in_daemon_thread(lambda: RecallResult(decide_tier(text, turns, options)))
    decision = recalled.decision
    recalled.tier = decision.tier if tier is None else tier
    if not text.strip() or (recalled.tier is RecallTier.OFF and not options.enable_probe_on_off):
        recalled.reason = Reason.NOT_SEARCHED
        return recalled
    question = f"{turns[-1][:_PREVIOUS_TURN_CHARS]}\n{text}" if decision.follows else text
    # Relative days in the message are days in this machine's time zone.
    asked_at = asked_at or clock.now().astimezone()
    limit = max(_MIN_HITS, options.recall_top_k)
    query = Query(question, limit, scope=scope, asked_at=asked_at, exclude_records=exclude_records, explain=explain)
    recalled.limit, started = time_limit_of(recalled.tier, options), clock.monotonic()
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
    texts = [text, *(message.text for message in history)]
    await run_in_daemon_thread(lambda: _choose_hits(recalled, query, texts, options, checks_need=tier is None))
    return recalled


def time_limit_of(tier: RecallTier, options: RecallOptions) -> float:
    """Return the seconds that a recall which begins at ``tier`` may take.

    A light search and the heavy one that follows it share the limit, and the hits of a strong probe are used as they
    are. So no turn waits longer than the limit of the tier that its words chose.
    """
    by_tier = {
        RecallTier.OFF: options.probe_ms,
        RecallTier.LIGHT: options.light_ms,
        RecallTier.HEAVY: options.heavy_ms,
    }
    return by_tier[tier] / 1000 if options.recall_timeout is None else options.recall_timeout


async def _search(store: Store, query: Query, options: RecallOptions, recalled: RecallResult) -> None:
    """Search at the recall's tier; a heavy search follows a light one without good hits."""
    if recalled.tier is RecallTier.LIGHT:
        light = await store.search(replace(query, tier=Tier.LIGHT))
        if any(hit.coverage >= options.light_threshold for hit in light.hits):
            recalled.result = light
            return
        recalled.tier = RecallTier.HEAVY
    recalled.result = await store.search(query)


def _choose_hits(
    recalled: RecallResult, query: Query, texts: Sequence[str], options: RecallOptions, *, checks_need: bool
) -> None:
    """Select the hits and build the block, or none if the message needs no memory (`need`).

    The need is decided for the message, not for single hits: next to a hit that answers it may rank the second half of
    the answer, whatever its own words are. ``texts`` are the message and its live context.
    """
    found, live = recalled.result.hits, LiveContext(texts)
    hits = recalled.keep_only(found, [hit for hit in found if not live.contains(hit.text)], Reason.IN_CONTEXT)
    hits = recalled.keep_only(hits, merge_repeats(hits), Reason.REPEATS)
    hits = recalled.keep_only(hits, [hit for hit in hits if not is_uninformative(hit, options)], Reason.SAYS_NOTHING)
    if checks_need and hits:
        personal = recalled.result.personal
        recalled.evidence = evidence_of_need(query.text, recalled.decision, personal, hits[:_EVIDENCE_HITS])
        recalled.need = need(recalled.evidence)
        if recalled.need < options.need_threshold:
            recalled.keep_only(hits, (), Reason.NOT_NEEDED)
            recalled.reason = Reason.NOT_NEEDED
            return
    if recalled.tier is RecallTier.OFF and hits:
        recalled.tier = RecallTier.HEAVY  # the probe searches the whole text, as a heavy search does
    recalled.usefulness = usefulness(hits)
    useful = recalled.keep_only(hits, select_helpful(hits, recalled.usefulness, options), Reason.LITTLE_USE)
    selected = recalled.keep_only(useful, useful[: _top_k(recalled.tier, options)], Reason.TOP_K)
    project = query.scope.project
    # Without hits of an earlier block.
    new = [hit for hit in selected if not live.contains(render_line(hit, options, project=project))]
    selected = recalled.keep_only(selected, new, Reason.IN_CONTEXT)
    recalled.block = build_block(selected, options, project=project, today=query.asked_at)
    recalled.keep_only(selected, recalled.injected_hits, Reason.BUDGET)
    if recalled.block is not None:
        recalled.reason = None


def _top_k(tier: RecallTier, options: RecallOptions) -> int:
    return min(options.light_top_k if tier is RecallTier.LIGHT else options.heavy_top_k, options.recall_top_k)
