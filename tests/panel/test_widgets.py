"""The parts of the views: cells, and words in two languages."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color

from nanobot_memory_plugins.panel.app import ControlFilter
from nanobot_memory_plugins.panel.views.base import _cell

BIDI = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")


@given(text=st.text(max_size=40))
def test_no_control_character_reaches_the_terminal(text: str):
    made = _cell(text).plain
    assert not any(unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in BIDI for char in made)
    (left,) = ControlFilter().apply([Segment(text)], Color(0, 0, 0))
    allowed = left.text.replace("\n", "").replace("\t", "")
    assert not any(unicodedata.category(char) == "Cc" for char in allowed)
