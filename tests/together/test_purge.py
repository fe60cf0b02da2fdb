"""What is purged is gone, byte by byte, from everything that is ours in a workspace of the real host."""

import asyncio
import json
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from nanobot_memory_plugins.consolidation.operations import undo as history
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.pending_sessions import Pending
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Query
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.protocols import VectorStore
from nanobot_memory_plugins.core.values import Destination, Message, Origin, Scope
from nanobot_memory_plugins.search.segmentation import segment
from nanobot_memory_plugins.storage.database import Database, spaces
from tests.support.files_of import holders_of

BOATS = "The user moors the Zanzibarina at pier ninetyseven"
TEA = "用户最喜欢喝狮峰龙井茶"
KEPT = "The user plays chess on Sundays"
# Words of them that nothing else holds, as they are and as they are segmented.
TELLING = ("Zanzibarina", "zanzibarina", "狮峰", "ninetyseven", "zanzibarin")
CONFIG = MemoryConfig.model_validate({"plugins": {"nanobot": {"enabled": False}}})


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,summary,flush,consolidation")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    return folder


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]):
    async def run(*arguments: str, status: int = 0):
        # In a thread: the command runs an event loop of its own.
        command = [*arguments, "--workspace", str(workspace), "--json"]
        assert await asyncio.to_thread(run_command_line, command) == status
        out = capsys.readouterr().out
        return json.loads(out.splitlines()[-1]) if out.strip() else None

    return run


async def fill(workspace: Path) -> tuple[str, str, str]:
    """Let the host, with vectors, keep messages, notes and entries; return the ids of the entries."""
    async with MemoryHost(workspace, config=CONFIG) as host:
        for text in (BOATS, TEA, KEPT):
            await host.message_received(session_key="cli:one", text=f"By the way. {text}. And the weather?")
            await host.message_sent(session_key="cli:one", text=f"Noted: {text.upper()}!")
            await host.keep(
                Note(tldr=text, details=f"- said today\n- {text}", origin=Origin.USER), session_key="cli:one"
            )
            long = Note(tldr=f"Lasting: {text}", origin=Origin.USER, destination=Destination.LONG_TERM)
            await host.keep(long, session_key="cli:one")
        repository = EntryRepository(workspace, clock=SystemClock())
        # What a cut has left to be learned from.
        Pending(repository.paths).add("cli:two", [Message("user", f"Remember: {TEA}"), Message("user", KEPT)], Scope())
        ids = [remember(repository, NewEntry(text), who="user").entry.id for text in (BOATS, TEA, KEPT)]
        twin = remember(repository, NewEntry(f"{BOATS} too"), who="user").entry.id
        forget(repository, [twin], who="user")
        await host.flush_index()
        assert isinstance(host.store, VectorStore)
        await host.store.vectors_complete(lambda _status, _report: None)
        assert (await host.search(Query(text="Zanzibarina"))).hits
    return ids[0], ids[1], ids[2]


def vectors_of(workspace: Path, text: str) -> list[bytes]:
    """Return the stored vectors of the rows that hold a text."""
    database = Database.open(workspace / ".storage" / "memory.db")
    try:
        (space,) = database.vector_spaces()
        sql = "SELECT id FROM docs WHERE text LIKE ?"
        rows = [row[0] for row in database.connection.execute(sql, (f"%{text}%",))]
        found = spaces.read(database.connection, space, database.vector_backend, only=rows)
        return [vector for _, vector in found]
    finally:
        database.close()


def holders(workspace: Path, needles: list[bytes]) -> set[str]:
    """Return the files that hold one of some byte strings."""
    return set(holders_of(workspace, *needles))


def needles() -> list[bytes]:
    made = []
    for text in (BOATS, TEA, BOATS.upper(), *TELLING, segment(TEA), segment(BOATS)):
        made += [text.encode(), json.dumps(text)[1:-1].encode(), text.encode("utf-16-le")]
    return made


@pytest.mark.slow
async def test_after_a_purge_no_byte_of_it_is_left(workspace: Path, call):
    boats, tea, kept = await fill(workspace)
    vectors = vectors_of(workspace, "Zanzibarina") + vectors_of(workspace, "狮峰")
    assert len(vectors) >= 6
    assert len(holders(workspace, needles())) >= 6
    before = {path: path.read_bytes() for path in (workspace / "memory").rglob("*") if path.is_file()}

    tried = await call("purge", boats, tea, "--dry-run")
    assert {path: path.read_bytes() for path in before} == before
    done = await call("purge", boats, tea, "--yes")
    assert done["ok"]
    assert [one for one in done["traces"] if not one["removed"]] == []
    assert set(tried["files"]) <= set(done["files"])
    assert {"memory/MEMORY.md", "memory/.entries/journal.jsonl", ".storage/memory.db"} <= set(done["files"])
    assert any(name.startswith("memory/sessions/") for name in done["files"])
    assert [one.text for one in Pending(EntryRepository(workspace).paths).read("cli:two")] == [KEPT]
    assert holders(workspace, [*needles(), *(np.frombuffer(one, np.float32).tobytes() for one in vectors)]) == set()

    async with MemoryHost(workspace, config=CONFIG) as host:
        await host.flush_index()
        assert [
            hit.text for hit in (await host.search(Query(text="Zanzibarina 狮峰龙井"))).hits if "狮" in hit.text
        ] == []
        found = (await host.search(Query(text="chess on Sundays"))).hits
        assert any(KEPT in hit.text for hit in found)
        said = [one["content"] for one in host.history("cli:one")]
        assert said[0] == "By the way. […] And the weather?"
        assert said[4] == f"By the way. {KEPT}. And the weather?"
    repository = EntryRepository(workspace)
    assert set(repository.load().entries) == {kept}
    await call("entries", "undo", status=1)
    with pytest.raises(InputError, match="cannot be taken back"):
        history.undo(repository, who="user")
    added = next(run for run in repository.journal.runs() if run.purged)
    with pytest.raises(InputError, match="forgotten for good"):
        history.undo(repository, added.id, who="user")
    assert holders(workspace, needles()) == set()


@pytest.mark.slow
async def test_a_sentence_of_a_person_is_reported_and_stays_unless_asked_for(workspace: Path, call):
    boats, _, _ = await fill(workspace)
    path = workspace / "memory" / "MEMORY.md"
    path.write_bytes(path.read_bytes() + f"\n## My boats\n\n{BOATS}, since May.\n".encode())
    done = await call("purge", boats, "--yes")
    stays = {one["where"]: one["why"] for one in done["traces"] if not one["removed"]}
    assert stays == {
        "memory/MEMORY.md": "text of yours; --everywhere removes it, too",
        ".storage/memory.db": "it is the index of text that stays in its file",
    }
    assert holders(workspace, [BOATS.encode()]) - {".storage/memory.db"} == {"memory/MEMORY.md"}
    assert f"{BOATS}, since May." in path.read_text()
    again = await call("purge", "--text", BOATS, "--yes", "--everywhere")
    assert [one for one in again["traces"] if not one["removed"]] == []
    assert holders(workspace, [BOATS.encode()]) == set()
    assert "## My boats\n\n[…]\n" in path.read_text()


@pytest.mark.slow
async def test_a_purge_beside_a_running_agent_leaves_nothing_and_disturbs_nothing(workspace: Path, call):
    boats, tea, kept = await fill(workspace)
    code = textwrap.dedent(
        """
        import asyncio, sys
        from tests.together.test_purge import CONFIG, KEPT, MemoryHost, Query

        async def main():
            async with MemoryHost(sys.argv[1], config=CONFIG) as host:
                await host.flush_index()
                await host.search(Query(text="Zanzibarina"))
                print("ready", flush=True)
                await asyncio.to_thread(sys.stdin.readline)
                await host.message_received(session_key="cli:one", text="Still here.")
                await host.flush_index()
                found = (await host.search(Query(text="Zanzibarina 狮峰龙井"))).hits
                print(sum("Zanzibarina" in hit.text or "狮峰" in hit.text for hit in found), flush=True)
                kept = (await host.search(Query(text="chess on Sundays"))).hits
                print(any(KEPT in hit.text for hit in kept), flush=True)

        asyncio.run(main())
        """
    )
    agent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(workspace), cwd=Path(__file__).parents[2],
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert agent.stdin is not None
    assert agent.stdout is not None
    assert await agent.stdout.readline() == b"ready\n"
    done = await call("purge", boats, tea, "--yes")
    assert [one for one in done["traces"] if not one["removed"]] == []
    assert holders(workspace, needles()) == set()
    agent.stdin.write(b"\n")
    assert (await agent.stdout.read()).decode().split() == ["0", "True"]
    assert await agent.wait() == 0
    assert holders(workspace, needles()) == set()
    assert set(EntryRepository(workspace).load().entries) == {kept}
