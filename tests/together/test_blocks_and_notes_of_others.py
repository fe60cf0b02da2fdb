"""The block of a third-party plugin is below its title, and its unsearchable notes are not recalled."""

import shutil
from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost, Note, Query
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from tests.support.patient import patient_config
from tests.support.third_party import install_example

CONFIG = patient_config()


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
