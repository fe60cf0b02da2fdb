"""An importer of another distribution that fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import PluginError
from nanobot_memory_plugins.core.transfer import Item
from nanobot_memory_plugins.core.transfer.importing import import_from


def test_it_is_named_and_tells_no_secret(tmp_path: Path):
    class Failing:
        label = "a log that ends badly"

        def recognises(self, source: Path) -> bool:
            return True

        def read(self, source: Path, workspace: Path) -> Iterator[Item]:
            yield from ()
            raise KeyError("password=hunter2")

    source = tmp_path / "log.tides"
    source.write_text("2026-03-02 high at 11:40\n")
    with pytest.raises(PluginError, match=r"The importer tides failed with KeyError\. What it had read") as raised:
        import_from(Failing(), "tides", source, tmp_path / "mine")
    assert "hunter2" not in str(raised.value)
