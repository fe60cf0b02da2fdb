"""Plugins are found through entry points, and a broken one costs only itself."""

import sys
import textwrap
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.host.plugins.discovery import DiscoveredPlugin, discover_plugins

GROUP = "nanobot_memory_plugins"
PREFIX = "throwaway_plugin"


class Distributions:
    """Throw-away distributions, each in a folder of its own on the path."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.monkeypatch = monkeypatch

    def add(self, distribution: str, entry_points: str, **modules: str) -> None:
        folder = self.root / f"{distribution}-{len(list(self.root.iterdir()))}"
        info = folder / f"{distribution}-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))
        for name, source in modules.items():
            (folder / f"{PREFIX}_{name}.py").write_text(textwrap.dedent(source))
        self.monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])

    def plugin(self, name: str, source: str, distribution: str = "") -> None:
        self.add(distribution or name, f"[{GROUP}]\n{name} = {PREFIX}_{name}\n", **{name: source})


@pytest.fixture
def distributions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    yield Distributions(tmp_path, monkeypatch)
    for name in [name for name in sys.modules if name.startswith(PREFIX)]:
        del sys.modules[name]


def discover(**options) -> dict[str, DiscoveredPlugin]:
    """Return the plugins of this test alone, whatever is installed besides."""
    found = [one for one in discover_plugins(**options) if PREFIX in one.value]
    return {one.name: one for one in found}


@pytest.mark.accept("PL-02")
def test_an_import_that_hangs_is_left_behind(distributions):
    distributions.plugin("hangs", "import threading\nthreading.Event().wait()")
    distributions.plugin("good", "X = 1")
    found = discover(only={"hangs", "good"}, import_seconds=0.2)
    assert found["hangs"].error == "its import takes longer than 0.2 s"
    assert found["good"].plugin is not None


@pytest.mark.accept("PL-02")
def test_broken_metadata_costs_only_its_distribution(distributions):
    distributions.add("broken", f"[{GROUP}]\nthis line has no equals sign\n")
    distributions.plugin("good", "X = 1")
    assert discover()["good"].plugin is not None
