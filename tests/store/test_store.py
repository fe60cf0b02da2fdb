"""The store: it finds what was kept, whoever indexes it, and says how it stands."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.core.protocols import Store
from nanobot_memory_plugins.core.values import Level, Query, Scope
from nanobot_memory_plugins.storage.store import SqliteStore
from tests.store.conftest import OpenStore
from tests.support.indexed_workspace import Workspace, entry, message, until
from tests.support.loop_lag import loop_lags


async def found(store: SqliteStore, text: str, **query: object) -> list[str]:
    return [hit.text for hit in (await store.search(Query(text, **query))).hits]  # type: ignore[arg-type]


def our_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("nanobot-memory")]


async def test_it_is_a_store(open_store: OpenStore):
    assert isinstance(await open_store(), Store)


async def test_what_was_flushed_is_found_with_its_place(workspace: Workspace, open_store: OpenStore):
    store = await open_store()
    file = workspace.write("2026-02-16.md", entry("chose helix", "a1") + entry("the port is 6543", "a2"))
    store.notify(file)
    await store.flush()
    hit = (await store.search(Query("port"))).hits[0]
    assert (hit.path, hit.text) == ("memory/2026-02-16.md", "the port is 6543")
    assert file.read_text().splitlines()[hit.line - 1].startswith("###")
    assert await store.read(hit.id) is not None
    assert await store.read("memory/none.md#x") is None
    status = store.status()
    assert (status.documents, status.files, status.pending_bytes) == (2, 1, 0)
    assert status.indexing_here


async def test_what_is_not_indexed_yet_is_found_all_the_same(workspace: Workspace, open_store: OpenStore):
    other = workspace.indexer()  # owns the index, and does not watch
    try:
        other.barrier().result(30)
        store = await open_store()
        workspace.write("sessions/cli.jsonl", message("the cabin key is under the mat"))
        result = await store.search(Query("cabin key"))
        assert [hit.text for hit in result.hits] == ["the cabin key is under the mat"]
        assert not store.status().indexing_here
    finally:
        other.stop()


async def test_a_spilled_record_is_found_before_it_is_merged(workspace: Workspace, open_store: OpenStore):
    line = message("said while the file was locked")
    head = b'{"file": "memory/sessions/cli.jsonl", "bytes": %d}\n' % len(line)
    spill = workspace.write(".spill/1-ab.spill", head + line)
    store = await open_store()
    await store.flush()
    assert await found(store, "file locked") == ["said while the file was locked"]
    workspace.write("sessions/cli.jsonl", line)
    spill.unlink()
    await store.flush()
    assert await found(store, "file locked") == ["said while the file was locked"]


async def test_flush_waits_for_the_process_that_owns_the_index(workspace: Workspace, open_store: OpenStore):
    owner = workspace.indexer(watch=True)
    try:
        assert until(lambda: owner.state.owning)
        store = await open_store()
        for number in range(2):
            workspace.append("2026-02-16.md", entry(f"note {number}", f"a{number}"))
            await asyncio.wait_for(store.flush(), 30)
            assert (await store.refreshed_status()).documents == number + 1
        (workspace.paths.memory / "2026-02-16.md").unlink()
        await asyncio.wait_for(store.flush(), 30)
        assert (await store.refreshed_status()).documents == 0
    finally:
        owner.stop()


async def test_flush_takes_over_when_the_owner_dies(workspace: Workspace, open_store: OpenStore):
    program = (
        "import sys, time; from pathlib import Path\n"
        "from nanobot_memory_plugins.search.indexer.ownership import Ownership\n"
        "lock = Ownership(Path(sys.argv[1])); assert lock.try_acquire(); print('owning', flush=True); time.sleep(600)"
    )
    lock = workspace.paths.index_folder / "indexer.lock"
    owner = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(lock), stdout=subprocess.PIPE)
    try:
        assert owner.stdout is not None
        assert await owner.stdout.readline() == b"owning\n"
        store = await open_store()
        workspace.write("notes.md", "## A\nfirst\n")
        flushing = asyncio.ensure_future(store.flush())
        await asyncio.wait({flushing}, timeout=0.5)
        assert not flushing.done()
    finally:
        os.kill(owner.pid, signal.SIGKILL)
        await owner.wait()
    await asyncio.wait_for(flushing, 30)
    assert store.status().documents == 1


@pytest.mark.accept("V5-07")
async def test_vectors_of_another_process_are_found_within_their_time(
    workspace: Workspace, open_store: OpenStore, builtin_model: Path
):
    owner = await open_store(embedding_provider="fastembed")
    workspace.write("2026-02-16.md", entry("we had soup for lunch", "a1"))
    await owner.flush()
    await owner.vectors_complete(lambda status, report: None)
    other = await open_store(embedding_provider="fastembed", vector_refresh_ttl=1)
    await other.model_ready()
    assert not other.status().indexing_here
    (before, *_) = (await other.search(Query("what did we eat?"))).hits
    assert before.text == "we had soup for lunch"

    workspace.append("2026-02-16.md", entry("the car was repaired on Monday", "a2"))
    await owner.flush()
    await owner.vectors_complete(lambda status, report: None)
    (after, *_) = (await other.search(Query("when did the mechanic fix our vehicle?"))).hits
    assert after.text == "the car was repaired on Monday"
    assert after.similarity is not None


@pytest.mark.accept("NC-01")
async def test_an_index_that_was_deleted_is_rebuilt_from_the_files_and_finds_the_same(
    workspace: Workspace, open_store: OpenStore
):
    workspace.write(
        "MEMORY.md", "# Memory\n\n## Active Memories\n\n### [e1] fact | 0.80 | 2026-02-16 | 1\nLives in Bern.\n"
    )
    workspace.write("projects/alpha.md", "# Alpha\n\n## Goal\nShip alpha in Bern.\n\n## Team\nAnn, Bo and Cy.\n")
    store = await open_store()
    for number in range(40):  # grows entry by entry, as it does in life
        workspace.append("2026-02-16.md", entry(f"alpha note {number} of Bern", f"a{number}"))
        store.notify(workspace.append("sessions/cli.jsonl", message(f"Ann says {number} about alpha", f"m{number}")))
        if number % 10 == 0:
            await store.flush()
    await store.flush()
    queries = [Query(text, limit=20) for text in ("Bern", "alpha note 7", "who is Ann", "team", "ship the goal")]
    before = [(await store.search(query)).hits for query in queries]
    assert all(before)
    await store.close()
    for file in workspace.paths.index_folder.glob("memory.db*"):
        file.unlink()
    again = await open_store()
    await again.flush()
    assert [(await again.search(query)).hits for query in queries] == before


async def test_rebuilding_while_another_process_owns_the_index(workspace: Workspace, open_store: OpenStore):
    workspace.write("2026-02-16.md", entry("one", "a1") + entry("two", "a2"))
    owner = workspace.indexer()
    try:
        owner.barrier().result(30)
        workspace.changes.clear()
        store = await open_store()
        await store.rebuild()
        await asyncio.wait_for(store.flush(), 30)
        assert store.status().documents == 2
        assert [len(change.documents) for change in workspace.changes] == [2]
    finally:
        owner.stop()


async def test_sessions_stay_apart_when_a_query_says_so(workspace: Workspace, open_store: OpenStore):
    workspace.write("sessions/a.jsonl", message("the code is blue", "m1", session="a"))
    workspace.write("sessions/b.jsonl", message("the code is red", "m2", session="b"))
    store = await open_store()
    await store.flush()
    assert sorted(await found(store, "code")) == ["the code is blue", "the code is red"]
    assert await found(store, "code", scope=Scope(session="a")) == ["the code is blue"]


@pytest.mark.accept("NC-10")
async def test_two_workspaces_know_nothing_of_each_other(tmp_path, workspace: Workspace, open_store: OpenStore):
    from nanobot_memory_plugins.core.clock import SystemClock
    from nanobot_memory_plugins.storage.options import StorageOptions

    workspace.write("notes.md", "## A\nthe secret of the first agent\n")
    other = Workspace(tmp_path / "other")
    other.write("notes.md", "## A\nthe secret of the second agent\n")
    store = await open_store()
    options = StorageOptions.model_validate({"embedding_provider": "none"})
    second = await SqliteStore.open(other.path, options, SystemClock())
    try:
        await store.flush()
        await second.flush()
        assert await found(store, "secret agent") == ["## A\nthe secret of the first agent"]
        assert await found(second, "secret agent") == ["## A\nthe secret of the second agent"]
    finally:
        await second.close()


async def test_many_searches_at_once_are_all_answered(workspace: Workspace, open_store: OpenStore):
    workspace.write(
        "sessions/cli.jsonl", b"".join(message(f"word{number} is here", f"m{number}") for number in range(50))
    )
    store = await open_store()
    await store.flush()
    answers = await asyncio.gather(*(found(store, f"word{number}") for number in range(50)))
    assert [answer[0] for answer in answers] == [f"word{number} is here" for number in range(50)]
    searching = [name for name in our_threads() if name == "nanobot-memory-search"]
    assert len(searching) <= 3


async def test_a_search_whose_caller_gave_up_is_not_run(workspace: Workspace, open_store: OpenStore):
    store = await open_store()
    tasks = [asyncio.ensure_future(store.search(Query("anything"))) for _ in range(20)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    assert all(isinstance(one, asyncio.CancelledError) for one in await asyncio.gather(*tasks, return_exceptions=True))
    assert await found(store, "anything") == []


@pytest.mark.accept("V5-15")
async def test_closing_drains_and_leaves_nothing_running(workspace: Workspace, open_store: OpenStore):
    before = set(our_threads())
    store = await open_store()
    files = [workspace.write(f"note-{number}.md", f"## {number}\ntext\n") for number in range(30)]
    await store.flush()
    for number, file in enumerate(files):
        file.write_text(f"## {number}\nchanged\n", encoding="utf-8")
        store.notify(file)
    await store.close()
    assert len([text for text in workspace.texts() if "changed" in text]) == 30
    assert until(lambda: set(our_threads()) <= before)
    with pytest.raises(StoreError):
        await store.search(Query("text"))
    await store.close()


@pytest.mark.slow
def test_a_process_that_forgets_to_close_ends_cleanly_and_soon(workspace: Workspace):
    program = """
import asyncio, sys
from pathlib import Path
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.storage.options import StorageOptions
from nanobot_memory_plugins.storage.store import SqliteStore
async def main():
    global store
    options = StorageOptions.model_validate({"embedding_provider": "none"})
    store = await SqliteStore.open(Path(sys.argv[1]), options, SystemClock())
    await store.flush()
    print("documents", store.status().documents, flush=True)
asyncio.run(main())
"""
    workspace.write("notes.md", "## A\nfirst\n")
    start = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", program, str(workspace.path)], capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == b"documents 1\n"
    assert time.monotonic() - start < 30


@pytest.mark.slow
async def test_nothing_here_blocks_the_event_loop(workspace: Workspace, open_store: OpenStore):
    workspace.write("sessions/cli.jsonl", b"".join(message(f"text {number}", f"m{number}") for number in range(3_000)))
    began = time.monotonic()
    async with loop_lags() as lags:
        store = await open_store()
        await asyncio.gather(store.flush(), *(store.search(Query("text")) for _ in range(5)))
        store.status()
        await store.close()
    # Threads of Python share one lock, so that some lag is there, a twentieth of the whole here, and more on a busy
    # machine, where the whole is longer, too. Blocking would show as most of the whole.
    assert max(lags) < (time.monotonic() - began) / 4


async def test_the_database_may_stand_elsewhere(tmp_path, workspace: Workspace, open_store: OpenStore):
    workspace.write("notes.md", "## A\nfirst\n")
    store = await open_store(db_path=str(tmp_path / "elsewhere" / "index.db"))
    await store.flush()
    assert store.status().documents == 1
    assert (tmp_path / "elsewhere" / "index.db").is_file()
    assert not workspace.paths.database.exists()
    assert store.status().level is Level.FULL_TEXT
