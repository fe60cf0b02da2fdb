"""What stays word by word, and what room there is for it."""

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.plan import make_plan
from nanobot_memory_plugins.compaction.thrash_guard import Cycles
from nanobot_memory_plugins.compaction.token_budget import limits_for
from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.summary_marker import marked_summary
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from tests.compaction.conftest import talk
from tests.support.each import each

OPTIONS = CompactionOptions()


def test_a_summary_leaves_room_for_the_mark_that_is_put_above_it():
    said = messages_from_chat(talk(10))
    plan = make_plan(
        said, session_key="s", window=16_000, room=16_000, reason="token_pressure", options=OPTIONS, cycles=Cycles()
    )
    whole = limits_for(
        OPTIONS, window=16_000, room=16_000, history_tokens=plan.history_tokens, depth=plan.depth, keep=True
    )
    mark = estimate_tokens(marked_summary("x", plan.material.language)) - estimate_tokens("x")
    assert 0 < mark <= whole.summary - plan.limits.summary


@each("window", [1, 50, 2_000, 16_000, 32_000, 200_000, 1_000_000])
@each("depth", range(5))
def test_summary_tail_and_reserve_fit_the_window(window: int, depth: int):
    limits = limits_for(OPTIONS, window=window, room=window, history_tokens=window, depth=depth, keep=True)
    reserve = min(16_384, window // 4)
    assert limits.summary >= 1
    assert limits.tail <= limits.tail_at_most
    assert limits.summary + limits.tail_at_most + reserve <= max(window, 1)
    if window >= 16_000 and not depth:
        assert limits.tail > 0.15 * window


def test_the_hosts_room_counts_when_it_is_less():
    limits = limits_for(OPTIONS, window=32_000, room=900, history_tokens=20_000, depth=0, keep=True)
    assert limits.summary + limits.tail_at_most <= 900
