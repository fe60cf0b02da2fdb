"""A broken entry point does not affect other plugins."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.host.discovery import discover_plugins


@pytest.mark.accept("PL-02")
def test_hanging_imports_and_broken_metadata_do_not_affect_other_plugins(
    installed_plugin: Callable[[str, str], None], tmp_path: Path
):
    installed_plugin("import_hangs", "import threading\nthreading.Event().wait()")
    installed_plugin("broken", "X = 1")
    installed_plugin("good", "X = 1")
    (metadata,) = (tmp_path / "site-broken").glob("*/entry_points.txt")
    metadata.write_text("[nanobot_memory_plugins]\nthis line has no equals sign\n", encoding="utf-8")
    names = {"import_hangs", "broken", "good"}
    found = {one.name: one for one in discover_plugins(should_load=names.__contains__, import_seconds=0.2)}
    assert found["import_hangs"].error == "its import takes longer than 0.2 s"
    assert found["good"].plugin is not None
