"""What plugins and hosts import comes from one place, and costs nobody what they do not use."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from nanobot_memory_plugins import core
from tests.docs.pages import ENTRY_POINTS, ROOT
from tests.support.each import each

INIT = ROOT / "nanobot_memory_plugins" / "core" / "__init__.py"
FROM_ELSEWHERE = re.compile(r"^\s*(?:from|import) nanobot_memory_plugins\.(?!core import |hosts\.)\S+", re.MULTILINE)


def test_type_checkers_read_the_names_that_are_there():
    tree = ast.parse(INIT.read_text(encoding="utf-8"))
    read = {
        alias.name: str(node.module).removeprefix("nanobot_memory_plugins.")
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert read == core._MODULE_OF
    assert sorted(core.__all__) == sorted(read)
    assert [name for name in core.__all__ if getattr(core, name).__class__ is type(core)] == []  # no module
    assert set(core.__all__) <= set(dir(core))


@each("room", ["cli", "erasure", "host", "scopes", "text"])
def test_a_room_offers_the_names_that_type_checkers_read(room: str):
    package = importlib.import_module(f"nanobot_memory_plugins.core.{room}")
    tree = ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))
    read = {
        alias.name: str(node.module)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(package.__all__) == sorted(read)
    for name, module in read.items():
        assert getattr(package, name) is getattr(importlib.import_module(module), name)
        assert not isinstance(getattr(package, name), ModuleType)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        package.no_such_name  # noqa: B018


def test_the_page_and_the_examples_import_from_one_place():
    texts = re.findall(r"```python\n(.*?)```", ENTRY_POINTS.read_text(encoding="utf-8"), re.DOTALL)
    texts += [file.read_text(encoding="utf-8") for file in sorted((ROOT / "examples").rglob("*.py"))]
    assert len(texts) > 15
    assert [found for text in texts for found in FROM_ELSEWHERE.findall(text)] == []


def test_a_name_is_loaded_when_it_is_used(tmp_path: Path):
    program = (
        "import sys, nanobot_memory_plugins.core as core\n"
        "print([name for name in ('pydantic', 'pluggy') if name in sys.modules])\n"
        "core.Note\n"
        "print('nanobot_memory_plugins.core.host.memory_host' in sys.modules)\n"
        "print(core.MemoryHost.__name__, hasattr(core, 'NoSuchName'))\n"
    )
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    assert said.stdout.splitlines() == ["[]", "False", "MemoryHost False"]
