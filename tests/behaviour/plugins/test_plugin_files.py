"""Plugins that are single files, named in the configuration, and never loaded from the workspace."""

import json
import sys
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, load_config

SOURCE = """
from nanobot_memory_plugins.core import ContextBlock, PluginOptions, hookimpl


class Options(PluginOptions):
    drink: str = "tea"


@hookimpl
def on_message_received(context, **_):
    return ContextBlock(text=f"Serve {context.options.drink}.")
"""

TYPED = """
from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from nanobot_memory_plugins.core import ContextBlock, hookimpl


class Options(BaseModel):
    cups: list[Cup] = []


class Cup(BaseModel):
    of: str = "tea"


@dataclass
class Order:
    what: str


@hookimpl
def on_message_received(context, **_):
    return ContextBlock(Order(f"Serve {context.options.cups[0].of}.").what)
"""


def configured(tmp_path: Path, file: Path, options: dict[str, object]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SOURCE, encoding="utf-8")
    raw = {"memoryPlugins": {"core": {"pluginFiles": [str(file)], "messageLimit": 60}, **options}}
    (tmp_path / "config.json").write_text(json.dumps(raw), encoding="utf-8")
    return tmp_path / "config.json"


async def block_with(tmp_path: Path, file: Path, **options: object) -> tuple[str, list[str]]:
    async with MemoryHost(tmp_path / "workspace", config=load_config(configured(tmp_path, file, options))) as memory:
        block = (await memory.message_received(session_key="a", text="What shall I serve?")).block or ""
        return block, [str(one.message) for one in memory.plugins.problems]


async def test_a_plugin_file_is_called_with_its_options(tmp_path: Path):
    block, problems = await block_with(tmp_path, tmp_path / "mine" / "butler.py", butler={"drink": "coffee"})
    assert "Serve coffee." in block
    assert problems == []


async def test_a_plugin_file_is_disabled_by_its_name(tmp_path: Path):
    block, problems = await block_with(tmp_path, tmp_path / "mine" / "butler.py", butler=False)
    assert (block, problems) == ("", [])


async def test_a_plugin_file_may_have_postponed_annotations_and_a_path_object(tmp_path: Path):
    file = tmp_path / "butler.py"
    file.write_text(TYPED, encoding="utf-8")
    config = MemoryConfig(
        core={"pluginFiles": [file], "messageLimit": 60}, plugins={"butler": {"cups": [{"of": "mocha"}]}}
    )
    async with MemoryHost(tmp_path / "workspace", config=config) as memory:
        assert memory.plugins.problems == []
        assert "Serve mocha." in ((await memory.message_received(session_key="a", text="What now?")).block or "")


async def test_plugin_files_are_called_before_installed_plugins_and_those_from_z_to_a(
    tmp_path: Path, install, monkeypatch
):
    first = SOURCE.replace("@hookimpl", "@hookimpl(tryfirst=True)")
    for name, source in (("able", first), ("zeal", first), ("alpha", SOURCE), ("zulu", SOURCE)):
        install(name, source, alone=True)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "able,zeal,alpha,zulu,butler,maid")
    files = [tmp_path / "butler.py", tmp_path / "maid.py"]
    for file, source in zip(files, (first, SOURCE), strict=True):
        file.write_text(source, encoding="utf-8")
    async with MemoryHost(tmp_path / "workspace", config=MemoryConfig(core={"plugin_files": files})) as memory:
        order = memory.plugins.plugins_with("on_message_received")
    assert order == ("butler", "zeal", "able", "maid", "zulu", "alpha")


async def test_a_plugin_file_that_raises_leaves_no_module_behind(tmp_path: Path):
    file = tmp_path / "butler.py"
    file.write_text("1 / 0", encoding="utf-8")
    async with MemoryHost(tmp_path / "workspace", config=MemoryConfig(core={"plugin_files": [str(file)]})) as memory:
        assert "ZeroDivisionError" in memory.plugins.load_errors["butler"]
    assert [name for name in sys.modules if name.endswith("butler")] == []


@pytest.fixture(autouse=True)
def alone(apart: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load only the plugin of the file."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "butler")


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """The workspace, and a link into it."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "workspace")
    return [tmp_path / "workspace", tmp_path / "link"]


async def test_a_plugin_file_in_the_workspace_is_refused_with_the_reason(tmp_path: Path, folders: list[Path]):
    for folder in folders:
        block, problems = await block_with(tmp_path, folder / "butler.py")
        assert block == ""
        assert any("is in the workspace, where an agent can write" in one for one in problems)
