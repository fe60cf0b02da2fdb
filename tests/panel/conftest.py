"""A made-up workspace, and a panel that tests drive with keys."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.values.entries import Entry
from release.pages.picture_workspace import make_workspace
from tests.behaviour.kit import panel as kit


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Load only what the panel shows: no host, no embedding model."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TZ", "UTC")
    (tmp_path / "home").mkdir()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.json"
    file.write_text(
        json.dumps({"channels": {"memoryPlugins": {"storage": {"embeddingProvider": "none"}}, "x": 1}}, indent=4),
        encoding="utf-8",
    )
    return file


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def made_workspace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ManualClock]:
    """The made-up workspace, filled once for all tests, and the clock at its end."""
    folder = tmp_path_factory.mktemp("made") / "workspace"
    folder.mkdir()
    return folder, make_workspace(folder)


@pytest.fixture
def clock(made_workspace: tuple[Path, ManualClock], workspace: Path) -> ManualClock:
    """A copy of the made-up workspace for each test, and the clock at its end."""
    folder, clock = made_workspace
    shutil.copytree(folder, workspace, dirs_exist_ok=True, symlinks=True)
    return ManualClock(clock.now())


class Driven(kit.Driven):
    """A panel with its views and its entries."""

    @property
    def entry(self) -> Entry:
        """The entry under the cursor."""
        found = self.app.views["memories"].current
        assert isinstance(found, Entry)
        return found

    async def go_to(self, words: str) -> Entry:
        """Put the cursor on the entry that contains these words."""
        view = self.app.views["memories"]
        view.table.move_cursor(row=next(number for number, entry in enumerate(view.rows) if words in entry.content))
        await self.pilot.pause()
        return self.entry


@asynccontextmanager
async def driven(
    workspace: Path, config: Path | None, clock: ManualClock | None = None, **more: Any
) -> AsyncIterator[Driven]:
    async with kit.panel_of(workspace, config, clock, kind=Driven, **{"size": (80, 24), **more}) as panel:
        yield panel


@pytest.fixture
def repository(workspace: Path, clock: ManualClock) -> EntryRepository:
    """The entries as an agent in another process sees them."""
    return EntryRepository(workspace, clock=clock)
