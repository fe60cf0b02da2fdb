"""A plugin that is one file, named in the configuration: run from elsewhere, and never from the workspace."""

import json
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, load_config

SOURCE = """
from nanobot_memory_plugins.core import ContextBlock, PluginOptions, hookimpl


class Options(PluginOptions):
    drink: str = "tea"


@hookimpl
def on_message_received(context, **_):
    return ContextBlock(text=f"Serve {context.options.drink}.")
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


async def test_it_is_called_with_its_options_like_any_other(tmp_path: Path):
    block, problems = await block_with(tmp_path, tmp_path / "mine" / "butler.py", butler={"drink": "coffee"})
    assert "Serve coffee." in block
    assert problems == []


async def test_it_is_switched_off_by_its_name(tmp_path: Path):
    block, problems = await block_with(tmp_path, tmp_path / "mine" / "butler.py", butler=False)
    assert (block, problems) == ("", [])


@pytest.fixture(autouse=True)
def alone(apart: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the file's plugin, and none of the set's."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "butler")


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """The workspace, and a link that leads into it."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "workspace")
    return [tmp_path / "workspace", tmp_path / "link"]


async def test_a_file_in_the_workspace_is_not_run_and_the_reason_is_named(tmp_path: Path, folders: list[Path]):
    for folder in folders:
        block, problems = await block_with(tmp_path, folder / "butler.py")
        assert block == ""
        assert any("stands in the workspace, where an agent can write" in one for one in problems)
