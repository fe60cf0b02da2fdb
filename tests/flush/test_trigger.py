"""The size at which a context is flushed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.flush.plugin import flush_margins, flush_trigger


@pytest.mark.accept("FL-01")
def test_the_default_trigger_is_176_000_of_200_000():
    assert flush_trigger(200_000) == 176_000


@pytest.mark.accept("FL-01")
@pytest.mark.parametrize(("window", "answer"), [(8_000, 2_048), (16_000, 4_096), (65_536, 8_192)])
def test_in_a_small_window_both_margins_shrink_and_the_trigger_precedes_the_hosts_cut(window, answer):
    trigger = flush_trigger(window)
    assert 0 < trigger < window - answer - 1_024
    reserve, soft = flush_margins(window)
    assert reserve / soft == pytest.approx(5)
    assert trigger == int(window - reserve - soft)


def test_a_large_answer_reserve_lowers_the_trigger():
    assert flush_trigger(16_000) > 16_000 - 8_192 - 1_024
    assert 0 < flush_trigger(16_000, answer_tokens=8_192) < 16_000 - 8_192 - 1_024
    assert flush_trigger(200_000, answer_tokens=8_192) == 176_000


def test_margins_are_configurable():
    assert flush_trigger(200_000, 10_000, 1_000) == 189_000
    assert flush_trigger(200_000, 0, 0) == 200_000


@given(st.integers(1, 3_000_000), st.integers(0, 300_000), st.integers(0, 300_000), st.integers(0, 100_000))
def test_the_trigger_is_positive_and_within_every_window(window, reserve, soft, answer):
    assert 1 <= flush_trigger(window, reserve, soft) <= window
    assert 1 <= flush_trigger(window, reserve, soft, answer_tokens=answer) <= window
