"""What the tests of import and export share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.transfer.importers import chosen_importer
from nanobot_memory_plugins.core.transfer.importing import import_from
from nanobot_memory_plugins.core.transfer.run import ImportReport

Take = Callable[..., ImportReport]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    return folder


@pytest.fixture
def take(workspace: Path) -> Take:
    """Import a source into the workspace, as the command does."""

    def import_it(source: Path, name: str = "", **settings) -> ImportReport:
        format_, importer = chosen_importer(name, source)
        return import_from(importer, format_, source, workspace, **settings)

    return import_it
