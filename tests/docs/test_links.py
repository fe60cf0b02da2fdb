"""Every link of every document leads to a file, and to a heading where it names one."""

import itertools
import re
from pathlib import Path

from tests.docs.pages import PAGES, ROOT, broken_links, read
from tests.support.each import each


@each("path", PAGES)
def test_every_link_leads_somewhere(path: Path):
    assert broken_links(path) == []


@each("path", PAGES)
def test_a_page_has_one_title_and_skips_no_level(path: Path):
    levels = [int(tag[1]) for tag, _ in read(path).headings]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_a_broken_link_would_be_found(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n\n[a](page.md#a-title) [b](page.md#b) [c](none.md) ![d](none.svg) [e](#a-title)\n")
    assert broken_links(page) == ["page.md#b", "none.md", "none.svg"]


def test_every_heading_stands_alone():
    """Without a blank line before it some readers of Markdown take a heading for text."""
    for path in PAGES:
        lines = path.read_text(encoding="utf-8").splitlines()
        inside = False
        for number, line in enumerate(lines):
            inside ^= line.startswith("```")
            if number and not inside and re.match(r"#{1,6} ", line):
                assert lines[number - 1] == "", f"{path.relative_to(ROOT)}:{number + 1}"
