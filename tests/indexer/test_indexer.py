"""The indexer on real files and a real database."""

import errno
import os
import threading
import time
from contextlib import closing

import pytest

from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.documents import FileState
from nanobot_memory_plugins.storage.indexer import file_indexing
from nanobot_memory_plugins.storage.indexer.file_indexing import index_file
from nanobot_memory_plugins.storage.sources.source_files import SourceFinder
from tests.support.indexed_workspace import Workspace, entry, message, until, wait_for_scan


def new_threads(before: set[threading.Thread]) -> list[str]:
    """Return the names of our threads that are not in ``before``; other tests leave threads of stuck plugins."""
    new = set(threading.enumerate()) - before
    return [thread.name for thread in new if thread.name.startswith("nanobot-memory")]


@pytest.mark.accept("V5-04")
def test_a_file_with_the_same_size_and_time_is_not_read_again(workspace: Workspace):
    file = workspace.write("notes.md", "## A\nfirst\n")
    os.utime(file, ns=(1_700_000_000_123_456_789,) * 2)
    with workspace.indexing():
        pass
    workspace.changes.clear()
    file.write_text("## A\nother\n", encoding="utf-8")
    os.utime(file, ns=(1_700_000_000_123_456_789,) * 2)
    with workspace.indexing():
        assert workspace.changes == []
        assert workspace.texts() == ["## A\nfirst"]


def test_a_change_within_the_same_clock_tick_is_noticed(workspace: Workspace):
    with workspace.indexing() as indexer:
        for number in range(20):
            file = workspace.write("notes.md", f"## A\ntext {number:02}\n")
            indexer.notify()
            time.sleep(0.001)
        file = workspace.write("notes.md", "## A\ntext 99\n")
        os.utime(file, ns=(file.stat().st_mtime_ns,) * 2)
        indexer.notify()
        assert until(lambda: workspace.texts() == ["## A\ntext 99"])


def test_a_file_with_a_time_in_the_future_is_read_once(workspace: Workspace):
    ahead = time.time() + 3_600  # the clock was set back, or the file comes from another machine
    os.utime(workspace.write("notes.md", "## A\ntext\n"), (ahead, ahead))
    with workspace.indexing() as indexer:
        for _ in range(5):
            wait_for_scan(indexer)
        assert [change.path for change in workspace.changes] == ["memory/notes.md"]


def test_nothing_is_deleted_while_the_process_has_too_many_open_files(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
):
    workspace.write("notes.md", "## A\ntext\n")
    asked = threading.Event()

    def scandir(_folder: str) -> None:
        asked.set()
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with workspace.indexing() as indexer:
        wait_for_scan(indexer)
        monkeypatch.setattr("nanobot_memory_plugins.storage.sources.source_files.os.scandir", scandir)
        indexer.notify()
        assert asked.wait(10)
        monkeypatch.undo()
    assert [change.path for change in workspace.changes if change.state is None] == []
    assert workspace.texts() == ["## A\ntext"]


@pytest.mark.accept("V3-11")
def test_pending_files_are_indexed_in_order_before_stopping(workspace: Workspace):
    before = set(threading.enumerate())
    with workspace.indexing() as indexer:
        workspace.changes.clear()
        files = [workspace.write(f"note-{number:02}.md", f"## {number}\ntext\n") for number in range(40)]
        indexer.notify()
        indexer.stop(drain=30)
    assert [change.path for change in workspace.changes] == [f"memory/{file.name}" for file in files]
    assert len(workspace.texts()) == 40
    assert new_threads(before) == []


@pytest.mark.accept("V3-11")
def test_an_unreadable_file_does_not_hold_up_others(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    broken = workspace.write("broken.md", "## A\ntext\n")
    workspace.write("good.md", "## B\nfine\n")
    really_open = file_indexing.open_regular

    def fail(path: os.PathLike[str]) -> object:
        if path == broken:
            raise PermissionError(13, "Permission denied")
        return really_open(path)  # type: ignore[arg-type]

    monkeypatch.setattr(file_indexing, "open_regular", fail)
    with workspace.indexing():
        assert workspace.texts() == ["## B\nfine"]
        monkeypatch.setattr(file_indexing, "open_regular", really_open)
        assert until(lambda: len(workspace.texts()) == 2)


@pytest.mark.accept("V5-12")
@pytest.mark.parametrize("kind", ["transcript", "note", "document"])
def test_no_more_documents_than_allowed_are_in_memory(workspace: Workspace, kind: str):
    if kind == "transcript":
        name, records = "sessions/cli.jsonl", [message(f"text {n}") for n in range(105)]
    elif kind == "note":
        name, records = "2026-02-16.md", [entry(f"text {n}", f"{n:x}") for n in range(105)]
    else:
        name, records = "notes.md", [f"## {n}\ntext {n}\n".encode() for n in range(105)]
    workspace.write(name, b"".join(records))
    with workspace.indexing(max_pending=10) as indexer:
        assert len(workspace.texts()) == 105
        assert max(len(change.documents) for change in workspace.changes) <= 10
        # Reading the whole file again keeps the limit, and removes what is gone.
        workspace.write(name, b"".join([records[-1], *records[:60]]))
        wait_for_scan(indexer)
        assert len(workspace.texts()) == 61
        assert max(len(change.documents) for change in workspace.changes) <= 10


def test_deleted_sections_are_removed_even_after_an_interruption_between_batches(workspace: Workspace):
    file = workspace.write("notes.md", "".join(f"## {n}\ntext {n}\n" for n in range(4)))
    (source,) = SourceFinder(workspace.paths).find()
    workspace.paths.index_folder.mkdir(parents=True, exist_ok=True)
    with closing(Database.open(workspace.paths.database)) as database:
        told = iter((False,) * 4 + (False, False, True) + (False,) * 9)

        def update() -> FileState | None:
            state = database.file_states().get(source.relative)
            stopping = {"is_stopping": lambda: next(told), "max_pending": 1, "oldest": None}
            return index_file(database, source, state, Chunking(), **stopping)

        assert update() is not None
        assert len(workspace.texts()) == 4
        file.write_text("## 1\ntext 1\n## 2\ntext 2\n## 3\ntext 3\n", encoding="utf-8")
        assert update() is None
        assert update() is not None
    assert [text.splitlines()[-1] for text in workspace.texts()] == ["text 1", "text 2", "text 3"]
