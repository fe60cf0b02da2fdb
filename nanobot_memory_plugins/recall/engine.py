"""What recall does: choose a tier, search within its limit, keep what is good and new, and make a block of it.

The hooks in `plugin` call it, and so do ``nanobot-memory why`` and ``eval``: what is shown and measured is what runs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from nanobot_memory_plugins.core import (
    Clock,
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
from nanobot_memory_plugins.recall.block import brief, build_block, each_question_once, render
from nanobot_memory_plugins.recall.deduplicate import LiveContext, fold_repeats, salient
from nanobot_memory_plugins.recall.need import evidence_of_need, need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.recalled import Reason, Recalled
from nanobot_memory_plugins.recall.routing import RecallTier, decide_tier
from nanobot_memory_plugins.recall.usefulness import most_useful
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Hits asked of the store for one that is used: repetitions and what the live context contains fall out.
_SPARE = 3
_ITSELF = Sentence("the message has it")
# Of so many hits, best first, it goes whether the message needs memory.
_TELLING = 5
# Characters of the turn before that a short message is searched with.
_FOLLOWED = 500


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
    searched. ``explain`` asks the store for its explanation, too.

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
    query = Query(question, scope=scope, asked_at=asked_at, exclude_records=exclude_records, explain=explain)
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

    def choose() -> None:
        # It is recorded before it is asked about, and finds itself: that is nothing found.
        itself = LiveContext([text])
        hits = recalled.without(recalled.result.hits, lambda hit: itself.holds(hit.text), Reason.IN_CONTEXT, _ITSELF)
        recalled.reason = Reason.NOTHING_FOUND
        live = LiveContext([text, *(message.text for message in history)])
        _choose(recalled, hits, query, live, options, is_asked=tier is None)

    await run_in_daemon_thread(choose)
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
        light = await store.search(replace(query, tier=Tier.LIGHT, limit=_top_k(RecallTier.LIGHT, options) * _SPARE))
        if any(hit.coverage >= options.light_threshold for hit in light.hits):
            recalled.result = light
            return
        recalled.tier = RecallTier.HEAVY
    recalled.result = await store.search(replace(query, limit=_top_k(RecallTier.HEAVY, options) * _SPARE))


def _choose(
    recalled: Recalled, hits: Sequence[Hit], query: Query, live: LiveContext, options: RecallOptions, *, is_asked: bool
) -> None:
    """Make the block of what is not said already, unless the message needs no memory (`need`).

    That is a decision about the message, not about single hits: when something answers it, what ranks next to that may
    be the second half of the answer, whatever its own words are.
    """
    fresh = _new_hits(hits, live, options, recalled)
    if is_asked:
        personal = recalled.result.personal
        recalled.evidence = evidence_of_need(query.text, recalled.decision, personal, fresh[:_TELLING])
        recalled.need = need(recalled.evidence)
        if recalled.need < options.need_threshold:
            figures = {"found": recalled.need, "needed": options.need_threshold}
            detail = Sentence("{found:.2f}, needThreshold is {needed:g}", **figures)
            recalled.leave_out(fresh, Reason.NOT_NEEDED, detail)
            recalled.reason = Reason.NOT_NEEDED
            return
    if recalled.tier is RecallTier.OFF and fresh:
        recalled.tier = RecallTier.HEAVY  # the probe has looked at the whole text: its hits are those of a heavy search
    useful = each_question_once(most_useful(fresh, _top_k(recalled.tier, options), options, recalled), live)
    if recalled.tier is RecallTier.LIGHT:
        useful = [brief(hit) for hit in useful]
    project = query.scope.project

    def is_shown(hit: Hit) -> bool:
        return live.holds(render(hit, options, rank=options.max_full_docs, project=project))

    useful = recalled.without(useful, is_shown, Reason.IN_CONTEXT, Sentence("a block before has it"))
    recalled.block = build_block(useful, options, recalled, project=project, today=query.asked_at)
    if recalled.block is not None:
        recalled.reason = None


def _new_hits(hits: Iterable[Hit], live: LiveContext, options: RecallOptions, recalled: Recalled) -> list[Hit]:
    """Return the hits that say something by themselves that is not said yet."""
    reason = Sentence("a turn before has it")
    new = recalled.without(hits, lambda hit: live.holds(hit.text), Reason.IN_CONTEXT, reason)
    return salient(fold_repeats(new, recalled), options, recalled)


def _top_k(tier: RecallTier, options: RecallOptions) -> int:
    return min(options.light_top_k if tier is RecallTier.LIGHT else options.heavy_top_k, options.recall_top_k)
