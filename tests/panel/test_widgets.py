"""What the views are made of: cells, highlights, words in two languages."""

import unicodedata
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.color import Color

from nanobot_memory_plugins.panel.app import ControlFilter
from nanobot_memory_plugins.panel.highlight import highlighted, pattern_of
from nanobot_memory_plugins.panel.language import PanelWords, language_of
from nanobot_memory_plugins.panel.views.base import _cell
from release.pages.picture_workspace import NOW

BIDI = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
ANY_TEXT = st.text("ab中文é🙂\n\t﻿ ─█", max_size=30)


@given(text=st.text(max_size=40))
def test_no_control_character_reaches_the_terminal(text: str):
    made = _cell(text).plain
    assert not any(unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in BIDI for char in made)
    (left,) = ControlFilter().apply([Segment(text)], Color(0, 0, 0))
    allowed = left.text.replace("\n", "").replace("\t", "")
    assert not any(unicodedata.category(char) == "Cc" for char in allowed)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_TW", "LANG": "en_US.utf8"}, "zh_Hant"),
    ],
)
def test_the_locale_is_read(environment: dict[str, str], language: str):
    assert language_of(environment) == language


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("deploys", "We deployed it. Deploy again", ["deployed", "Deploy"]),
        ("what is A2?", "in A2, not a21b", ["A2"]),
        ("周三晚上", "下周三去，晚上回", ["周三", "晚上"]),
        ("茶", "喝茶吧", ["茶"]),
        ("+++ [", "a [b]", []),
        ("cat", "concat cat", ["cat"]),
    ],
)
def test_what_a_query_hits_is_marked(query: str, text: str, marked: list[str]):
    found = highlighted(text, pattern_of(query))
    assert [found.plain[span.start : span.end] for span in found.spans] == marked


@given(query=st.text(max_size=60), text=st.text(max_size=60))
def test_no_query_breaks_the_highlight(query: str, text: str):
    assert highlighted(text, pattern_of(query)).plain == Text(text).plain


def test_ages_fit_into_five_cells_in_both_languages():
    for language in ("en", "zh", "zh_Hant"):
        words = PanelWords(language)
        for days in (0, 0.1, 1, 6, 7, 364, 365, 30_000):
            assert 0 < cell_len(words.age(NOW - timedelta(days=days), NOW)) <= 5
        assert words.age(NOW + timedelta(days=1), NOW) == words("now")
        assert words.age(None, NOW) == ""
