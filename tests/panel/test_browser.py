"""The web form in a real browser. Skipped where there is no Chromium, or no Playwright to drive it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from nanobot_memory_plugins.consolidation.access import RepositoryAccess
from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.panel.web.server import panel_command

# Playwright brings no browser of its own here: Debian's is used, or the one that is named.
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: uv sync --group browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium")


@pytest.fixture
def address(workspace: Path, config: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [*panel_command(workspace, config, "en"), "--web"], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(20)
    process.stdout.close()


def until(condition: Callable[[], bool]) -> None:
    end = monotonic() + 30
    while not condition():
        assert monotonic() < end
        sleep(0.05)


@pytest.mark.accept("EB-22")
def test_search_edit_forget_and_restore_through_the_page(address: str, workspace: Path, tmp_path: Path):
    access = RepositoryAccess(EntryRepository(workspace))
    access.add("likes oolong tea")
    file = workspace / "memory" / "MEMORY.md"

    def on_disk() -> str:
        return file.read_text(encoding="utf-8")

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1200, "height": 640})
        page = context.new_page()
        asked: list[str] = []
        failed: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("requestfailed", lambda request: failed.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(address)
        page.wait_for_selector("body.-first-byte", timeout=30_000)

        def sees(pixels_change: Callable[[], object]) -> None:
            """Do something, and wait until what is drawn is different."""
            before = page.screenshot()
            pixels_change()
            until(lambda: page.screenshot() != before)
            sleep(0.4)

        def settled() -> bool:
            before = page.screenshot()
            sleep(1.0)
            return page.screenshot() == before

        until(lambda: (workspace / ".storage").exists())
        sleep(2.0)
        until(settled)
        sees(lambda: page.keyboard.press("e"))
        page.keyboard.type(" in the morning")
        page.keyboard.press("Control+s")
        until(lambda: "likes oolong tea in the morning\n" in on_disk())
        sleep(0.5)
        sees(lambda: page.keyboard.press("f"))
        page.keyboard.press("y")
        until(lambda: "oolong" not in on_disk())
        sleep(0.5)
        page.keyboard.press("a")
        sees(lambda: page.keyboard.press("a"))
        page.keyboard.press("r")
        until(lambda: "likes oolong tea in the morning\n" in on_disk())
        sees(lambda: page.keyboard.press("2"))
        sees(lambda: page.keyboard.type("oolong"))
        assert failed == []
        assert {url.split("/")[2] for url in asked} == {address.split("/")[2]}  # nothing from anywhere else
        assert context.request.get(address).status == 403
        folder = os.environ.get("NANOBOT_MEMORY_PICTURES")
        if folder:
            sleep(1.0)
            page.screenshot(path=Path(folder) / "web-search.png")
            page.keyboard.press("Escape")
            sees(lambda: page.keyboard.press("1"))
            page.screenshot(path=Path(folder) / "web-memories.png")
        browser.close()
