"""Fixtures for tests of plugins, stores and hosts, where pytest and this distribution are installed.

pytest finds them by its entry point. Nothing is imported until a test asks for one.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core.errors import InputError

try:
    import pytest
except ModuleNotFoundError:
    raise InputError(
        "The fixtures need pytest, which is not installed.",
        hint="pip install pytest, or use nanobot_memory_plugins.core.testing, which does without it.",
    ) from None

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import ManualClock
    from nanobot_memory_plugins.core.context import PluginContext
    from nanobot_memory_plugins.core.testing import MemoryWorkspace, ScriptedServer

pytest.register_assert_rewrite("nanobot_memory_plugins.core.testing.store_contract")


@pytest.fixture
def memory_workspace(tmp_path: Path) -> "MemoryWorkspace":
    """Return an empty workspace of an agent."""
    from nanobot_memory_plugins.core.testing import MemoryWorkspace

    workspace = MemoryWorkspace(tmp_path / "workspace")
    workspace.paths.memory.mkdir(parents=True)
    return workspace


@pytest.fixture
def manual_clock() -> "ManualClock":
    """Return a clock that stands at the beginning of 2026, in UTC, until the test moves it."""
    from nanobot_memory_plugins.core.clock import ManualClock
    from nanobot_memory_plugins.core.testing.contexts import START

    return ManualClock(START)


@pytest.fixture
def plugin_context(
    memory_workspace: "MemoryWorkspace", manual_clock: "ManualClock"
) -> "Callable[..., PluginContext[Any]]":
    """Return what makes contexts with the test's workspace and clock; its first argument is the plugin's options."""
    from nanobot_memory_plugins.core.testing import plugin_context

    def make(options: Any = None, **parts: Any) -> "PluginContext[Any]":
        given: dict[str, Any] = {"workspace": memory_workspace.path, "clock": manual_clock, **parts}
        return plugin_context(options, **given)

    return make


@pytest.fixture
def run_hook(plugin_context: "Callable[..., PluginContext[Any]]") -> Callable[..., list[Any]]:
    """Return what calls one hook of a plugin; ``options=`` are the plugin's, ``context=`` is a whole context."""
    from nanobot_memory_plugins.core.testing import run_hook
    from nanobot_memory_plugins.core.testing.contexts import default_options

    def run(plugin: object, hook: str, /, *, options: Any = None, **arguments: Any) -> list[Any]:
        context = arguments.pop("context", None)
        context = context or plugin_context(default_options(plugin) if options is None else options)
        return run_hook(plugin, hook, context=context, **arguments)

    return run


@pytest.fixture
def scripted_model() -> "Iterator[ScriptedServer]":
    """Serve a model on 127.0.0.1: ``rules`` and ``default`` are its script, ``complete`` asks it."""
    from nanobot_memory_plugins.core.testing import ScriptedServer

    with ScriptedServer() as server:
        yield server


@pytest.fixture
def installed_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return what installs a plugin, by its name and the source of its module, until the test ends."""
    from nanobot_memory_plugins.core.testing import install_plugin

    def install(name: str, source: str) -> None:
        folder = tmp_path / f"site-{name}"
        folder.mkdir()
        install_plugin(folder, monkeypatch, name, source)

    return install
