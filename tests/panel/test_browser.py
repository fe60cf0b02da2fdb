"""The panel in a real browser. Skipped without Chromium or Playwright."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.panel.web import panel_command

# Playwright installs no browser here. Debian's is used, or the one in the variable.
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: uv sync --group browser")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-_])")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium")


@pytest.fixture
def address(workspace: Path, config: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [*panel_command(workspace, config), "--web"], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(20)
    process.stdout.close()


class Drawn:
    """What the panel draws on a page, where it appears only as pixels."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._bytes: list[bytes] = []
        self.cells = (0, 0)
        page.on("websocket", self._opened)

    def _opened(self, socket: Any) -> None:
        socket.on("framesent", self._sent)
        socket.on("framereceived", lambda one: self._bytes.append(one if isinstance(one, bytes) else one.encode()))

    def _sent(self, frame: str) -> None:
        kind, *values = json.loads(frame)
        if kind == "resize":
            self.cells = values[0]["width"], values[0]["height"]

    @property
    def text(self) -> str:
        return _ESCAPE.sub("", b"".join(self._bytes).decode("utf-8", "replace"))

    def until(self, condition: Callable[[], bool]) -> None:
        end = monotonic() + 60
        while not condition():
            assert monotonic() < end, self.text[-2_000:]
            self._page.wait_for_timeout(50)

    def sees(self, text: str) -> None:
        """Wait until the panel has drawn a text since the last call."""
        self.until(lambda: text in self.text)
        self._bytes.clear()

    def types(self, text: str) -> None:
        """Type repeatedly until the text is drawn, since a new form may not have the focus yet."""
        for _ in range(6):
            self._page.keyboard.insert_text(text)
            end = monotonic() + 10
            while monotonic() < end:
                if text.strip() in self.text:
                    return
                self._page.wait_for_timeout(50)
        raise AssertionError("what was typed was never drawn")


@pytest.fixture
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


def open_panel(page: Any, address: str) -> Drawn:
    """Open the panel on a page, and return its drawing once its memories are shown."""
    drawn = Drawn(page)
    page.goto(address)
    page.wait_for_selector("body.-first-byte", timeout=30_000)
    drawn.sees("likes oolong tea")
    return drawn


@pytest.mark.accept("EB-22")
def test_search_edit_forget_and_restore_through_the_page(browser: Any, address: str, workspace: Path):
    RepositoryAccess(EntryRepository(workspace)).add("likes oolong tea")
    file = workspace / "memory" / "ENTRIES.md"

    def on_disk() -> str:
        return file.read_text(encoding="utf-8")

    context = browser.new_context(viewport={"width": 1200, "height": 640})
    page = context.new_page()
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    drawn = open_panel(page, address)
    until, sees = drawn.until, drawn.sees
    page.keyboard.press("e")
    sees("Save (ctrl+s)")
    drawn.types(" 每天早上")
    page.keyboard.press("Control+s")
    until(lambda: "likes oolong tea 每天早上\n" in on_disk())
    sees("Changed.")
    page.keyboard.press("f")
    sees("Forget this?")
    page.keyboard.press("y")
    until(lambda: "oolong" not in on_disk().partition("## Archived")[0])
    sees("Forgotten.")
    page.keyboard.press("a")
    page.keyboard.press("a")
    sees("oolong")
    page.keyboard.press("r")
    until(lambda: "likes oolong tea 每天早上\n" in on_disk().partition("## Archived")[0])
    page.keyboard.press("2")
    sees("Search: words")
    drawn.types("oolong")
    sees("memory/ENTRIES.md:")
    assert failed == []
    assert {url.split("/")[2] for url in asked} == {address.split("/")[2]}  # nothing from anywhere else
    assert context.request.get(address).status == 403


def test_on_a_telephone_it_fits_and_a_name_can_be_tapped(browser: Any, address: str, workspace: Path):
    RepositoryAccess(EntryRepository(workspace)).add("likes oolong tea")
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    drawn = open_panel(page, address)
    assert page.evaluate("[window.innerWidth, document.documentElement.scrollWidth]") == [390, 390]
    columns, lines = drawn.cells
    assert 45 <= columns < 60
    assert lines >= 40

    box = page.locator(".xterm-screen").bounding_box()
    page.touchscreen.tap(15.5 * box["width"] / columns, 1.5 * box["height"] / lines)  # Search, behind Memories
    drawn.sees("Search: words")
