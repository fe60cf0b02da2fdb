"""What recall does: choose a tier, search within its limit, keep what is good and new, and make a block of it.

The hooks in `plugin` call it, and so does ``nanobot-memory eval``: what is measured is what runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.core import (
    Clock,
    ContextBlock,
    Hit,
    Message,
    Origin,
    Query,
    Scope,
    SearchResult,
    Store,
    SystemClock,
    Tier,
    logger,
    redact_text,
)
from nanobot_memory_plugins.core.clock import time_limit
from nanobot_memory_plugins.core.host.bounded_store import hits_of
from nanobot_memory_plugins.core.host.unhelpful import lowered
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.recall.block import build_block, each_question_once, is_shown, without_live
from nanobot_memory_plugins.recall.deduplicate import salient, says_nothing_beyond, words_of
from nanobot_memory_plugins.recall.live_context import LiveContext
from nanobot_memory_plugins.recall.need import evidence, need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import Decision, RecallTier, decide_tier
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace
from nanobot_memory_plugins.recall.usefulness import most_useful
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Hits asked of the store for one that is used: repetitions and what stands in the live context fall out.
_SPARE = 3
# Of so many hits, best first, the most relevant one decides whether anything is injected.
_TELLING = 5
# Characters of the turn before that a short message is searched with.
_FOLLOWED = 500
# From these log-odds on that a message asks for advice, what may limit an answer is searched for, too: so many of it.
_ADVICE, _MOST_LIMITS = -1.5, 3
_LIMITS = (
    "allergic, intolerant, cannot eat, must not, vegan, diet, doctor, illness, injury, afford, budget, avoid, never\n"
    "过敏 不能吃 忌口 吃素 医生 不让 病 受伤 预算 避免 不要"
)


@dataclass(frozen=True, slots=True)
class Recalled:
    """What came of one recall.

    ``tier`` is where it ended: that of the words, or a higher one to which the probe or a fruitless light search
    raised it. ``ranked`` are the store's hits, best first, ``injected`` those of them that are in ``block``, in the
    block's order. ``late`` says that the limit passed: then nothing was found.
    """

    tier: RecallTier
    ranked: tuple[Hit, ...] = ()
    injected: tuple[Hit, ...] = ()
    block: ContextBlock | None = None
    late: bool = False


async def recall(
    store: Store,
    text: str,
    *,
    options: RecallOptions,
    history: Sequence[Message] = (),
    scope: Scope | Visibility = Scope(),
    tier: RecallTier | None = None,
    asked_at: datetime | None = None,
    ranked_limit: int = 0,
    clock: Clock | None = None,
    redact: Callable[[str], str] = redact_text,
    watch: RecallTrace | None = None,
    unhelpful: Callable[[], frozenset[str]] = frozenset,
) -> Recalled:
    """Recall for a message.

    ``history`` are the messages that stand in the live context before it: what is in them is not injected again,
    nor what ``redact`` left of it in a file. ``scope`` is the filter of the search. ``tier`` None: the words of the
    message choose it, and a short message is searched with the turn before it.
    ``asked_at`` is when the question is asked, the store's now by default. ``ranked_limit`` asks for that many
    ranked hits, where fewer would do for the block; they change nothing in what is injected from the hits.
    ``watch`` is told what was done and why, and changes nothing either. ``unhelpful`` gives the ids of what is said not
    to help: it blocks, and comes one step later.

    What is later than the tier's limit is dropped, and is no failure. Raises what the store raises.
    """
    turns = [message.text for message in history if message.role == "user"]
    clock = clock or SystemClock()
    # The days of whoever asks are those of this machine.
    asked_at = asked_at or clock.now().astimezone()

    def read() -> tuple[Decision, frozenset[str]]:
        return decide_tier(text, turns, options), unhelpful()

    decision, lower = await run_in_daemon_thread(read)
    probes, chosen_by_words = options.enable_probe_on_off, tier is None
    if tier is None:
        tier = decision.tier
        probes = probes and not decision.small_talk
        if watch is not None:
            watch.decision = decision
    is_off = tier is RecallTier.PROBE and not probes
    if not text.strip() or (is_off and not ranked_limit):
        return Recalled(tier)
    seconds, started = limit_seconds(tier, options), clock.monotonic()
    found = _Found(tier)
    try:
        async with time_limit(clock, seconds) as bound:
            sought = f"{turns[-1][:_FOLLOWED]}\n{text}" if decision.follows else text
            query = Query(text=sought, scope=scope, asked_at=asked_at, explain=watch is not None)
            found = await _search(store, query, tier, options, ranked_limit, watch, lower)
    except TimeoutError:
        if not bound.expired():
            raise
    if watch is not None:
        watch.limit_seconds, watch.seconds = seconds, clock.monotonic() - started
    if bound.expired() or clock.monotonic() - started > seconds:
        logger.debug("recall was dropped at its limit of {:.0f} ms", seconds * 1000)
        if watch is not None:
            watch.cut(found.ranked, Reason.LATE)
        return Recalled(tier, late=True)
    if is_off:
        if watch is not None:
            watch.cut(found.ranked, Reason.TIER, Sentence("no word asks for memory, and nothing is probed"))
        return Recalled(tier, ranked=found.ranked)
    asked = _Asked(query.text, decision if chosen_by_words else None, asked_at)

    def chosen() -> Recalled:
        live = LiveContext((text, *(message.text for message in reversed(history))), redact)
        return _chosen(found, asked, live, options, watch, scope.project)

    return await run_in_daemon_thread(chosen)


def limit_seconds(tier: RecallTier, options: RecallOptions) -> float:
    """Return how long a recall may take that begins at ``tier``.

    It covers everything: a light search and the heavy one that follows it share one limit, and the hits of a strong
    probe are used as they are. So no turn waits longer than for the tier that its words chose.
    """
    if options.recall_timeout is not None:
        return options.recall_timeout
    by_tier = {
        RecallTier.PROBE: options.probe_ms,
        RecallTier.LIGHT: options.light_ms,
        RecallTier.HEAVY: options.heavy_ms,
    }
    return by_tier[tier] / 1000


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was searched for and when, and what its words ask of memory: where they chose the tier."""

    text: str
    decision: Decision | None
    at: datetime


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search brought: the tier at which it ended, the hits for a block, all that are ranked.

    ``personal`` are the log-odds that the message asks for something of its author's own life (`SearchResult`),
    ``required`` what limits an answer, for the block whatever the others are.
    """

    tier: RecallTier
    hits: tuple[Hit, ...] = ()
    ranked: tuple[Hit, ...] = ()
    personal: float | None = None
    required: tuple[Hit, ...] = ()


async def _search(
    store: Store,
    asked: Query,
    tier: RecallTier,
    options: RecallOptions,
    ranked_limit: int,
    watch: RecallTrace | None,
    lower: frozenset[str],
) -> _Found:
    """Search at a tier; a light search that finds nothing good is followed by a heavy one."""

    async def found_for(query: Query) -> SearchResult:
        result = await hits_of(store, query)
        if watch is not None:
            watch.searches.append((query, result))
            watch.unhelpful = lower
        return replace(result, hits=lowered(result.hits, lower))

    light: tuple[Hit, ...] = ()
    if tier is RecallTier.LIGHT:
        wanted = _top_k(RecallTier.LIGHT, options) * _SPARE
        light = (await found_for(replace(asked, tier=Tier.LIGHT, limit=wanted))).hits
        is_good = any(hit.coverage >= options.light_threshold for hit in light)
        if is_good and len(light) >= ranked_limit:
            return _Found(tier, light, light)
        if not is_good:
            tier, light = RecallTier.HEAVY, ()
    wanted = _top_k(RecallTier.HEAVY, options) * _SPARE
    result = await found_for(replace(asked, limit=max(wanted, ranked_limit)))
    whole = result.hits
    required: tuple[Hit, ...] = ()
    if result.advice is not None and result.advice > _ADVICE:
        limits = replace(asked, text=f"{asked.text}\n{_LIMITS}", origins=frozenset({Origin.USER}), limit=_MOST_LIMITS)
        required = (await found_for(limits)).hits
    if not light:
        return _Found(tier, whole[:wanted], whole, result.personal, required)
    known = {hit.id for hit in light}
    ranked = (*light, *(hit for hit in whole if hit.id not in known))
    return _Found(tier, light, ranked, result.personal, required)


def _chosen(
    found: _Found,
    asked: _Asked,
    live: LiveContext,
    options: RecallOptions,
    watch: RecallTrace | None,
    project: str,
) -> Recalled:
    """Make the block of what is not said already, unless the message needs no memory (`need`).

    That is a decision about the message, not about single hits: when something answers it, what ranks beside that may
    be the second half of the answer, whatever its own words are.
    """
    tier = found.tier
    fresh = salient(without_live(found.hits, live, watch), options, watch)
    if asked.decision is not None and not _is_needed(asked.text, asked.decision, found.personal, fresh, options, watch):
        return Recalled(tier, ranked=found.ranked)
    if tier is RecallTier.PROBE and fresh:
        tier = RecallTier.HEAVY  # the probe has looked at the whole text: its hits are those of a heavy search
    shown = Tier.LIGHT if tier is RecallTier.LIGHT else Tier.HEAVY
    required = salient(without_live(found.required, live), options)
    known, words = {hit.id for hit in required}, words_of(asked.text)
    empty = [hit for hit in fresh if says_nothing_beyond(hit, words)]
    if watch is not None:
        watch.cut(empty, Reason.SAYS_NOTHING, Sentence("nothing beyond the message"))
    others = [hit for hit in fresh if hit.id not in known and hit not in empty]
    most = max(0, _top_k(tier, options) - len(required))
    useful = each_question_once([*required, *most_useful(others, most, options, watch=watch)], live)
    again = [hit for hit in useful if is_shown(hit, live, options, shown, project)]
    if watch is not None:
        watch.cut(again, Reason.IN_CONTEXT, "a block before has it")
    useful = [hit for hit in useful if hit not in again]
    block = build_block(useful, options, tier=shown, watch=watch, project=project, today=asked.at)
    by_id = {hit.id: hit for hit in (*required, *fresh)}
    injected = tuple(by_id[hit_id] for hit_id in block.hit_ids) if block is not None else ()
    return Recalled(tier, found.ranked, injected, block)


def _is_needed(
    text: str,
    decision: Decision,
    personal: float | None,
    hits: Sequence[Hit],
    options: RecallOptions,
    watch: RecallTrace | None,
) -> bool:
    """Return whether the message needs memory at all; whoever chooses a tier by itself has said so."""
    found = evidence(text, decision, personal, hits[:_TELLING])
    probability = need(found)
    is_needed = probability >= options.need_threshold
    if watch is not None:
        watch.need, watch.evidence = probability, found
        if not is_needed:
            detail = Sentence(
                "{found:.2f}, needThreshold is {needed:g}", found=probability, needed=options.need_threshold
            )
            watch.cut(hits, Reason.NOT_NEEDED, detail)
    return is_needed


def _top_k(tier: RecallTier, options: RecallOptions) -> int:
    if tier is RecallTier.LIGHT:
        return min(options.light_top_k, options.recall_top_k)
    return min(options.heavy_top_k, options.recall_top_k)
