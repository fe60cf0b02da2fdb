"""Several processes on one workspace, some of which are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from nanobot_memory_plugins.core.errors import StoreError
from nanobot_memory_plugins.storage.database import Database
from tests.support.indexed_workspace import Workspace, entry, message, until

INDEX = """
import sys, time
from pathlib import Path
from tests.support.indexed_workspace import Workspace
workspace = Workspace(Path(sys.argv[1]))
indexer = workspace.indexer(max_pending=20)
while not indexer.is_owner:
    time.sleep(0.02)
print("is owner", flush=True)
sys.stdin.read()
indexer.stop()
"""


@contextmanager
def started(program: str, *arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)


def wait_for_ownership(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == b"is owner\n"


@pytest.mark.accept("V3-11")
def test_another_process_takes_over_when_the_owner_is_killed(workspace: Workspace):
    workspace.write("notes.md", "## A\nfirst\n")
    with started(INDEX, workspace.path) as owner:
        wait_for_ownership(owner)
        successor = workspace.indexer()
        try:
            assert until(lambda: workspace.texts() == ["## A\nfirst"])
            time.sleep(0.3)
            assert not successor.is_owner
            os.kill(owner.pid, signal.SIGKILL)
            owner.wait()
            workspace.write("notes.md", "## A\nsecond\n")
            assert until(lambda: successor.is_owner)
            assert until(lambda: workspace.texts() == ["## A\nsecond"])
        finally:
            successor.stop()


def is_partly_indexed(workspace: Workspace) -> bool:
    """Return whether a file is indexed in part, which its manifest marks by a time of 0."""
    try:
        with closing(Database.open(workspace.paths.database, read_only=True)) as database:
            return any(state.offset > 0 and state.mtime_ns == 0 for state in database.file_states().values())
    except StoreError:
        return False


@pytest.mark.accept("V3-11")
def test_killing_the_indexer_loses_and_duplicates_nothing(workspace: Workspace):
    messages = [message(f"message {n}", f"m{n}") for n in range(2_000)]
    notes = [entry(f"note {n}", f"{n:04}") for n in range(500)]
    workspace.write("sessions/s.jsonl", b"".join(messages))
    workspace.write("2026-02-16.md", b"".join(notes))
    with started(INDEX, workspace.path) as owner:
        wait_for_ownership(owner)
        assert until(lambda: is_partly_indexed(workspace))
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()
    with workspace.indexing():
        found = workspace.documents()
    assert [document.text for document in found if document.source == "transcript"] == [
        f"message {n}" for n in range(2_000)
    ]
    assert [document.text for document in found if document.source == "note"] == [f"note {n}" for n in range(500)]
    for path in {document.path for document in found}:
        ordinals = [document.ordinal for document in found if document.path == path]
        assert ordinals == list(range(len(ordinals)))
