"""What the views are made of: cells, highlights, words in two languages."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color

from nanobot_memory_plugins.panel.app import ControlFilter
from nanobot_memory_plugins.panel.views.base import _cell
from nanobot_memory_plugins.panel.views.search import highlighted, pattern_of

BIDI = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")


@given(text=st.text(max_size=40))
def test_no_control_character_reaches_the_terminal(text: str):
    made = _cell(text).plain
    assert not any(unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in BIDI for char in made)
    (left,) = ControlFilter().apply([Segment(text)], Color(0, 0, 0))
    allowed = left.text.replace("\n", "").replace("\t", "")
    assert not any(unicodedata.category(char) == "Cc" for char in allowed)


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("deploys", "We deployed it. Deploy again", ["deployed", "Deploy"]),
        ("what is in 7a2?", "in 7A2, not 7a21b", ["7A2"]),
        ("周三晚上", "下周三去，晚上回", ["周三", "晚上"]),
        ("茶", "喝茶吧", ["茶"]),
        ("+++ [", "a [b]", []),
        ("cat", "concat cat", ["cat"]),
        ("週三攀巖", "下週三去攀巖館", ["週三", "攀巖"]),
    ],
)
def test_what_a_query_hits_is_marked(query: str, text: str, marked: list[str]):
    found = highlighted(text, pattern_of(query))
    assert [found.plain[span.start : span.end] for span in found.spans] == marked
