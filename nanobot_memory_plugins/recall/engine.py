"""What recall does: choose a tier, search within its limit, keep what is good and new, and make a block of it.

The hooks in `plugin` call it, and so does ``nanobot-memory eval``: what is measured is what runs.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nanobot_memory_plugins.core import (
    Clock,
    ContextBlock,
    Hit,
    Message,
    Query,
    Scope,
    SearchResult,
    Sentence,
    Store,
    SystemClock,
    Tier,
    Visibility,
    logger,
    redact_text,
    run_in_daemon_thread,
    time_limit,
)
from nanobot_memory_plugins.core.host import hits_of, in_conversations, lowered
from nanobot_memory_plugins.core.text import (
    ConstraintTopic,
    PeriodQuestion,
    asks_for_advice,
    overview_subject,
    period_question,
    topic_of,
    without_worked_on,
)
from nanobot_memory_plugins.recall import overview, timeline
from nanobot_memory_plugins.recall.block import build_block, build_listing, is_shown, paired, without_live
from nanobot_memory_plugins.recall.changes import later_change
from nanobot_memory_plugins.recall.constraints import constraints_of
from nanobot_memory_plugins.recall.follow_ups import with_what_it_follows
from nanobot_memory_plugins.recall.live_context import LiveContext
from nanobot_memory_plugins.recall.need import need
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.relevance import relevance
from nanobot_memory_plugins.recall.routing import Decision, RecallTier, Signal, decide_tier
from nanobot_memory_plugins.recall.salience import salient
from nanobot_memory_plugins.recall.trace import Reason, RecallTrace
from nanobot_memory_plugins.recall.usefulness import most_useful

# Hits asked of the store for one that is used: repetitions and what stands in the live context fall out.
_SPARE = 3
# Of so many hits, best first, the most relevant one decides whether anything is injected.
_TELLING = 5
# The relevance of a hit that is about the subject of a question on a period.
_ON_SUBJECT = 0.45


@dataclass(frozen=True, slots=True)
class Recalled:
    """What came of one recall.

    ``tier`` is where it ended: that of the words, or a higher one to which the probe or a fruitless light search
    raised it. ``ranked`` are the store's hits, best first, ``injected`` those of them that are in ``block``, in the
    block's order. ``late`` says that the limit passed: then nothing was found. ``probe`` is the relevance (0..1) of the
    best hit of the probe, or None when there was no probe.
    """

    tier: RecallTier
    ranked: tuple[Hit, ...] = ()
    injected: tuple[Hit, ...] = ()
    block: ContextBlock | None = None
    late: bool = False
    probe: float | None = None


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
    nor what ``redact`` left of it in a file. A text that the message hands over to be translated or corrected is not
    searched for. ``scope`` is the filter of the search. ``tier`` None: the words of the
    message and of the user's last turns choose it, and a follow-up is searched with the turns that it follows.
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

    def read() -> tuple[str, str, Decision, PeriodQuestion | None, ConstraintTopic | None, frozenset[str]]:
        asked = without_worked_on(text)
        period = period_question(asked, asked_at, turns[-1] if turns else "")
        subject = overview_subject(asked) if asked == text and period is None else ""
        return asked, subject, decide_tier(asked, turns, options), period, topic_of(asked), unhelpful()

    own, subject, decision, period, topic, lower = await run_in_daemon_thread(read)
    if period is not None:
        decision = Decision(RecallTier.HEAVY, Signal(RecallTier.HEAVY, "period", period.words))
    probes, chosen_by_words = options.enable_probe_on_off, tier is None
    if tier is None:
        tier = decision.tier
        probes = probes and not decision.small_talk
        if watch is not None:
            watch.decision = decision
    if watch is not None:
        watch.topic = topic.name if topic is not None else ""
    is_off = tier is RecallTier.PROBE and not probes
    subject = "" if is_off else subject
    if not text.strip() or (is_off and not ranked_limit):
        return Recalled(tier)
    # Two searches are made for advice on a topic, and for an overview of what memory does not know.
    seconds = limit_seconds(tier if topic is None and not subject else RecallTier.HEAVY, options)
    beside, started = _beside(store, lower), clock.monotonic()
    found = _Found(tier)
    try:
        async with time_limit(clock, seconds) as bound:
            sought = with_what_it_follows(own, history, decision.follow_ups)
            query = Query(text=sought, scope=scope, asked_at=asked_at, explain=watch is not None)
            if period is not None:
                found = await _of_period(store, period, query, options, watch, lower)
            elif subject:
                found = await _search(store, replace(query, text=subject), RecallTier.HEAVY, options, 0, watch, lower)
                subject = subject if overview.pieces(found.hits) else ""
            if (period is None and not subject) or (period is not None and period.subject and not found.hits):
                period, found = None, await _search(store, query, tier, options, ranked_limit, watch, lower)
                if topic is not None and not is_off:
                    found = replace(found, required=await constraints_of(topic, query, found.hits, beside))
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
    asked = (
        _Asked(query.text, decision, looks_back=sought == own and not asks_for_advice(own))
        if chosen_by_words and period is None
        else None
    )
    lists = period is not None and not period.subject

    def chosen(found: _Found) -> Recalled:
        live = LiveContext((text, *(message.text for message in reversed(history))), redact)
        if subject:
            return _surveyed(found, live, options, watch, scope.project)
        if lists:
            return _listed(found, asked_at, live, options, watch, scope.project)
        return _chosen(found, asked, live, options, watch, scope.project)

    recalled = await run_in_daemon_thread(chosen, found)
    if asked is None or not asked.looks_back or subject or not recalled.injected:
        return recalled
    try:
        async with time_limit(clock, seconds - (clock.monotonic() - started)) as left:
            changed = await later_change(query, recalled.injected, beside)
            if changed is not None:
                if watch is not None:
                    watch.changed = changed.id
                return await run_in_daemon_thread(chosen, replace(found, required=(changed, *found.required)))
    except TimeoutError:
        if not left.expired():
            raise
    return recalled


def _beside(store: Store, lower: frozenset[str]) -> Callable[[Query], Awaitable[tuple[Hit, ...]]]:
    """Return how a further search is made beside that of the message; what was said not to help is not in it."""

    async def hits_for(asked: Query) -> tuple[Hit, ...]:
        return tuple(hit for hit in (await hits_of(store, asked)).hits if hit.id not in lower)

    return hits_for


async def _of_period(
    store: Store,
    period: PeriodQuestion,
    query: Query,
    options: RecallOptions,
    watch: RecallTrace | None,
    lower: frozenset[str],
) -> "_Found":
    """Return what was said in a period; of a subject what was said about it then, or nothing where that is nothing."""
    zone = query.asked_at.tzinfo if query.asked_at is not None else None
    if not period.subject:
        said, noted = await timeline.said_in(store, period, query, zone)
        if watch is not None:
            watch.searches.append((query, SearchResult((*said, *noted))))
        return _Found(RecallTier.HEAVY, (*said, *noted), (*said, *noted))
    about = timeline.within(replace(query, text=period.subject), period.span, zone)
    found = await _search(store, about, RecallTier.HEAVY, options, 0, watch, lower)
    is_good = any(relevance(hit) >= _ON_SUBJECT for hit in found.hits)
    return found if is_good else _Found(RecallTier.HEAVY)


def _listed(
    found: "_Found",
    asked_at: datetime,
    live: LiveContext,
    options: RecallOptions,
    watch: RecallTrace | None,
    project: str,
) -> Recalled:
    """Make the block of the conversations of a period."""
    fresh = salient(without_live(found.hits, live, watch), options, watch)
    block = build_listing(timeline.most_telling(in_conversations(fresh, asked_at.tzinfo)), options, project=project)
    return Recalled(RecallTier.HEAVY, found.ranked, _standing_in(block, fresh), block)


def _surveyed(
    found: "_Found", live: LiveContext, options: RecallOptions, watch: RecallTrace | None, project: str
) -> Recalled:
    """Make the block of an overview: what was told of one thing, from several conversations."""
    told = overview.pieces(salient(without_live(found.hits, live, watch), options, watch))
    useful = [hit for hit in told[: options.heavy_top_k] if not is_shown(hit, live, options, Tier.HEAVY, project)]
    block = build_block(useful, options, watch=watch, project=project)
    return Recalled(RecallTier.HEAVY, found.ranked, _standing_in(block, useful), block)


def _standing_in(block: ContextBlock | None, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return those hits that stand in a block, in its order."""
    by_id = {hit.id: hit for hit in hits}
    return tuple(by_id[hit_id] for hit_id in block.hit_ids) if block is not None else ()


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
    """What was searched for, and what its words ask of memory: where they chose the tier.

    ``looks_back``: it asks by itself for what was said, and for no advice.
    """

    text: str
    decision: Decision
    looks_back: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search brought: the tier at which it ended, the hits for a block, and all that are ranked.

    ``required`` are for the block whatever the others are: what constrains an answer, and what has changed.
    """

    tier: RecallTier
    hits: tuple[Hit, ...] = ()
    ranked: tuple[Hit, ...] = ()
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

    async def hits_for(query: Query) -> tuple[Hit, ...]:
        result = await hits_of(store, query)
        if watch is not None:
            watch.searches.append((query, result))
            watch.unhelpful = lower
        return lowered(result.hits, lower)

    light: tuple[Hit, ...] = ()
    if tier is RecallTier.LIGHT:
        wanted = _top_k(RecallTier.LIGHT, options) * _SPARE
        light = await hits_for(replace(asked, tier=Tier.LIGHT, limit=wanted))
        is_good = any(relevance(hit) >= options.light_threshold for hit in light)
        if is_good and len(light) >= ranked_limit:
            return _Found(tier, light, light)
        if not is_good:
            tier, light = RecallTier.HEAVY, ()
    wanted = _top_k(RecallTier.HEAVY, options) * _SPARE
    whole = await hits_for(replace(asked, limit=max(wanted, ranked_limit)))
    if not light:
        return _Found(tier, whole[:wanted], whole)
    known = {hit.id for hit in light}
    return _Found(tier, light, (*light, *(hit for hit in whole if hit.id not in known)))


def _chosen(
    found: _Found,
    asked: _Asked | None,
    live: LiveContext,
    options: RecallOptions,
    watch: RecallTrace | None,
    project: str,
) -> Recalled:
    """Make the block of what is not said already, unless nothing among the best is relevant.

    The decision is about the question, not about single hits: when something answers it, what ranks beside that may be
    the second half of the answer, whatever its own words are. A question that needs no memory gets none (`need`), but
    for what constrains its answer.
    """
    tier = found.tier
    fresh = salient(without_live(found.hits, live, watch), options, watch)
    required = salient(without_live(found.required, live), options)
    best = max(map(relevance, fresh[:_TELLING]), default=0.0)
    needed = options.probe_threshold if tier is RecallTier.PROBE else options.relevance_threshold
    probe = best if tier is RecallTier.PROBE else None
    if watch is not None:
        watch.best, watch.needed = best, needed
        if best < needed:
            watch.cut(
                fresh,
                Reason.NOT_RELEVANT,
                Sentence("the best has {best:.2f}, {needed:g} is needed", best=best, needed=needed),
            )
    is_wanted = best >= needed
    if tier is RecallTier.PROBE and (is_wanted or required):
        tier = RecallTier.HEAVY  # the probe has looked at the whole text: its hits are those of a heavy search
    if is_wanted and asked is not None:
        is_wanted = _is_needed(asked, fresh, options, watch)
    if not is_wanted and not required:
        return Recalled(tier, ranked=found.ranked, probe=probe)
    shown = Tier.LIGHT if tier is RecallTier.LIGHT else Tier.HEAVY
    known = {hit.id for hit in required}
    others = [hit for hit in fresh if hit.id not in known] if is_wanted else []
    most = max(0, _top_k(tier, options) - len(required))
    looks_back = asked.looks_back if asked is not None else None
    useful = paired([*required, *most_useful(others, most, options, looks_back=looks_back, watch=watch)], live)
    again = [hit for hit in useful if is_shown(hit, live, options, shown, project)]
    if watch is not None:
        watch.cut(again, Reason.IN_CONTEXT, "a block before has it")
    useful = [hit for hit in useful if hit not in again]
    block = build_block(useful, options, tier=shown, watch=watch, project=project)
    return Recalled(tier, found.ranked, _standing_in(block, (*required, *fresh)), block, probe=probe)


def _is_needed(asked: _Asked, hits: Sequence[Hit], options: RecallOptions, watch: RecallTrace | None) -> bool:
    """Return whether the message needs memory at all; whoever chooses a tier by itself has said so."""
    probability = need(asked.text, asked.decision, hits[:_TELLING])
    is_needed = probability >= options.need_threshold
    if watch is not None:
        watch.need = probability
        if not is_needed:
            watch.cut(
                hits,
                Reason.NOT_NEEDED,
                Sentence("{found:.2f}, needThreshold is {needed:g}", found=probability, needed=options.need_threshold),
            )
    return is_needed


def _top_k(tier: RecallTier, options: RecallOptions) -> int:
    return min(options.recall_top_k, options.light_top_k if tier is RecallTier.LIGHT else options.heavy_top_k)
