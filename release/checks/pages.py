"""Parses Markdown pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from release.checks.listed import ROOT

DOCS, README, ENTRY_POINTS = ROOT / "docs", ROOT / "README.md", ROOT / "entry_points.md"
# The address of the repository, for links in pages that a package index shows.
REPOSITORY = "https://github.com/nanobot-memory-plugins/nanobot-memory-plugins/blob/main/"
PAGES = (*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")))
_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass
class Page:
    """The parts of a page, each kind in order."""

    anchors: set[str] = field(default_factory=set)
    """The anchors of headings, as GitHub and MkDocs form them for unique headings."""
    code: list[tuple[str, str, int]] = field(default_factory=list)
    """The language, the text and the first line of each code block."""
    links: list[str] = field(default_factory=list)
    """Targets of links and pictures."""
    spans: list[str] = field(default_factory=list)
    """Code in sentences and tables."""


@cache
def read(path: Path) -> Page:
    """Parse a page, once per process."""
    page = Page()
    tokens = _PARSER.parse(path.read_text(encoding="utf-8"))
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            text = re.sub(r"[^\w\s-]", "", tokens[number + 1].content.replace("`", "").lower()).strip()
            page.anchors.add(re.sub(r"\s", "-", text))
        elif token.type in ("fence", "code_block"):
            line = (token.map or [0])[0] + 1 + (token.type == "fence")
            page.code.append((token.info.strip(), token.content, line))
        for child in token.children or ():
            page.links.extend(_targets(child))
            if child.type == "code_inline":
                page.spans.append(child.content)
    return page


def _targets(token: Token) -> Iterator[str]:
    if token.type == "link_open":
        yield str(token.attrs["href"])
    elif token.type == "image":
        yield str(token.attrs["src"])


def broken_links(path: Path) -> Iterator[str]:
    """Yield the links of a page to missing files or headings."""
    for link in read(path).links:
        if link.startswith(REPOSITORY):
            if not (ROOT / link.removeprefix(REPOSITORY)).exists():
                yield link
            continue
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and anchor not in read(target).anchors):
            yield link
