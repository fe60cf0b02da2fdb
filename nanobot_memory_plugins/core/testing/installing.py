"""Plugins of third parties, installed for one test: a module and its entry point, found as pip's would be."""

import sys
import textwrap
from pathlib import Path
from typing import Any, Protocol

from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP


class Patch(Protocol):
    """What undoes changes at the end of a test: pytest's ``monkeypatch``, or anything like it."""

    def syspath_prepend(self, path: Any) -> None:
        """Put a folder before all others that are searched for modules."""
        ...

    def delitem(self, dic: Any, name: Any, raising: bool = True) -> None:
        """Take an item out of a mapping."""
        ...


def install_plugin(folder: Path, monkeypatch: Patch, name: str, source: str, *, attribute: str = "") -> None:
    """Put a distribution with one plugin module on the import path, until the test ends.

    The entry point names the module, or an ``attribute`` of it.
    """
    module = f"third_party_{name}"
    (folder / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    value = f"{module}:{attribute}" if attribute else module
    (info / "entry_points.txt").write_text(f"[{PLUGIN_GROUP}]\n{name} = {value}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, module, raising=False)
