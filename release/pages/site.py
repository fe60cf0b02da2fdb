"""Extends mkdocs.yml: adds pages outside of docs/ and generated ones, and rewrites links."""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Pages of the site from the project's top folder, and their names in the site.
OUTSIDE = {
    "README.md": "index.md",
    "README.zh-CN.md": "readme.zh-CN.md",
    "entry_points.md": "entry_points.md",
    "CHANGELOG.md": "changelog.md",
}
_LINK = re.compile(r"\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
REPOSITORY = "https://github.com/nanobot-memory-plugins/nanobot-memory-plugins/blob/main/"
_FENCE = re.compile(r"^(?P<fence>```+|~~~+)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside of the folder."""
    from mkdocs.structure.files import File  # type: ignore[import-not-found]

    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / source)))
    for name, page in generated().items():
        files.append(File.generated(config, name, content=page))
    return files


def generated() -> dict[str, str]:
    """Return the pages that are generated from the code, by their names in the site."""
    from release.pages import command_line, configuration

    return {
        "command_line.md": command_line.page(),
        "configuration.md": configuration.page(),
        "zh/command_line.md": command_line.chinese_page(),
        "zh/configuration.md": configuration.chinese_page(),
    }


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the project's links as the site's."""
    outside = {name: source for source, name in OUTSIDE.items()}
    source = outside.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    return in_site(markdown, source)


def in_site(markdown: str, source: str) -> str:
    """Return a page of the project, ``source``, with the site's links.

    A link to a file that is no page, such as an example, becomes plain text.
    """
    return outside_code(markdown, lambda line: _LINK.sub(lambda link: _link(link, source), line))


def outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Apply a function to every line of a page outside of code blocks."""
    fence = ""
    lines = []
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark["fence"]
        elif mark and mark["fence"] == fence:
            fence = ""
        elif not fence:
            line = change(line)
        lines.append(line)
    return "\n".join(lines)


def _link(link: re.Match[str], source: str) -> str:
    target = link["target"]
    if target.startswith(REPOSITORY):
        target = posixpath.relpath(target.removeprefix(REPOSITORY), posixpath.dirname(source) or ".")
    name, mark, anchor = target.partition("#")
    if not name or "://" in name:
        return link[0]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
    inside = path.removeprefix("docs/") if path.startswith("docs/") else OUTSIDE.get(path)
    if inside is None:
        return f"`{link['text']}`" if link["text"] == path else link["text"]
    page = source.removeprefix("docs/") if source.startswith("docs/") else OUTSIDE.get(source, source)
    inside = posixpath.relpath(inside, posixpath.dirname(page) or ".")
    text = link["text"].removeprefix("docs/") if link["text"] == path else link["text"]
    return f"[{text}]({inside}{mark}{anchor})"
