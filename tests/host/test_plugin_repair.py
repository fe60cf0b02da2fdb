"""What helps with a plugin that fails: no name of a stranger's is put behind ``pip install``."""

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
async def test_no_package_is_fetched_for_a_plugin_of_ones_own_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed_plugin, source: str
):
    installed_plugin("tide", source)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "tide")
    async with MemoryHost(tmp_path, config=MemoryConfig()) as memory:
        (finding,) = [one for one in await memory.diagnose() if one.subject == "plugin tide"]
    assert finding.health == "bad"
    assert "pip install" not in finding.hint
    assert "whoever wrote it" in finding.hint
    assert "memoryPlugins.tide.enabled" in finding.hint
