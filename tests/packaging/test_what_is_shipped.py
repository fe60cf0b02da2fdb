"""A wheel contains every file of its distribution's folder: code, templates, weights and types."""

import subprocess
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent for path in ROOT.glob("nanobot_memory_plugins/*/pyproject.toml"))
# Files for building only. The licence is part of the metadata.
_FOR_BUILDING = {"LICENSE", "README.md", "pyproject.toml"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_wheel_holds_every_file_of_its_folder(folder):
    listed = subprocess.run(["git", "ls-files", "."], cwd=folder, capture_output=True, text=True, check=True)
    names = set(listed.stdout.splitlines()) - _FOR_BUILDING
    shipped = {file.relative_path for file in WheelBuilder(str(folder)).recurse_included_files()}
    assert names <= shipped
    assert not shipped & _FOR_BUILDING
