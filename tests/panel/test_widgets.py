"""What the views are made of: rows of which only some are drawn, charts, highlights, ASCII, words in two languages."""

import ast
import unicodedata
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.app import App, ComposeResult
from textual.color import Color

from docs.picture_workspace import NOW
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.panel.app import VIEWS
from nanobot_memory_plugins.panel.language import PanelWords, is_unicode_terminal, language_of
from nanobot_memory_plugins.panel.widgets.chart import bar, column_chart
from nanobot_memory_plugins.panel.widgets.drawable import ControlFilter, in_ascii
from nanobot_memory_plugins.panel.widgets.highlight import highlighted, pattern_of
from nanobot_memory_plugins.panel.widgets.row_list import Column, RowList, _fitted
from release.catalogues import catalogue_of, read

from .conftest import driven

PANEL = Path(__file__).parents[2] / "nanobot_memory_plugins" / "panel"
BIDI = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
ANY_TEXT = st.text("ab中文é🙂\n\t﻿ ─█", max_size=30)


class Listed(App[None]):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.drawn: list[int] = []
        self.rows = RowList[int](
            (Column("n", 6, right=True), Column("text", 0)), self.cells, key=lambda row: str(row), empty="nothing"
        )
        self.count = count

    def cells(self, row: int) -> tuple[str, str]:
        self.drawn.append(row)
        return str(row), f"row {row}"

    def compose(self) -> ComposeResult:
        yield self.rows

    def on_mount(self) -> None:
        self.rows.set_rows(range(self.count))
        self.rows.focus()


async def test_only_the_rows_on_the_screen_are_drawn():
    app = Listed(10_000)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("end")
        assert app.rows.cursor == 9_999
        assert 9_999 in app.drawn
        assert len(set(app.drawn)) <= 2 * 11
        await pilot.press("pageup", "up", "home", "pagedown")
        assert app.rows.cursor == 10
        assert "row 10" in app.rows.render_line(11).text
        assert len(set(app.drawn)) < 80


async def test_the_cursor_stays_on_its_row_when_others_come_and_go():
    app = Listed(100)
    async with app.run_test(size=(40, 12)) as pilot:
        app.rows.action_move_to(50)
        app.rows.set_rows(range(20, 100))
        assert (app.rows.current, app.rows.cursor) == (50, 30)
        app.rows.set_rows(range(10))
        assert app.rows.current == 9
        app.rows.set_rows(())
        await pilot.pause()
        assert app.rows.current is None
        assert any("nothing" in app.rows.render_line(y).text for y in range(12))
        for key in ("down", "up", "end", "home", "pagedown", "enter"):
            await pilot.press(key)
        app.rows.set_rows(range(3))
        assert app.rows.current == 0


@given(text=ANY_TEXT, width=st.integers(1, 20), right=st.booleans())
def test_a_cell_has_exactly_its_width(text: str, width: int, right: bool):
    made = _fitted(Text(text), width, right=right).plain
    assert cell_len(made) == width
    assert "\n" not in made


@given(text=st.text(max_size=40))
def test_no_control_character_reaches_the_terminal(text: str):
    made = _fitted(Text(text), 20).plain
    assert not any(unicodedata.category(char) == "Cc" or unicodedata.bidirectional(char) in BIDI for char in made)
    (left,) = ControlFilter().apply([Segment(text)], Color(0, 0, 0))
    allowed = left.text.replace("\n", "").replace("\t", "")
    assert not any(unicodedata.category(char) == "Cc" for char in allowed)


@given(text=ANY_TEXT)
def test_ascii_has_the_same_width(text: str):
    made = in_ascii(text)
    assert made.isascii()
    assert cell_len(made) == cell_len(text)


@pytest.mark.slow
async def test_a_terminal_without_utf_8_gets_ascii_alone(workspace: Path, config: Path, clock: ManualClock):
    async with driven(workspace, config, clock, is_ascii=True, language="zh") as panel:
        for name in VIEWS:
            await panel.view(name)
            await panel.pilot.pause()
            assert panel.screen().isascii(), name
            assert {cell_len(line) for line in panel.lines()} == {80}
        await panel.view("memories")
        await panel.press("e")
        await panel.until(lambda: "ctrl+s" in panel.screen())
        assert panel.screen().isascii()


@pytest.mark.parametrize(
    ("environment", "is_unicode", "language"),
    [
        ({}, True, "en"),
        ({"LANG": "zh_CN.UTF-8"}, True, "zh"),
        ({"LANG": "C"}, False, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, False, "en"),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, True, "en"),
        ({"PYTHONIOENCODING": "ascii", "LANG": "zh_CN.UTF-8"}, False, "zh"),
        ({"LC_MESSAGES": "zh_TW", "LANG": "en_US.utf8"}, True, "zh_Hant"),
    ],
)
def test_locale_and_encoding_are_read(environment: dict[str, str], is_unicode: bool, language: str):
    assert is_unicode_terminal(environment) is is_unicode
    assert language_of(environment) == language


def test_a_chart_is_as_high_as_its_values():
    assert column_chart([1.0, 0.5, 0.25, 0.0], 2) == ["█   ", "██▄ "]
    assert column_chart([0.001], 2) == [" ", "▁"]
    assert column_chart([7.0], 1) == ["█"]
    assert (bar(0.5, 4), bar(0.0, 4), bar(3, 4, highest=0), bar(0.8, 8)) == ("██", "", "", "██████▍")


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


def said_in_the_code() -> set[str]:
    """Return every text that the code says through its words: literals in calls of t(...) and words(...)."""
    texts: set[str] = set()
    for file in PANEL.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("t", "words", "self.words", "self"):
                for literal in ast.walk(node.args[0]) if node.args else ():
                    if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
                        texts.add(literal.value)
    return texts | {view.name_of_view for view in VIEWS.values()}


def test_every_text_has_its_chinese():
    texts = said_in_the_code()
    assert len(texts) > 100
    assert sorted(texts - set(read(catalogue_of("zh")))) == []


def test_ages_fit_into_five_cells_in_both_languages():
    for language in ("en", "zh", "zh_Hant"):
        words = PanelWords(language)
        for days in (0, 0.1, 1, 6, 7, 364, 365, 30_000):
            assert 0 < cell_len(words.age(NOW - timedelta(days=days), NOW)) <= 5
        assert words.age(NOW + timedelta(days=1), NOW) == words("now")
        assert words.age(None, NOW) == ""
