"""The guard against compactions that come again too soon."""

from nanobot_memory_plugins.compaction.thrash_guard import Cycles


def depth(cycles: Cycles, tokens: int, reason: str = "token_pressure", key: str = "a") -> int:
    return cycles.depth(key, history_tokens=tokens, least_growth=100, reason=reason)


def test_a_session_that_hardly_grew_is_cut_deeper_each_time():
    cycles = Cycles()
    assert depth(cycles, 1_000) == 0
    for wanted in (1, 2, 3, 4, 4):
        cycles.note("a", left_tokens=500, depth=depth(cycles, 520))
        assert depth(cycles, 599) == wanted


def test_what_was_asked_for_and_other_sessions_do_not_count():
    cycles = Cycles()
    cycles.note("a", left_tokens=500, depth=1)
    assert depth(cycles, 510, reason="command") == 0
    assert depth(cycles, 510, key="b") == 0


def test_only_so_many_sessions_are_remembered():
    cycles = Cycles()
    for number in range(2_000):
        cycles.note(str(number), left_tokens=500, depth=0)
    assert depth(cycles, 510, key="0") == 0
    assert depth(cycles, 510, key="1999") == 1
