"""What helps with a plugin that fails: a part of this project is installed anew, a stranger's name is never fetched."""

import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.entry_points import repair_of

ASKS_FOR_MORE = """
    from nanobot_memory_plugins.core import hookimpl

    @hookimpl
    def on_message_received(txt):
        return None
"""


@pytest.mark.parametrize("source", [ASKS_FOR_MORE, "raise ImportError('no such thing')\n"])
async def test_no_package_is_fetched_for_a_plugin_of_ones_own_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed_plugin, source: str
):
    installed_plugin("tide", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "tide")
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        (finding,) = [one for one in await memory.diagnose() if one.subject == "plugin tide"]
    assert finding.health == "bad"
    assert "pip install" not in finding.hint
    assert "Whoever wrote" in finding.hint
    assert "memoryPlugins.tide.enabled" in finding.hint


def test_each_part_of_this_project_and_no_other_is_installed_anew():
    parts = Path("nanobot_memory_plugins").glob("*/pyproject.toml")
    names = {tomllib.loads(one.read_text(encoding="utf-8"))["project"]["name"] for one in parts}
    assert len(names) > 10
    assert all("pip install --force-reinstall" in repair_of(name) for name in names)
    assert "pip install" not in repair_of("nanobot-memory-tides")
