"""What stays word by word, and what room there is for it."""

from nanobot_memory_plugins.compaction.history import group, message_tokens
from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.plan import cut_at, make_plan
from nanobot_memory_plugins.compaction.thrash_guard import Cycles
from nanobot_memory_plugins.compaction.token_budget import Limits, limits_for
from nanobot_memory_plugins.core import estimate_tokens
from nanobot_memory_plugins.core.text.summary_marker import marked_summary
from nanobot_memory_plugins.core.values.conversation import messages_from_chat
from tests.compaction.conftest import talk
from tests.support.each import each

OPTIONS = CompactionOptions()


def cut(messages: list[dict], tail: int, at_most: int, keep: int = 0) -> int:
    said = messages_from_chat(messages)
    sizes = [message_tokens(message) for message in said]
    return cut_at(said, group(said, sizes), Limits(1_000, 100, tail, at_most, keep))


def test_the_last_messages_stay_as_far_as_their_share_goes():
    messages = talk(10)  # 20 messages of about 79 tokens
    assert cut(messages, 330, 330) == 16
    assert cut(messages, 0, 0) == 20


def test_it_begins_with_an_answer_where_the_users_next_message_would_cost_more_than_half():
    messages = [
        *talk(1),
        {"role": "user", "content": "go on"},
        {"role": "assistant", "content": "word " * 200},
        {"role": "user", "content": "and then?"},
        {"role": "assistant", "content": "that was all"},
    ]
    whole = sum(map(message_tokens, messages_from_chat(messages)[3:]))
    assert cut(messages, whole, whole) == 3


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


def test_something_is_cut_always_and_of_a_short_history_half_at_most_stays():
    assert cut([], 100, 100) == 0
    assert cut(talk(1)[:1], 1_000, 1_000, keep=4) == 1
    assert cut(talk(1), 10, 1_000, keep=4) == 1
    assert cut(talk(3), 10, 1_000, keep=6) == 4  # three would be kept of six: the last turn of them


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
