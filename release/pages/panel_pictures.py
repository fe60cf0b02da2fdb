"""Make pictures of the panel from a made-up workspace.

``uv run python -m release.pages.panel_pictures`` writes the pictures of the documentation into docs/pictures;
``... panel_pictures FOLDER`` writes every view at 80 by 24 and 160 by 50, in English and Chinese, into a folder for
inspection. The files are reproducible. They load nothing: they name fonts, but contain none.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
from contextlib import AbstractAsyncContextManager
from html import unescape
from itertools import groupby
from pathlib import Path
from unittest import mock

from rich.cells import cell_len

from nanobot_memory_plugins.core import load_config
from nanobot_memory_plugins.core.cli.language import use_language
from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
from nanobot_memory_plugins.panel.app import VIEWS, PanelApp
from nanobot_memory_plugins.panel.memory import PanelMemory, open_memory
from nanobot_memory_plugins.redaction.script.messages import Sentence
from release.pages.picture_workspace import make_workspace

SIZES = ((80, 24), (160, 50))
LANGUAGES = ("en", "zh")
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
# The pictures of the documentation: views by size and language.
SHOWN = (
    *(((80, 24), "en", name) for name in ("memories", "search", "sessions", "forgetting", "health")),
    ((160, 50), "en", "memories"),
    *(((80, 24), "zh", name) for name in ("memories", "search", "health", "history")),
    ((160, 50), "zh", "memories"),
)
# The typed text in a view, by language.
_TYPED = {
    "search": {"en": "bridge drawings", "zh": "周三晚上"},
    "forgetting": {"en": "the certificate", "zh": "钢琴"},
}
_FONTS = "'DejaVu Sans Mono','Noto Sans Mono CJK SC','Sarasa Mono SC',Menlo,Consolas,monospace"
_TEXT = re.compile(r'<text class="(?P<class>[^"]*)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)" textLength="(?P<length>[\d.]+)"'
                   r'(?P<rest>[^>]*)>(?P<text>[^<]*)</text>')  # fmt: skip
# Replacements of texts that depend on the machine or the release.
_FINDINGS = (
    Finding(
        "python",
        Sentence(
            "{python_version} on {system} {machine} ({executable})",
            python_version="3.11",
            system="Linux",
            machine="x86_64",
            executable="~/.venv/bin/python",
        ),
    ),
    Finding("workspace", "~/agent"),
    Finding("long-term memory", Sentence("{number}, {size:,.1f} kB", number=Sentence("1 file"), size=3.0)),
    Finding("transcripts", Sentence("{number}, {size:,.1f} kB", number=Sentence("{count} files", count=3), size=0.9)),
    Finding("search level", "2: full text only", Health.DEGRADED),
    Finding("index", Sentence("passages: {documents:,}, files: {files:,}", documents=38, files=7)),
    Finding(
        "embedding model",
        "The embedding model is being loaded.",
        Health.DEGRADED,
        "`nanobot-memory models pull` waits for it; until then words alone are searched.",
    ),
    Finding(
        "scored entries",
        Sentence("{active} active, {archived} archived in {name}", active=13, archived=1, name="ENTRIES.md"),
    ),
)


async def picture(name: str, size: tuple[int, int], language: str) -> str:
    """Return the SVG text of one view."""
    with tempfile.TemporaryDirectory() as home:
        at_home = mock.patch.dict(os.environ, {"HOME": home})
        found = mock.patch.object(PanelMemory, "findings", _findings)
        with use_language(language), at_home, found:
            async with _opened(Path(home), language) as memory:
                app = PanelApp(memory, poll_seconds=0)
                await memory.store.flush()
                return await _drawn(app, name, size, language)


async def _drawn(app: PanelApp, name: str, size: tuple[int, int], language: str) -> str:
    async with app.run_test(size=size) as pilot:
        await _settled(app, "memories")
        await app.action_show(name)
        view = app.views[name]
        await _settled(app, name)
        if name in _TYPED:
            await pilot.press(*_TYPED[name][language], "enter")
            while not view.rows:
                await pilot.pause(0.05)
        view.table.focus()
        for _ in range({"memories": 4, "sessions": 1}.get(name, 0)):
            await pilot.press("down")
        await pilot.pause(0.6)
        return portable(app.export_screenshot(title="nanobot-memory panel"))


def _opened(home: Path, language: str) -> AbstractAsyncContextManager[PanelMemory]:
    workspace, config = home / "agent", home / "config.json"
    workspace.mkdir()
    clock = make_workspace(workspace, language)
    config.write_text(
        '{"channels": {"memoryPlugins": {"storage": {"embeddingProvider": "none"}, "flush": {"enabled": false}}}}',
        encoding="utf-8",
    )
    return open_memory(workspace, load_config(config), clock=clock)


async def _findings(_memory: PanelMemory) -> list[Finding]:
    return list(_FINDINGS)


async def _settled(app: PanelApp, name: str) -> None:
    for _ in range(500):
        if app.views[name].loaded_version is not None:
            return
        await asyncio.sleep(0.02)
    raise SystemExit(f"{name} did not come")


def portable(svg: str) -> str:
    """Return a picture that loads nothing, with stable names, and with wide characters two cells wide."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: Fira Code[^;]*;", f"font-family: {_FONTS};", svg)
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = _TEXT.sub(_in_cells, svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def _in_cells(match: re.Match[str]) -> str:
    """Put narrow and wide characters into separate cells, since the exporter treats every character as narrow."""
    text = unescape(match["text"])
    width = float(match["length"]) / max(1, len(text))
    if cell_len(text) == len(text):
        return match[0]
    made, x = [], float(match["x"])
    for is_wide, run in groupby(text, lambda char: cell_len(char) > 1):
        part = "".join(run)
        if is_wide:  # separately, since their widths depend on the font
            for char in part:
                made.append(_cell(match, char, x, 2 * width))
                x += 2 * width
        else:
            made.append(_cell(match, part, x, width * len(part)))
            x += width * len(part)
    return "".join(made)


def _cell(match: re.Match[str], text: str, x: float, length: float) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace(" ", "&#160;")
    return (
        f'<text class="{match["class"]}" x="{x:.1f}" y="{match["y"]}" textLength="{length:.1f}"{match["rest"]}>'
        f"{escaped}</text>"
    )


def main(folder: Path | None) -> None:
    """Write the pictures of the documentation, or all into a folder."""
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()
    os.environ.pop("NANOBOT_MEMORY_PLUGINS", None)
    every = [(size, language, name) for language in LANGUAGES for size in SIZES for name in VIEWS]
    target = folder or PICTURES
    target.mkdir(parents=True, exist_ok=True)
    for size, language, name in every if folder else SHOWN:
        file = target / file_name(size, language, name)
        file.write_text(asyncio.run(picture(name, size, language)), encoding="utf-8")
        print(file.name)


def file_name(size: tuple[int, int], language: str, name: str) -> str:
    """Return the name of a picture."""
    return f"panel-{name}-{size[0]}x{size[1]}-{language}.svg"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
