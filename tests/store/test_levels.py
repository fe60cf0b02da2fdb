"""What a search can do with parts missing or broken, and that it says so."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import apsw
import pytest

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.values import Level, Query
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.store.conftest import OpenStore
from tests.support.indexed_workspace import Workspace, entry, message, until

TEXT = "the staging database listens on port 6543"


def remember(workspace: Workspace) -> None:
    workspace.write("2026-02-16.md", entry(TEXT, "a1") + entry("we had soup for lunch", "a2"))
    workspace.write("sessions/cli.jsonl", message("天气不错", "m1"))


async def answers(store: SqliteStore) -> Level:
    """Check that the store finds what it should, and return the level at which it did."""
    result = await store.search(Query("port of the staging database"))
    assert result.hits[0].text == TEXT
    assert result.hits[0].path == "memory/2026-02-16.md"
    assert (await store.search(Query("天气"))).hits[0].text == "天气不错"
    return result.level


@pytest.mark.accept("V3-15")
@pytest.mark.parametrize(("allow_vec", "level"), [(True, Level.HYBRID), (False, Level.NUMPY)])
async def test_levels_0_and_1_search_by_vectors(
    workspace: Workspace, open_store: OpenStore, builtin_model: Path, allow_vec: bool, level: Level
):
    remember(workspace)
    store = await open_store(embedding_provider="fastembed", allow_vec=allow_vec)
    await store.flush()
    await store.vectors_complete(lambda status, report: None)
    assert await answers(store) == level
    assert store.status().level is level
    assert bool(store.status().reason) == (level is Level.NUMPY)
    (hit, *_) = (await store.search(Query("what did we eat?"))).hits
    assert "soup" in hit.text


@pytest.mark.accept("V3-15", "V5-08")
async def test_level_2_searches_by_words_and_makes_no_vectors(workspace: Workspace, open_store: OpenStore):
    remember(workspace)
    store = await open_store(embedding_provider="none")
    await store.flush()
    assert await answers(store) is Level.FULL_TEXT
    status = store.status()
    assert (status.level, status.vectors, status.pending_vectors) == (Level.FULL_TEXT, 0, 0)
    assert "turned off" in status.reason


@pytest.mark.accept("V3-15", "LR-07")
async def test_level_3_reads_the_files_and_says_so(workspace: Workspace, open_store: OpenStore):
    remember(workspace)
    store = await open_store(allow_fts5=False)
    await store.flush()
    assert await answers(store) is Level.MARKDOWN
    status = store.status()
    assert status.level is Level.MARKDOWN
    assert "FTS5" in status.reason
    assert status.hint
    workspace.append("sessions/cli.jsonl", message("a new thing was said", "m2"))
    assert (await store.search(Query("new thing"))).hits[0].text == "a new thing was said"


@pytest.mark.accept("V3-15")
async def test_no_index_is_made_where_none_is_asked_for(workspace: Workspace, open_store: OpenStore):
    remember(workspace)
    store = await open_store(backend="grep_only")
    await store.flush()
    assert await answers(store) is Level.MARKDOWN
    assert "grep_only" in store.status().reason
    assert not workspace.paths.index_folder.exists()
    with pytest.raises(StoreError, match="grep_only"):
        await store.rebuild()


@pytest.mark.accept("V3-03")
async def test_words_are_found_while_the_model_is_being_loaded(
    workspace: Workspace, open_store: OpenStore, builtin_model: Path
):
    remember(workspace)
    store = await open_store(embedding_provider="fastembed")
    assert await answers(store) in (Level.FULL_TEXT, Level.HYBRID)
    await store.vectors_complete(lambda status, report: None)
    await store.flush()
    assert await answers(store) is Level.HYBRID


BLOCKED = """
import asyncio, sys
from pathlib import Path

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in sys.argv[2].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Query

async def main():
    config = MemoryConfig.model_validate({"core": {"start_limit": 60}})
    async with MemoryHost(Path(sys.argv[1]), config=config) as memory:
        assert memory.store is not None
        await memory.flush_index()
        if hasattr(memory.store, "vectors_complete"):
            await memory.store.vectors_complete(lambda status, report: None)
        result = await memory.search(Query("port of the staging database"))
        status = memory.store.status()
        (said,) = [one.state for one in await memory.diagnose() if one.subject == "search level"]
        print(int(result.level), int(status.level), result.hits[0].text, status.reason, status.hint, said, sep="|")
asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.accept("V3-02", "V3-15")
@pytest.mark.parametrize(
    ("blocked", "level"),
    [
        ("fastembed,onnxruntime", Level.FULL_TEXT),
        ("sqlite_vec", Level.NUMPY),
        ("apsw", Level.MARKDOWN),
        ("numpy", Level.MARKDOWN),
        ("fastembed,sqlite_vec,apsw,numpy", Level.MARKDOWN),
    ],
)
def test_missing_packages_cost_only_what_they_bring(
    workspace: Workspace, builtin_model: Path, blocked: str, level: Level
):
    remember(workspace)
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED, str(workspace.path), blocked],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env=os.environ | {"NANOBOT_MEMORY_PLUGINS": "storage"},
    )
    assert ended.returncode == 0, ended.stderr
    searched, shown, text, reason, hint, said = ended.stdout.strip().splitlines()[-1].split("|")
    assert (int(searched), int(shown), text) == (level, level, TEXT)
    assert reason
    assert hint
    assert level is not Level.MARKDOWN or reason.endswith((" apsw cannot be imported.", " numpy cannot be imported."))
    assert said.startswith(f"{int(level)}: ")


async def test_a_locked_index_is_gone_around(workspace: Workspace, open_store: OpenStore):
    remember(workspace)
    first = await open_store()
    await first.flush()
    await first.close()
    holder = apsw.Connection(str(workspace.paths.database))
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("CREATE TABLE holds_the_lock (x)")
    try:
        store = await open_store()
        assert await answers(store) is Level.MARKDOWN
        assert store.status().reason
    finally:
        holder.close()


@pytest.mark.parametrize("moment", ["before", "while open"])
async def test_a_broken_index_is_put_aside_and_built_again(workspace: Workspace, open_store: OpenStore, moment: str):
    remember(workspace)
    store = await open_store()
    await store.flush()
    if moment == "before":
        await store.close()
    for suffix in ("-wal", "-shm"):
        workspace.paths.database.with_name(f"memory.db{suffix}").unlink(missing_ok=True)
    workspace.paths.database.unlink()
    workspace.paths.database.write_bytes(b"this is no database " * 500)
    if moment == "before":
        store = await open_store()
    assert await answers(store) in (Level.MARKDOWN, Level.FULL_TEXT)

    async def whole() -> bool:
        return (await store.refreshed_status()).documents == 3 and await answers(store) is Level.FULL_TEXT

    for _ in range(300):
        if await whole():
            break
        await asyncio.sleep(0.1)
    assert await whole()
    assert any("put aside" in finding.state for finding in await store.findings())


async def test_an_index_that_breaks_under_an_open_connection_is_gone_around_and_built_again(
    workspace: Workspace, open_store: OpenStore
):
    remember(workspace)
    store = await open_store()
    await store.flush()
    assert await answers(store) is Level.FULL_TEXT
    other = apsw.Connection(str(workspace.paths.database))
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    other.close()
    with workspace.paths.database.open("r+b") as file:
        file.write(b"\x5a" * os.fstat(file.fileno()).st_size)
    for _ in range(300):
        level = await answers(store)
        if level is Level.FULL_TEXT and (await store.refreshed_status()).documents == 3:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError("the index was not built again")
    assert any("put aside" in finding.state for finding in await store.findings())


async def test_an_index_that_vanishes_is_built_again(workspace: Workspace, open_store: OpenStore):
    remember(workspace)
    store = await open_store()
    await store.flush()
    for file in workspace.paths.index_folder.iterdir():
        file.unlink()
    await answers(store)
    assert until(lambda: workspace.paths.database.is_file())
    await store.flush()
    assert await answers(store) is Level.FULL_TEXT
    assert (await store.refreshed_status()).documents == 3


async def test_a_place_that_cannot_be_written_gets_a_temporary_index(workspace: Workspace, open_store: OpenStore):
    remember(workspace)
    workspace.paths.index_folder.write_text("a file where the folder should be", encoding="utf-8")
    store = await open_store()
    await store.flush()
    assert await answers(store) is Level.FULL_TEXT
    assert "temporary" in store.status().reason
    assert store.status().hint.startswith("`mv ")
    await store.close()
    assert workspace.paths.index_folder.is_file()


READ_ONLY = """
import asyncio, os, sys
from pathlib import Path
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.values import Query
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
import nanobot_memory_plugins.storage.search.searcher, loguru, sqlite_vec
from nanobot_memory_plugins.search.segmentation import segment
segment('warm up 天气')
if os.geteuid() == 0:
    os.seteuid(65534)
async def main():
    options = StorageOptions.model_validate({"embedding_provider": "none"})
    store = await SqliteStore.open(Path(sys.argv[1]), options, SystemClock())
    await store.flush()
    result = await store.search(Query("port of the staging database"))
    print(int(result.level), result.hits[0].text, store.status().reason, sep="|")
    await store.close()
asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no users of POSIX")
def test_a_read_only_workspace_is_searched():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to other users
        Path(folder).chmod(0o755)
        shown = Workspace(Path(folder) / "workspace")
        remember(shown)
        for path in (shown.path, shown.paths.memory):
            path.chmod(0o555)
        try:
            ended = subprocess.run(
                [sys.executable, "-c", READ_ONLY, str(shown.path)],
                capture_output=True,
                encoding="utf-8",
                timeout=60,
                check=False,
            )
        finally:
            for path in (shown.path, shown.paths.memory):
                path.chmod(0o755)
    assert ended.returncode == 0, ended.stderr
    level, text, reason = ended.stdout.strip().split("|")
    assert (int(level), text) == (Level.FULL_TEXT, TEXT)
    assert "cannot be written" in reason
