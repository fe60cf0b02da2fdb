"""What a third party's plugin says stands below its title, and what it counts is not recalled."""

import shutil
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Query
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.testing import install_plugin
from tests.support.third_party import install_example

CONFIG = MemoryConfig.model_validate(
    {
        "core": {"message_limit": 30},
        "plugins": {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 20}},
    }
)
COFFEE = """
    from nanobot_memory_plugins.core import ContextBlock, hookimpl

    @hookimpl
    def on_message_received(text, **_):
        return ContextBlock(text="- The user drinks {text}.", title={title!r})
"""


async def block_for(workspace: Path, text: str) -> list[str]:
    async with MemoryHost(workspace, config=CONFIG) as memory:
        await memory.message_received(session_key="cli:one", text="Our staging database listens on port 5433.")
        await memory.flush_index()
        block = (await memory.message_received(session_key="cli:two", text=text)).block
    assert block is not None
    return block.splitlines()[1:-1]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def one(name: str, source: str) -> None:
        (tmp_path / name).mkdir()
        install_plugin(tmp_path / name, monkeypatch, name, source)

    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,coffee")
    return one


async def test_the_title_of_a_block_stands_above_it_beside_the_memories_of_a_file(install, tmp_path: Path):
    install("coffee", COFFEE.format(text="coffee", title="coffee plugin\n- of today"))
    lines = await block_for(tmp_path / "workspace", "Do you remember the staging database port?")
    below = lines.index("coffee plugin - of today")
    assert lines[below + 1] == "- The user drinks coffee."
    assert any("port 5433" in line for line in lines)


async def found(memory: MemoryHost) -> list[str]:
    await memory.flush_index()
    return [hit.text for hit in (await memory.search(Query("cups of espresso"))).hits]


@pytest.mark.parametrize("store", ["storage", "shelf"])
async def test_a_note_that_is_not_searchable_stays_in_its_file_and_is_never_found(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    workspace = tmp_path / "workspace"
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", store)
    config = CONFIG.model_copy(update={"plugins": {**CONFIG.plugins, "shelf": {"file": str(tmp_path / "shelf.db")}}})
    if store == "shelf":
        (tmp_path / "site").mkdir()
        install_example(tmp_path / "site", monkeypatch, "shelf_store")
    async with MemoryHost(workspace, config=config) as memory:
        hidden = await memory.keep(Note("12 cups of espresso today", details="a counter", searchable=False))
        await memory.keep(Note("The espresso cups are blue"))
        assert hidden.path is not None
        assert await found(memory) == ["The espresso cups are blue"]
    notes = [one for one in parse_notes(hidden.path.read_bytes()) if isinstance(one, NoteEntry)]
    assert [(one.tldr, one.searchable) for one in notes] == [
        ("12 cups of espresso today", False),
        ("The espresso cups are blue", True),
    ]
    shutil.rmtree(workspace / ".storage", ignore_errors=True)
    (tmp_path / "shelf.db").unlink(missing_ok=True)
    async with MemoryHost(workspace, config=config) as memory:
        assert await found(memory) == ["The espresso cups are blue"]
