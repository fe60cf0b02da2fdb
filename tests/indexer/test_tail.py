"""The part of the files that a search reads itself."""

from contextlib import closing

from nanobot_memory_plugins.storage.chunking import Chunking
from nanobot_memory_plugins.storage.database import Database
from nanobot_memory_plugins.storage.indexer.tail import TailReader
from nanobot_memory_plugins.storage.sources.source_files import SourceFile, SourceFinder
from tests.support.indexed_workspace import Workspace, message


def sources(workspace: Workspace) -> list[SourceFile]:
    return SourceFinder(workspace.paths).find()


def test_only_the_unindexed_part_is_read(workspace: Workspace):
    workspace.write("notes.md", "## A\nindexed\n")
    workspace.write("sessions/cli.jsonl", message("indexed too", "m1"))
    with workspace.indexing():
        pass
    with closing(Database.open(workspace.paths.database, read_only=True)) as database:
        states = database.file_states()
    tail = TailReader(Chunking())
    assert tail.documents(states, sources(workspace), most_bytes=1_000) == []
    workspace.append("sessions/cli.jsonl", message("new", "m2"))
    (found,) = tail.documents(states, sources(workspace), most_bytes=1_000)
    assert (found.text, found.line, found.key) == ("new", 2, "memory/sessions/cli.jsonl#m2")


def test_only_the_end_of_a_large_file_is_read(workspace: Workspace):
    workspace.write("sessions/cli.jsonl", b"".join(message(f"text {n}", f"m{n}") for n in range(1_000)))
    found = TailReader(Chunking()).documents({}, sources(workspace), most_bytes=2_000)
    assert found[-1].text == "text 999"
    assert found[-1].line == 1_000
    assert 5 < len(found) < 20
