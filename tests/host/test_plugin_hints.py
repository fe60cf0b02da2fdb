"""The hints of ``doctor`` for a failing plugin never tell the user to install an unknown package."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

ASKS_FOR_MORE = """
    from nanobot_memory_plugins.core import hookimpl

    @hookimpl
    def on_message_received(txt):
        return None
"""


@pytest.mark.parametrize("source", [ASKS_FOR_MORE, "raise ImportError('no such thing')\n"])
async def test_the_hint_for_a_failing_plugin_suggests_no_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed_plugin, source: str
):
    installed_plugin("tide", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "tide")
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        (finding,) = [one for one in await memory.diagnose() if one.subject == "plugin tide"]
    assert finding.health == "bad"
    assert "pip install" not in finding.hint
    assert "tell its author" in finding.hint
    assert "memoryPlugins.tide.enabled" in finding.hint
