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


def test_an_entry_point_may_name_an_object_or_a_class(distributions):
    distributions.add(
        "objects",
        f"""
        [{GROUP}]
        instance = {PREFIX}_objects:instance
        klass = {PREFIX}_objects:Plugin
        needy = {PREFIX}_objects:Needy
        nothing = {PREFIX}_objects:nothing
        odd_options = {PREFIX}_objects:OddOptions
        """,
        objects="""
        from pydantic import BaseModel
        class Plugin:
            class Options(BaseModel):
                size: int = 3
        class Needy:
            def __init__(self, argument): ...
        class OddOptions:
            Options = {"not": "a model"}
        instance = Plugin()
        nothing = None
        """,
    )
    found = discover()
    assert type(found["instance"].plugin).__name__ == "Plugin"
    assert type(found["klass"].plugin).__name__ == "Plugin"
    assert found["klass"].plugin is not found["instance"].plugin
    for name in ("instance", "klass"):
        assert found[name].options_model is not None
        assert found[name].options_model().model_dump() == {"size": 3}
    assert found["needy"].error.startswith("TypeError at ")
    assert found["nothing"].error == "it names nothing but None"
    assert found["odd_options"].plugin is not None
    assert found["odd_options"].options_model is None


def test_an_older_copy_of_the_same_distribution_is_not_a_second_plugin(distributions):
    distributions.plugin("same", "X = 1", distribution="twice")
    distributions.plugin("same", "X = 2", distribution="twice")
    assert len([one for one in discover_plugins() if one.name == "same"]) == 1


@pytest.mark.accept("PL-02")
def test_broken_metadata_costs_only_its_distribution(distributions):
    distributions.add("broken", f"[{GROUP}]\nthis line has no equals sign\n")
    distributions.plugin("good", "X = 1")
    assert discover()["good"].plugin is not None
