"""Plugins are found through entry points, and a broken one costs only itself."""

import sys
import textwrap
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.host.plugins.discovery import DiscoveredPlugin, discover_plugins
from nanobot_memory_plugins.core.host.plugins.plugin_host import PluginHost
from tests.plugin_host.conftest import ACCEPT, arguments_for, make_context, texts

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


@pytest.mark.accept("PL-02", "PL-05")
async def test_twenty_lines_of_a_third_party_are_discovered_and_called(distributions, tmp_path):
    distributions.plugin(
        "diary",
        '''
        """Writes down what the user says."""

        from pydantic import BaseModel

        from nanobot_memory_plugins.core.hookspecs import hookimpl
        from nanobot_memory_plugins.core.values import Note


        class Options(BaseModel):
            prefix: str = "said:"


        @hookimpl
        async def on_message_received(text, context):
            return Note(f"{Options().prefix} {text}")
        ''',
    )
    found = discover()["diary"]
    assert (found.distribution, found.version, found.value) == ("diary", "1.2", f"{PREFIX}_diary")
    assert found.error == ""
    assert found.options_model is not None
    assert found.options_model().model_dump() == {"prefix": "said:"}

    host = PluginHost(time_limits={})
    assert host.register(found.name, found.plugin, make_context("diary", tmp_path, SystemClock())) == (
        "on_message_received",
    )
    answers = await host.call("on_message_received", arguments_for("on_message_received"), accept=ACCEPT)
    assert texts(answers) == [("diary", "said: remember the milk")]
    await host.close()


BROKEN = {
    "raises": "raise ValueError('hunter' + '2')",
    "exits": "import sys\nsys.exit('hunter' + '2')",
    "interrupts": "raise KeyboardInterrupt('hunter' + '2')",
    "generator_exit": "raise GeneratorExit",
    "own_base": "class Own(BaseException): ...\nraise Own('hunter' + '2')",
    "does_not_parse": "def (:",
    "lacks_a_module": "import no_such_module_anywhere",
    "recurses": "def f(): f()\nf()",
}


@pytest.mark.accept("PL-02")
@pytest.mark.parametrize("name", BROKEN)
def test_a_plugin_that_cannot_be_imported_costs_only_itself(distributions, name: str):
    distributions.plugin("a_good", "X = 1")
    distributions.plugin("broken", BROKEN[name])
    distributions.plugin("c_good", "X = 1")
    found = discover()
    assert list(found) == ["a_good", "broken", "c_good"]
    assert [one.plugin is not None for one in found.values()] == [True, False, True]
    error = found["broken"].error
    assert "hunter2" not in error
    assert f"{PREFIX}_broken.py:" in error


def test_the_error_names_type_place_and_the_missing_module(distributions):
    distributions.plugin("broken", "\n\nimport no_such_module_anywhere")
    distributions.add("absent", f"[{GROUP}]\nabsent = {PREFIX}_absent:thing\n")
    found = discover()
    assert found["broken"].error.startswith("ModuleNotFoundError (no module no_such_module_anywhere) at /")
    assert found["broken"].error.endswith(f"{PREFIX}_broken.py:3")
    assert found["absent"].error == (f"ModuleNotFoundError (no module {PREFIX}_absent) at {PREFIX}_absent:thing")


@pytest.mark.accept("PL-02")
def test_an_import_that_hangs_is_left_behind(distributions):
    distributions.plugin("hangs", "import threading\nthreading.Event().wait()")
    distributions.plugin("good", "X = 1")
    found = discover(only={"hangs", "good"}, import_seconds=0.2)
    assert found["hangs"].error == "its import takes longer than 0.2 s"
    assert found["good"].plugin is not None


def test_a_disabled_plugin_is_listed_and_not_imported(distributions):
    distributions.plugin("loud", "raise SystemExit")
    distributions.plugin("good", "X = 1")
    for options in ({"skip": {"loud"}}, {"only": {"good"}}, {"only": {"good", "loud"}, "skip": {"loud"}}):
        found = discover(**options)
        assert found["loud"] == DiscoveredPlugin("loud", f"{PREFIX}_loud", "loud", "1.2", None, None, "")
        assert found["good"].plugin is not None
        assert f"{PREFIX}_loud" not in sys.modules
    assert all(one.plugin is None and not one.error for one in discover_plugins(only=()))


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


def test_of_two_plugins_with_one_name_the_first_is_taken(distributions):
    distributions.plugin("same", "WHO = 'first'", distribution="first")
    distributions.plugin("same", "WHO = 'second'", distribution="second")
    mine = [one for one in discover_plugins() if one.name == "same"]
    assert [(one.distribution, one.plugin is not None, one.error) for one in mine] == [
        ("first", True, ""),
        ("second", False, "the name is taken by distribution first"),
    ]


def test_an_older_copy_of_the_same_distribution_is_not_a_second_plugin(distributions):
    distributions.plugin("same", "X = 1", distribution="twice")
    distributions.plugin("same", "X = 2", distribution="twice")
    assert len([one for one in discover_plugins() if one.name == "same"]) == 1


@pytest.mark.accept("PL-02")
def test_broken_metadata_costs_only_its_distribution(distributions):
    distributions.add("broken", f"[{GROUP}]\nthis line has no equals sign\n")
    distributions.plugin("good", "X = 1")
    assert discover()["good"].plugin is not None
