"""The Chinese pages: each beside its English one, linked to each other, and with no figure of its own."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from release.catalogues import CATALOGUES
from release.catalogues import read as read_catalogue
from tests.docs.pages import CHINESE_README, DOCS, README, is_elsewhere, read
from tests.support.each import each

CHINESE = DOCS / "zh"
# What only a reader of Chinese needs: the commands that are tried in Chinese, the terms, and a guide that joins pages.
ALONE = {"commands.md", "glossary.md", "how_to.md"}
# How Chinese is chosen.
OF_CHINESE = {"--lang zh", "core.language"}
TRANSLATED = [path for path in sorted(CHINESE.glob("*.md")) if path.name not in ALONE]
PAIRS = [(README, CHINESE_README), *((DOCS / path.name, path) for path in TRANSLATED)]
HAN = re.compile("[一-鿿]")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
DATE = re.compile(r"(\d+)年\d+月(\d+)日")
COUNTED = re.compile(r"(十[一二三四五六七八九]?|[二两三四五六七八九半])\s?(?:秒|分钟|小时|天|倍|种)")
NUMERALS = {
    "半": "half",
    "二": "two",
    "两": "two",
    "三": "three",
    "四": "four",
    "五": "five",
    "六": "six",
    "七": "seven",
    "八": "eight",
    "九": "nine",
    "十": "ten",
    "十四": "fourteen",
    "十五": "fifteen",
}


def wrongly_led(path: Path) -> list[str]:
    """Return the links of a Chinese page that lead to an English one although there is a Chinese one.

    A page may lead to its own English form, for what that tells beside it.
    """
    found = []
    for link in read(path).links:
        target = (path.parent / unquote(link).partition("#")[0]).resolve()
        if is_elsewhere(link) or target.name == path.name:
            continue
        if target.parent == DOCS and (CHINESE / target.name).exists():
            found.append(link)
    return found


def own_figures(english: Path, chinese: Path) -> list[str]:
    """Return the numbers of a Chinese page that its English one has neither in figures nor in words."""
    told = "\n".join(read(english).text)
    said = DATE.sub(r"\1 \2", "\n".join(read(chinese).text))
    known = set(FIGURE.findall(told))
    words = set(re.findall(r"[a-z]+", told.lower()))
    own = [one for one in FIGURE.findall(said) if one not in known]
    return own + [one for one in COUNTED.findall(said) if NUMERALS.get(one) not in words]


@each("path", TRANSLATED)
def test_a_chinese_page_has_an_english_one(path: Path):
    assert (DOCS / path.name).exists()


def test_what_is_only_in_chinese_has_no_english_page():
    assert {name for name in ALONE if (CHINESE / name).exists() and not (DOCS / name).exists()} == ALONE


@each("path", [CHINESE_README, *sorted(CHINESE.glob("*.md"))])
def test_a_chinese_page_leads_to_chinese_pages_where_there_are_any(path: Path):
    assert wrongly_led(path) == []


@each(("english", "chinese"), PAIRS)
def test_a_chinese_page_has_no_figure_that_the_english_one_has_not(english: Path, chinese: Path):
    assert own_figures(english, chinese) == []


@each(("english", "chinese"), PAIRS)
def test_what_is_typed_is_what_the_english_page_has(english: Path, chinese: Path):
    known = english.read_text(encoding="utf-8")
    typed = {one for one in read(chinese).spans if not HAN.search(one)} - OF_CHINESE
    made = {"configuration.md", "command_line.md"}  # of sentences that name options in their own way
    assert chinese.name in made or [one for one in sorted(typed) if one not in known] == []


def test_the_command_line_leads_to_chinese_pages_where_there_are_any():
    said = read_catalogue(CATALOGUES / "zh.po").values()
    named = {name for text in said for name in re.findall(r"docs/(\w+\.md)", text)}
    assert [name for name in named if (CHINESE / name).exists()] == []


def test_the_readme_names_every_chinese_page():
    assert {path.name for path in CHINESE.glob("*.md")} <= {
        link.rpartition("/")[2] for link in read(CHINESE_README).links
    }


@each("path", sorted(CHINESE.glob("*.md")))
def test_headings_and_tables_are_in_chinese(path: Path):
    # Commands and options are headings by their names.
    is_made = path.name in ("command_line.md", "configuration.md")
    headings = [text for tag, text in read(path).headings if tag == "h1" or not is_made]
    assert [text for text in headings if not HAN.search(text)] == []
    heads = [cell for table in read(path).tables for cell in table[0] if cell.strip("`") == cell != ""]
    assert [cell for cell in heads if not HAN.search(cell)] == []


def test_a_wrong_link_and_a_figure_of_its_own_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tests.docs.test_chinese_pages.DOCS", tmp_path)
    monkeypatch.setattr("tests.docs.test_chinese_pages.CHINESE", tmp_path / "zh")
    (tmp_path / "zh").mkdir()
    (tmp_path / "a.md").write_text("# A\n\nIt waits 5 s, five seconds, and 1,000 of `7`.\n", encoding="utf-8")
    (tmp_path / "zh" / "b.md").write_text("# 乙\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n", encoding="utf-8")
    page = tmp_path / "zh" / "a.md"
    page.write_text(
        "# 甲\n\n等 5 s，五秒；八秒；`9`；1,001 个，见[乙](../b.md)、[丙](b.md)和[英文页](../a.md#a)。\n",
        encoding="utf-8",
    )
    assert own_figures(tmp_path / "a.md", page) == ["1,001", "八"]
    assert wrongly_led(page) == ["../b.md"]
