"""Markdown pages, taken apart: what tests of the documentation look at."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README, CHINESE_README, ENTRY_POINTS = ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "entry_points.md"
FOR_DEVELOPERS = tuple(ROOT / name for name in ("AGENTS.md", "CONTRIBUTING.md", "SECURITY.md"))
PAGES = (README, CHINESE_README, ENTRY_POINTS, ROOT / "CHANGELOG.md", *FOR_DEVELOPERS, *sorted(DOCS.rglob("*.md")))
_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass
class Page:
    """What stands in a page, each kind in its order."""

    headings: list[tuple[str, str]] = field(default_factory=list)
    """Tag (``h1``, ``h2``...) and text."""
    code: list[tuple[str, str, int]] = field(default_factory=list)
    """Language, text, and the line on which the text begins."""
    links: list[str] = field(default_factory=list)
    """Targets of links and pictures."""
    spans: list[str] = field(default_factory=list)
    """Code within sentences and tables."""
    text: list[str] = field(default_factory=list)
    """What stands in sentences, tables and headings beside code, a piece a line."""
    tables: list[list[list[str]]] = field(default_factory=list)
    """Rows of cells, the head first."""

    @property
    def anchors(self) -> set[str]:
        """What ``#...`` may name, as GitHub and MkDocs make it of headings that are no namesakes."""
        return {slug(text) for _, text in self.headings}


@cache
def read(path: Path) -> Page:
    """Take a page apart, once in a process."""
    page = Page()
    tokens = _PARSER.parse(path.read_text(encoding="utf-8"))
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            page.headings.append((token.tag, tokens[number + 1].content))
        elif token.type in ("fence", "code_block"):
            assert token.map is not None
            page.code.append((token.info.strip(), token.content, token.map[0] + 1 + (token.type == "fence")))
        elif token.type == "table_open":
            page.tables.append([])
        elif token.type == "tr_open":
            page.tables[-1].append([])
        elif token.type in ("th_open", "td_open"):
            page.tables[-1][-1].append(tokens[number + 1].content)
        for child in token.children or ():
            page.links.extend(_targets(child))
            if child.type == "code_inline":
                page.spans.append(child.content)
            elif child.type == "text":
                page.text.append(child.content)
    return page


def _targets(token: Token) -> Iterator[str]:
    if token.type == "link_open":
        yield str(token.attrs["href"])
    elif token.type == "image":
        yield str(token.attrs["src"])


def slug(heading: str) -> str:
    """Return the anchor of a heading."""
    text = re.sub(r"[^\w\s-]", "", heading.replace("`", "").lower()).strip()
    return re.sub(r"\s", "-", text)


def is_elsewhere(link: str) -> bool:
    """Tell whether a link leads out of the project."""
    return link.startswith(("https://", "http://", "mailto:"))


def broken_links(path: Path) -> list[str]:
    """Return the links of a page that lead to no file, or to no heading."""
    broken = []
    for link in read(path).links:
        if is_elsewhere(link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and anchor not in read(target).anchors):
            broken.append(link)
    return broken
