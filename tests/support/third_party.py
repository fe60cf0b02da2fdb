"""Plugins of third parties, installed for one test: a module and its entry point, found as pip's would be."""

import sys
import textwrap
from pathlib import Path

import pytest

GROUP = "nanobot_memory_plugins"


def install_plugin(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> None:
    """Put a distribution with one plugin module on the import path, until the test ends."""
    module = f"third_party_{name}"
    (folder / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {module}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, module, raising=False)
