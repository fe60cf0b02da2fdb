"""mkdocs.yml names every document once, in the order of the README, and builds without a warning or a foreign file."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from docs.site_pages import OUTSIDE, in_site
from tests.docs.pages import DOCS, README, ROOT, broken_links, read
from tests.support.each import each

# What a page may load: scripts, styles and pictures, but links that somebody follows are no loading.
FOREIGN = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*\bhref=["']?(?:https?:)?//"""
)


class Loader(yaml.SafeLoader):
    """Reads the file without calling what it names."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)


@pytest.fixture(scope="module")
def config() -> dict:
    return yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)


def named(config: dict) -> dict[str, list[str]]:
    """Return the pages of each part."""
    return {
        part: [next(iter(page.values())) if isinstance(page, dict) else page for page in pages]
        for one in config["nav"]
        for part, pages in one.items()
    }


def test_every_document_is_named_once(config):
    pages = [page for pages in named(config).values() for page in pages]
    assert sorted(pages) == sorted(
        [*OUTSIDE.values(), *(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))]
    )


def test_parts_and_order_are_those_of_the_readme(config):
    listed: dict[str, list[str]] = {}
    for cell, _ in read(README).tables[-1][1:]:
        if part := re.fullmatch(r"\*\*(.+)\*\*", cell):
            listed[part[1]] = pages = []
        else:
            target = cell.rpartition("(")[2].rstrip(")")
            pages.append(OUTSIDE.get(target, target.removeprefix("docs/")))
    parts = named(config)
    parts.pop("Home")
    assert parts == listed
    assert list(parts) == list(listed)


def test_it_is_strict_and_loads_no_fonts(config):
    assert config["strict"] is True
    assert config["theme"]["font"] is False
    assert not {"extra_css", "extra_javascript"} & set(config)
    assert {str(name).partition(":")[0] for name in config["plugins"]} == {"search"}
    assert "site/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_links_of_the_project_become_links_of_the_site(tmp_path: Path):
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(in_site(page.read_text(encoding="utf-8"), f"docs/{name}"), encoding="utf-8")
    for source, name in OUTSIDE.items():
        (tmp_path / name).write_text(in_site((ROOT / source).read_text(encoding="utf-8"), source), encoding="utf-8")
    shutil.copytree(DOCS / "pictures", tmp_path / "pictures")
    broken = {page.name: links for page in tmp_path.rglob("*.md") if (links := broken_links(page))}
    assert broken == {}


@each(
    ("source", "markdown", "wanted"),
    [
        ("README.md", "[docs/panel.md](docs/panel.md#views)", "[panel.md](panel.md#views)"),
        ("docs/zh/a.md", "[b](../panel.md), [c](c.md)", "[b](../panel.md), [c](c.md)"),
        ("README.md", "[中文](README.zh-CN.md), [a](#why)", "[中文](readme.zh-CN.md), [a](#why)"),
        ("docs/transfer.md", "[authors](../entry_points.md#importers)", "[authors](entry_points.md#importers)"),
        ("docs/panel.md", "![View](pictures/a.svg)", "![View](pictures/a.svg)"),
        ("entry_points.md", "[examples/echo_host.py](examples/echo_host.py)", "`examples/echo_host.py`"),
        ("README.md", "[x](https://example.org/docs/a.md)", "[x](https://example.org/docs/a.md)"),
        (
            "README.md",
            "```\n[a](docs/panel.md)\n```\n[a](docs/panel.md)",
            "```\n[a](docs/panel.md)\n```\n[a](panel.md)",
        ),
    ],
)
def test_a_link(source, markdown, wanted):
    assert in_site(markdown, source) == wanted


@pytest.mark.skipif(
    importlib.util.find_spec("material") is None, reason="MkDocs Material is not installed: uv sync --group docs"
)
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    pages = {page.relative_to(site).as_posix(): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    assert {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")} <= set(pages)
    assert not [file for file in site.rglob("*") if file.suffix in (".py", ".pyc", ".md")]
    assert [name for name, text in pages.items() if FOREIGN.search(text)] == []
    styles = "".join(file.read_text(encoding="utf-8") for file in site.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import )[\"']?(?:https?:)?//", styles)
    for name, text in pages.items():  # what MkDocs' reader of Markdown takes for a paragraph, and GitHub's for a list
        article = text.partition("<article")[2].partition("</article>")[0]
        assert not re.search(r"<p>(?:(?!</p>).)*?\n(?:- |\d\. |\| )", article, re.DOTALL), name
        assert "```" not in article, name
