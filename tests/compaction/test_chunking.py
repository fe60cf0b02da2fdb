"""The size of chunks, and the packing of texts into them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.compaction.options import CompactionOptions
from nanobot_memory_plugins.compaction.token_budget import chunk_ratio, is_oversized, pack
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from tests.support.each import each

OPTIONS = CompactionOptions()


@pytest.mark.accept("AC-01")
@each(
    ("sizes", "window", "ratio"),
    [
        ([], 100_000, 0.4),
        ([33] * 10, 100_000, 0.4),
        ([8_333] * 10, 100_000, 0.4),  # with the margin just a tenth
        ([8_400] * 10, 100_000, 0.4 - 2 * 8_400 * 1.2 / 100_000),
        ([11_000] * 10, 100_000, 0.15),  # the fall stops at the least
        ([90_000], 100_000, 0.15),
        ([1, 1, 1, 40_000], 100_000, 0.4 - 2 * 10_000.75 * 1.2 / 100_000),
    ],
)
def test_the_ratio_adapts_to_the_average_message(sizes: list[int], window: int, ratio: float):
    assert chunk_ratio(sizes, window, OPTIONS) == pytest.approx(max(0.15, ratio))


@pytest.mark.accept("AC-01")
def test_the_ratio_is_configurable():
    options = CompactionOptions(base_chunk_ratio=0.6, min_chunk_ratio=0.3, safety_margin=1.0)
    assert chunk_ratio([10], 1_000, options) == 0.6
    assert chunk_ratio([900], 1_000, options) == 0.3
    assert chunk_ratio([200], 1_000, options) == 0.3
    assert chunk_ratio([900], 1_000, CompactionOptions(base_chunk_ratio=0.1)) == 0.1


@pytest.mark.accept("AC-02")
def test_a_message_over_half_the_window_is_oversized_with_the_margin():
    assert not is_oversized(41_666, 100_000, OPTIONS)
    assert is_oversized(41_667, 100_000, OPTIONS)
    assert not is_oversized(250, 100_000, OPTIONS)


TEXTS = st.text(st.sampled_from("ab 中文。.\n"), max_size=400)


@given(st.lists(TEXTS, max_size=12), st.integers(1, 60))
def test_no_chunk_exceeds_its_limit_and_nothing_is_lost(blocks: list[str], limit: int):
    chunks = pack(blocks, limit)
    assert all(estimate_tokens(chunk) <= limit for chunk in chunks)
    assert "".join("".join(chunks).split("\n")) == "".join("".join(blocks).split("\n"))
