from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.redaction import safe_preview
from tests.behaviour.kit.shapes import VENDOR_TOKENS, key_block
from tests.support.each import each


@pytest.mark.accept("V5-01")
def test_the_preview_takes_max_chars_only_by_name():
    assert safe_preview("a" * 600, max_chars=500).startswith("a" * 400)
    assert len(safe_preview("a" * 600)) <= 500
    with pytest.raises(TypeError):
        safe_preview("a", max_len=500)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        safe_preview("a", 500)  # type: ignore[misc]


@pytest.mark.accept("V3-12")
@each("vendor", ["github", "openai", "anthropic", "jwt", "slack bot"])
def test_the_preview_redacts_before_it_cuts(vendor):
    token = VENDOR_TOKENS[vendor](Random(vendor))
    text = "a line of the log " * 5 + token + " and so on" * 30
    for size in range(60, 260, 3):
        shown = safe_preview(text, max_chars=size)
        assert token[:8] not in shown
        assert "[API_KE" not in shown.replace("[API_KEY]", "")
        assert len(shown) <= size


def test_a_key_block_across_the_cut_is_hidden():
    block, lines = key_block(Random(1))
    for size in range(30, 400, 17):
        shown = safe_preview("x" * 20 + "\n" + block, max_chars=size)
        assert lines[0][:10] not in shown


@given(st.text(max_size=200), st.integers(-1, 220))
def test_the_preview_is_never_longer_than_max_chars(text, size):
    assert len(safe_preview(text, max_chars=size)) <= max(size, 0)
