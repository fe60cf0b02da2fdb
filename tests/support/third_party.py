"""Installs the examples for a test, so that they are found as if by pip."""

import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.redaction.installed_rules import default_redactor, installed_rules

EXAMPLES = Path(__file__).parents[2] / "examples"


def install_example(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Put an example on the import path, with the entry points of its pyproject.toml."""
    source = EXAMPLES / name
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copy(source / f"{name}.py", folder)
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{point} = {value}" for point, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)


def forget_installed_rules() -> None:
    """Have redaction rules looked up again."""
    installed_rules.cache_clear()
    default_redactor.cache_clear()
