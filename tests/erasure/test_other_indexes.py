"""A purge while another process has locked the index, and with indexes of earlier configurations.

Time limits are shortened unless ``NANOBOT_MEMORY_TRUST=full``.
"""

import asyncio
import json
import os
import time
from pathlib import Path

import apsw
import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.files.index_file import is_index
from nanobot_memory_plugins.storage.index_location import clear_place
from tests.support.files_of import contents_of
from tests.support.obstacles import locked

SAID = ("We move from Kafka to Redpanda.", "I play chess on Sundays.")
# The most seconds that a purge may take while the index is locked: some six are usual, and it once took 126.
MAX_SECONDS = 30.0


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "workspace"
    folder.mkdir()
    configure(folder)
    fill(folder)
    return folder


def configure(workspace: Path, **storage: str) -> MemoryConfig:
    """Write the configuration that the commands read, and return it."""
    plugins = {"storage": {"embeddingProvider": "none", **storage}}
    (workspace.parent / "config.json").write_text(json.dumps({"memoryPlugins": plugins}), encoding="utf-8")
    return MemoryConfig.model_validate({"plugins": plugins})


def fill(workspace: Path, config: MemoryConfig | None = None) -> None:
    async def say() -> None:
        async with MemoryHost(workspace, config=config or configure(workspace)) as host:
            for text in SAID:
                await host.message_received(session_key="cli:one", text=text)
            await host.flush_index()

    asyncio.run(say())


def files_with_kafka(folder: Path) -> set[str]:
    return {name for name, data in contents_of(folder).items() if b"kafka" in data.lower()}


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.environ.get("NANOBOT_MEMORY_TRUST") != "full":
        monkeypatch.setattr("nanobot_memory_plugins.storage.store._OPEN_SECONDS", 0.2)
        monkeypatch.setattr("nanobot_memory_plugins.storage.store._DRAIN", 0.1)
        monkeypatch.setattr("nanobot_memory_plugins.storage.sqlite.BUSY_TIMEOUT_MS", 200)


@pytest.mark.usefixtures("short_waits")
@pytest.mark.parametrize("whole", [False, True], ids=["against writers", "against everybody"])
def test_a_purge_does_not_wait_for_a_locked_index_and_the_next_start_finishes_it(
    workspace: Path, whole: bool, capsys: pytest.CaptureFixture[str]
):
    command = ["purge", "--text", "Kafka", "--yes", "--workspace", str(workspace)]
    with locked(workspace / ".storage" / "memory.db", whole=whole):
        begun = time.monotonic()
        assert run_command_line(command) == 1
        assert time.monotonic() - begun < MAX_SECONDS
        said = capsys.readouterr().out
        assert "left in .storage/memory.db: The index memory.db is locked by another process." in said
        assert "The next start or command removes it." in said
        assert "removed from .storage/memory.db" not in said
        assert "The next start continues." in said
        assert {name for name in files_with_kafka(workspace) if name.startswith("memory/")} == set()
        begun = time.monotonic()
        asyncio.run(start(workspace))  # a host that starts now does not wait, either
        assert time.monotonic() - begun < MAX_SECONDS
    assert files_with_kafka(workspace)
    asyncio.run(start(workspace))
    assert files_with_kafka(workspace) == set()


async def start(workspace: Path) -> None:
    async with MemoryHost(workspace, config=configure(workspace)):
        pass


def test_indexes_of_earlier_configurations_are_removed(workspace: Path, capsys: pytest.CaptureFixture[str]):
    far = workspace.parent / "far" / "index.db"
    for place in ("inside/index.db", str(far), ".storage/other.db", ".storage/index.sqlite"):
        fill(workspace, configure(workspace, dbPath=place))
    assert far.stat().st_size > 0
    configure(workspace, dbPath="new/index.db")
    command = ["purge", "--text", "Kafka", "--workspace", str(workspace), "--json"]
    assert run_command_line([*command, "--dry-run"]) == 0
    planned = json.loads(capsys.readouterr().out.splitlines()[-1])["traces"]
    elsewhere = {"inside/index.db", str(far), ".storage/other.db", ".storage/index.sqlite", ".storage/memory.db"}
    assert elsewhere <= {one["where"] for one in planned if one["removed"]}
    assert run_command_line([*command, "--yes"]) == 0
    done = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert elsewhere <= {*done["files"]}
    assert files_with_kafka(workspace.parent) == set()
    configure(workspace, dbPath=str(far))  # the earlier index is built again from the files
    assert run_command_line(["search", "chess", "--workspace", str(workspace), "--json"]) == 0
    assert "I play chess on Sundays." in capsys.readouterr().out


def test_remains_of_an_unused_index_are_removed(workspace: Path, capsys: pytest.CaptureFixture[str]):
    old = workspace / "old" / "index.db"
    fill(workspace, configure(workspace, dbPath="old/index.db"))
    aside, log = old.with_name("index.db.aside-1"), old.with_name("index.db-wal")
    aside.write_bytes(old.read_bytes())  # a copy that somebody made
    aside.with_name(f"{aside.name}-wal").write_bytes(old.read_bytes())
    log.write_bytes(old.read_bytes())  # the log of a deleted database
    old.unlink()
    configure(workspace)
    run_command_line(["purge", "--text", "Kafka", "--yes", "--workspace", str(workspace), "--json"])
    assert {"old/index.db", "old/index.db.aside-1"} <= {
        one["where"] for one in json.loads(capsys.readouterr().out.splitlines()[-1])["traces"] if one["removed"]
    }
    assert files_with_kafka(workspace) == set()


def test_a_file_that_is_no_index_is_moved_aside_with_its_log(tmp_path: Path):
    path = tmp_path / "index.db"
    for content in (b"no database at all" * 100, b"another one" * 100):
        path.write_bytes(content)
        path.with_name("index.db-wal").write_bytes(b"its log")
        clear_place(path)
    asides = {"index.db.aside-1", "index.db.aside-1-wal", "index.db.aside-2", "index.db.aside-2-wal"}
    assert {file.name for file in tmp_path.iterdir()} == asides


def test_another_programs_database_survives_a_purge(workspace: Path, capsys: pytest.CaptureFixture[str]):
    foreign, aside = workspace / "app.db", workspace / "app.db.aside-1"
    connection = apsw.Connection(str(foreign))
    connection.execute("CREATE TABLE brokers (name TEXT); INSERT INTO brokers VALUES ('Kafka')")
    connection.close()
    before = foreign.read_bytes()
    fill(workspace, configure(workspace, dbPath="app.db"))
    run_command_line(["purge", "--text", "Kafka", "--yes", "--workspace", str(workspace), "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [one["removed"] for one in told["traces"] if one["where"] == "app.db.aside-1"] == [False]
    assert (aside.read_bytes(), is_index(foreign)) == (before, True)
