"""Recall on a real store: what each tier searches, what raises it, and what is dropped at its limit."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import ManualClock, SystemClock
from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Hit, Message, Origin, Query, Scope, SearchResult, Tier
from nanobot_memory_plugins.recall.engine import Recalled, limit_seconds, recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.relevance import relevance
from nanobot_memory_plugins.recall.routing import RecallTier
from nanobot_memory_plugins.recall.trace import RecallTrace
from nanobot_memory_plugins.recall.usefulness import usefulness
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.support.indexed_workspace import Workspace, entry, message

# What the machine is allowed to take: these tests are about tiers, not about its speed.
OPTIONS = RecallOptions(recall_timeout=60)
BY_TIER = RecallOptions()
# A light search is content with half of a question.
CONTENT = OPTIONS.model_copy(update={"light_threshold": 0.45})


class WatchedStore:
    """A store that remembers the queries and, before it answers, does what a test wants done."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.queries: list[Query] = []
        self.clock: ManualClock | None = None
        self.seconds = 0.0
        self.hang: asyncio.Event | None = None

    async def search(self, query: Query) -> SearchResult:
        self.queries.append(query)
        if self.hang is not None:
            await self.hang.wait()
        if self.clock is not None:
            self.clock.advance(self.seconds)
        return await self._store.search(query)

    @property
    def tiers(self) -> list[Tier]:
        return [query.tier for query in self.queries]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[WatchedStore]:
    """Notes and messages, in both languages, indexed by words."""
    workspace = Workspace(tmp_path / "workspace")
    notes = (
        entry("the database is sqlite", "n1", title="Storage decision", tags=("deploy",), details="wombats everywhere")
        + entry("数据库用 sqlite，端口 8123", "n2", tags=("部署",), details="袋熊到处都是")
        + entry("another line of the day", "n3", details="the marmalade recipe needs seven oranges")
    )
    said = message("My dog Rex ate the blue umbrella", "m1") + message("我的猫叫米糕，喜欢晒太阳", "m2")
    workspace.write("2026-02-16.md", notes)
    workspace.write("sessions/one.jsonl", said)
    options = StorageOptions.model_validate({"embedding_provider": "none"})
    opened = await SqliteStore.open(workspace.path, options, SystemClock())
    await opened.flush()
    yield WatchedStore(opened)
    await opened.close()


def texts(hits: tuple[Hit, ...]) -> str:
    return "\n".join(hit.text for hit in hits)


# --- tier 0 -----------------------------------------------------------------------------------------------------


@pytest.mark.accept("LR-03")
@pytest.mark.parametrize("text", ["Write a poem about autumn rain", "解释一下这个概念"])
async def test_tier_0_injects_nothing_but_always_probes(store, text):
    recalled = await recall(store, text, options=OPTIONS)
    assert len(store.queries) == 1
    assert recalled.tier is RecallTier.PROBE
    assert recalled.block is None
    assert recalled.injected == ()
    assert recalled.probe is not None
    assert 0.0 <= recalled.probe < OPTIONS.probe_threshold


@pytest.mark.accept("LR-03")
@pytest.mark.parametrize("text", ["Rex ate the umbrella", "米糕喜欢晒太阳"])
async def test_a_strong_probe_raises_tier_0_without_a_second_search(store, text):
    options = OPTIONS.model_copy(update={"implicit_signals": (), "explicit_anchors": ()})
    recalled = await recall(store, text, options=options)
    assert len(store.queries) == 1
    assert recalled.probe >= options.probe_threshold
    assert recalled.tier is RecallTier.HEAVY
    assert recalled.block is not None
    assert [hit.id for hit in recalled.injected] == list(recalled.block.hit_ids)


async def test_the_score_that_raises_the_tier_is_an_option(store):
    plain = OPTIONS.model_copy(update={"implicit_signals": (), "explicit_anchors": ()})
    text = "Rex went for a walk in the lovely winter garden"
    assert (await recall(store, text, options=plain)).block is None
    eager = plain.model_copy(update={"probe_threshold": 0.01, "relevance_threshold": 0.01, "need_threshold": 0})
    assert "umbrella" in (await recall(store, text, options=eager)).block.text


async def test_what_stands_in_the_live_context_does_not_raise_the_tier(store):
    options = OPTIONS.model_copy(update={"implicit_signals": (), "explicit_anchors": ()})
    history = [Message(role="user", text="My dog Rex ate the blue umbrella")]
    recalled = await recall(store, "Rex ate the umbrella", options=options, history=history)
    assert recalled.tier is RecallTier.PROBE
    assert recalled.block is None


async def test_without_the_probe_tier_0_searches_nothing(store):
    options = OPTIONS.model_copy(update={"enable_probe_on_off": False})
    assert await recall(store, "Rex: umbrella!", options=options) == Recalled(RecallTier.PROBE)
    assert store.queries == []


# --- tiers 1 and 2 ----------------------------------------------------------------------------------------------


@pytest.mark.accept("LR-06")
@pytest.mark.parametrize(
    ("text", "found", "not_found"), [("deploy database", "sqlite", "wombats"), ("部署端口", "8123", "袋熊")]
)
async def test_light_searches_summaries_tags_and_titles_only(store, text, found, not_found):
    recalled = await recall(store, text, options=CONTENT, tier=RecallTier.LIGHT)
    assert recalled.tier is RecallTier.LIGHT
    assert store.tiers == [Tier.LIGHT]
    assert found in texts(recalled.injected)
    only_in_details = await store.search(Query(text=not_found, tier=Tier.LIGHT))
    assert only_in_details.hits == ()
    assert (await store.search(Query(text=not_found))).hits


@pytest.mark.parametrize(
    ("text", "found"),
    [("marmalade oranges", "seven"), ("袋熊", "袋熊到处都是"), ("deploy sqlite umbrella", "umbrella")],
)
async def test_light_that_finds_nothing_good_goes_on_to_heavy(store, text, found):
    recalled = await recall(store, text, options=OPTIONS, tier=RecallTier.LIGHT)
    assert store.tiers == [Tier.LIGHT, Tier.HEAVY]
    assert recalled.tier is RecallTier.HEAVY
    assert found in texts(recalled.injected)


async def test_heavy_searches_the_whole_text_at_once(store):
    recalled = await recall(store, "Do you remember the marmalade recipe?", options=OPTIONS)
    assert store.tiers == [Tier.HEAVY]
    assert recalled.tier is RecallTier.HEAVY
    assert recalled.probe is None
    assert "seven oranges" in recalled.block.text


async def test_each_tier_injects_as_many_as_its_option_says(store):
    options = CONTENT.model_copy(update={"light_top_k": 1, "heavy_top_k": 2, "relevance_threshold": 0.0})
    light = await recall(store, "sqlite database deploy 数据库", options=options, tier=RecallTier.LIGHT)
    heavy = await recall(store, "sqlite Rex marmalade 米糕", options=options, tier=RecallTier.HEAVY)
    assert (light.tier, len(light.injected)) == (RecallTier.LIGHT, 1)
    assert (heavy.tier, len(heavy.injected)) == (RecallTier.HEAVY, 2)


async def test_the_words_of_the_message_and_of_the_turn_before_choose_the_tier(store):
    asked = [Message(role="user", text="do you remember my dog?"), Message(role="assistant", text="Rex")]
    assert (await recall(store, "and the cat?", options=OPTIONS, history=asked)).tier is RecallTier.HEAVY
    store.queries.clear()
    await recall(store, "the port of the server", options=OPTIONS)
    assert store.tiers[0] is Tier.LIGHT


@pytest.mark.parametrize("tier", [None, RecallTier.HEAVY])
@pytest.mark.parametrize(
    ("before", "text", "found"),
    [("do you remember the umbrella?", "and that one?", "blue umbrella"), ("你还记得我的猫吗？", "那个呢？", "米糕")],
)
async def test_a_follow_up_is_searched_with_the_turn_that_it_follows(store, tier, before, text, found):
    history = (Message("user", "Write a poem"), Message("user", before), Message("assistant", "Yes."))
    recalled = await recall(store, text, options=OPTIONS, history=history, tier=tier)
    assert found in recalled.block.text
    assert "poem" not in store.queries[-1].text


async def test_the_scope_and_the_moment_reach_the_store(store):
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    scope = Scope(agent="somebody else")
    recalled = await recall(store, "Do you remember Rex?", options=OPTIONS, scope=scope, asked_at=moment)
    assert (store.queries[0].scope, store.queries[0].asked_at) == (scope, moment)
    assert recalled.ranked == ()


async def test_more_ranked_hits_change_nothing_in_the_block(store):
    options = CONTENT.model_copy(update={"heavy_top_k": 1, "light_top_k": 1, "relevance_threshold": 0.0})
    question = "sqlite umbrella marmalade 米糕 wombats"
    few = await recall(store, question, options=options, tier=RecallTier.HEAVY)
    many = await recall(store, question, options=options, tier=RecallTier.HEAVY, ranked_limit=60)
    assert len(few.ranked) == 3
    assert len(many.ranked) == 5
    assert few.block == many.block
    said = [Message(role="user", text=hit.text) for hit in few.ranked]
    again = await recall(store, question, options=options, tier=RecallTier.HEAVY, history=said, ranked_limit=60)
    assert again.block is None
    light = await recall(store, "deploy sqlite umbrella", options=options, tier=RecallTier.LIGHT, ranked_limit=60)
    assert light.tier is RecallTier.LIGHT
    assert len(light.injected) == 1
    assert "umbrella" in texts(light.ranked[2:])
    assert len(light.ranked) == len({hit.id for hit in light.ranked})


# --- limits -----------------------------------------------------------------------------------------------------


@pytest.mark.accept("LR-08")
def test_the_limits_follow_the_tier_and_are_configurable():
    assert [limit_seconds(tier, BY_TIER) for tier in RecallTier] == [0.08, 0.18, 0.45]
    changed = RecallOptions.model_validate({"probeMs": 1, "light_ms": 2, "heavyMs": 3})
    assert [limit_seconds(tier, changed) for tier in RecallTier] == [0.001, 0.002, 0.003]
    assert limit_seconds(RecallTier.PROBE, RecallOptions(recall_timeout=0.15)) == 0.15


@pytest.mark.accept("LR-08")
@pytest.mark.parametrize("tier", list(RecallTier))
async def test_a_search_that_is_later_than_its_limit_is_dropped(store, tier):
    """The clock is moved, nothing is waited for: the real limit lies far beyond."""
    options = RecallOptions(probe_ms=80_000, light_ms=180_000, heavy_ms=450_000)
    text = "Rex ate the umbrella"
    searches = 2 if tier is RecallTier.LIGHT else 1
    clock = store.clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    store.seconds = limit_seconds(tier, options) / searches - 1.0
    in_time = await recall(store, text, options=options, tier=tier, clock=clock)
    assert in_time.block is not None
    assert not in_time.late
    store.seconds += 2.0
    late = await recall(store, text, options=options, tier=tier, clock=clock)
    assert late == Recalled(tier, late=True)


@pytest.mark.parametrize("tier", list(RecallTier))
async def test_a_search_that_hangs_is_left_at_its_limit(store, tier):
    store.hang = asyncio.Event()
    options, clock = (
        RecallOptions(probe_ms=80_000, light_ms=180_000, heavy_ms=450_000),
        ManualClock(datetime(2026, 3, 1, tzinfo=UTC)),
    )
    recalling = asyncio.ensure_future(recall(store, "Rex ate the umbrella", options=options, tier=tier, clock=clock))
    while not clock.alarms:
        await asyncio.sleep(0)
    assert clock.alarms == [limit_seconds(tier, options)]
    clock.advance(limit_seconds(tier, options))
    assert (await recalling).late


async def test_what_the_store_raises_is_not_taken_for_lateness():
    class Broken:
        async def search(self, query: Query) -> SearchResult:
            raise TimeoutError if query.text == "slow" else StoreError("broken")

    with pytest.raises(TimeoutError):
        await recall(Broken(), "slow", options=OPTIONS, tier=RecallTier.HEAVY)
    with pytest.raises(StoreError):
        await recall(Broken(), "remember", options=OPTIONS)


async def test_nothing_is_injected_when_the_best_is_below_the_relevance_threshold():
    weak = Hit(id="w", text="weak", path="a.md", line=1, score=1.0, origin=Origin.USER, coverage=0.09)

    class Weak:
        async def search(self, query: Query) -> SearchResult:
            return SearchResult(hits=(weak,))

    recalled = await recall(Weak(), "do you remember?", options=OPTIONS)
    assert recalled.ranked == (weak,)
    assert recalled.injected == ()


async def test_a_message_that_needs_memory_exactly_as_much_as_is_asked_for_gets_a_block(store: WatchedStore):
    text, watch = "Which umbrella did Rex eat?", RecallTrace()
    await recall(store, text, options=OPTIONS, watch=watch)
    assert watch.need is not None
    for threshold, is_needed in ((watch.need, True), (watch.need + 1e-9, False)):
        options = OPTIONS.model_copy(update={"need_threshold": threshold})
        assert ((await recall(store, text, options=options)).block is not None) is is_needed


async def test_a_memory_that_helps_exactly_as_much_as_is_asked_for_is_shown(store: WatchedStore):
    text = "What did my dog Rex eat?"
    found = await recall(store, text, options=OPTIONS.model_copy(update={"min_usefulness": 0.0}), ranked_limit=8)
    assert len(found.injected) > 1
    worth = sorted(usefulness(found.injected))
    for threshold, shown in ((worth[0], len(worth)), (worth[0] + 1e-9, len(worth) - 1)):
        options = OPTIONS.model_copy(update={"min_usefulness": threshold})
        assert len((await recall(store, text, options=options)).injected) == shown


async def test_a_light_search_is_enough_when_its_best_hit_is_exactly_as_relevant_as_is_asked_for(store: WatchedStore):
    text = "sqlite database deploy"
    light = await recall(store, text, options=CONTENT, tier=RecallTier.LIGHT)
    best = max(map(relevance, light.ranked))
    for threshold, tiers in ((best, [Tier.LIGHT]), (best + 1e-9, [Tier.LIGHT, Tier.HEAVY])):
        store.queries.clear()
        options = OPTIONS.model_copy(update={"light_threshold": threshold})
        await recall(store, text, options=options, tier=RecallTier.LIGHT)
        assert store.tiers == tiers
