from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.core.text.tokens import estimate_tokens, truncate_to_tokens

TEXTS = st.text(alphabet=st.sampled_from("ab 。中文かな한글é🙂\n"), max_size=80)


def test_a_chinese_character_counts_as_one_and_four_others_as_one():
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") == 1
    assert estimate_tokens("abcd") == 1
    assert estimate_tokens("abcde") == 2
    assert estimate_tokens("我喜欢咖啡") == 5
    assert estimate_tokens("我喜欢abcd") == 4
    assert estimate_tokens("我喜欢abcde") == 5
    assert estimate_tokens("かなカナ한글") == 6


@given(TEXTS, st.integers(min_value=-1, max_value=40))
def test_the_truncated_text_is_the_longest_beginning_that_fits(text, limit):
    cut = truncate_to_tokens(text, limit)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= max(limit, 0)
    if cut != text:
        assert estimate_tokens(text[: len(cut) + 1]) > limit
