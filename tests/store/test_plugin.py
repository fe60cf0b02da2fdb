"""The storage plugin inside a host."""

from pathlib import Path

import apsw
import pytest
from pydantic import ValidationError

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.core.values.diagnosis import Health
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.support.indexed_workspace import Workspace, entry


@pytest.fixture(autouse=True)
def only_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage")


def config(**options: object) -> MemoryConfig:
    storage = {"embedding_provider": "none", **options}
    return MemoryConfig.model_validate({"core": {"start_limit": 60}, "plugins": {"storage": storage}})


async def test_a_host_gets_its_store_from_the_plugin(workspace: Workspace):
    workspace.write("2026-02-16.md", entry("the port is 6543", "a1"))
    async with MemoryHost(workspace.path, config=config()) as memory:
        assert isinstance(memory.store, SqliteStore)
        await memory.flush_index()
        assert (await memory.search(Query("port"))).hits[0].text == "the port is 6543"


async def test_the_doctor_learns_of_engine_level_model_and_index(workspace: Workspace):
    workspace.write("2026-02-16.md", entry("the port is 6543", "a1"))
    async with MemoryHost(workspace.path, config=config()) as memory:
        await memory.flush_index()
        found = {finding.subject: finding for finding in await memory.diagnose()}
    assert found["SQLite"].health is Health.GOOD
    assert "apsw" in found["SQLite"].state
    assert found["search level"].state.startswith("2: full text only")
    assert found["search level"].health is Health.GOOD, "as the configuration asks for"
    assert found["index"].state.startswith("passages: 1, files: 1")
    assert "turned off" in found["embedding model"].state
    assert all(finding.hint for finding in found.values() if finding.health is Health.BAD)


async def test_the_doctor_puts_a_damaged_full_text_index_aside_and_says_so(workspace: Workspace):
    workspace.write("2026-02-16.md", entry("the port is 6543", "a1"))
    async with MemoryHost(workspace.path, config=config()) as memory:
        await memory.flush_index()
        other = apsw.Connection(str(workspace.paths.database))
        other.execute("INSERT INTO docs_fts (docs_fts) VALUES ('delete-all')")
        other.close()
        (found,) = [finding for finding in await memory.diagnose() if finding.subject == "quarantine"]
        assert found.health is Health.DEGRADED
        assert found.hint
        await memory.flush_index()
        assert (await memory.search(Query("port"))).hits[0].text == "the port is 6543"


async def test_legacy_memory_is_there_after_the_first_start(tmp_path: Path):
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n## User\nLikes tea.\n", encoding="utf-8")
    async with MemoryHost(tmp_path, config=config()) as memory:
        await memory.flush_index()
        assert (await memory.search(Query("tea"))).hits[0].path == "memory/MEMORY.md"
    assert (tmp_path / ".migrated_to_v5").is_file()


def test_the_flat_names_win_over_the_nested_ones_when_they_are_set():
    nested = {"embedding": {"model": "english", "provider": "openai", "batchSize": 4}}
    assert StorageOptions.model_validate(nested).embedding_options().model == "english"
    both = StorageOptions.model_validate({**nested, "embeddingModel": "chinese"}).embedding_options()
    assert (both.model, both.provider, both.batch_size) == ("chinese", "openai", 4)
    assert StorageOptions.model_validate({}).embedding_options().model == "multilingual"


@pytest.mark.parametrize("name", ["chunk_max_tokens", "chunkMaxTokens"])
def test_both_spellings_are_read(name: str):
    assert StorageOptions.model_validate({name: 512}).chunk_max_tokens == 512
    with pytest.raises(ValidationError):
        StorageOptions.model_validate({name: -1})
