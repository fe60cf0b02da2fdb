"""The snippet of a long text contains the whole sentence with the terms, within the limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanobot_memory_plugins.storage.results import snippet
from nanobot_memory_plugins.storage.segmentation import query_terms

FILLER = "The weather report mentions rain and harvest again. "


@pytest.mark.parametrize(
    ("sentence", "term"), [("The saddle is on shelf 345 in Lisbon.", "saddle"), ("马鞍放在成都的979号柜。", "马鞍")]
)
@given(before=st.integers(0, 40), after=st.integers(0, 40))
def test_the_snippet_contains_the_whole_sentence_with_the_terms(sentence, term, before, after):
    text = (FILLER * before + sentence + " " + FILLER * after).strip()
    shown = snippet(text, query_terms(term), limit=100)
    assert sentence in shown
    assert len(shown) <= 100
    cut = shown.strip("…")
    assert cut in text
    assert shown.startswith("…") or text.startswith(cut)
    assert shown.endswith("…") or text.endswith(cut)
