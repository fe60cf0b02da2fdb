"""A forgetting for good that is broken off is finished by the next start, and loses nothing else.

``NANOBOT_MEMORY_FAULT_ROUNDS=200`` runs the long form.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import ANY

import apsw
import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.pending_sessions import Pending
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.erasure.unfinished import BeingErasedError, ErasureRecord, Unfinished
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_lock
from nanobot_memory_plugins.core.values import EntryEdit, Erasure, Message, Scope
from tests.support.files_of import holders_of
from tests.support.obstacles import rounds

WORDS = "the user's therapist is Zanzibarina Krieger"
CONFIG = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})


@pytest.mark.slow
def test_a_forgetting_that_is_killed_or_interrupted_at_any_moment_is_finished_at_the_next_start(tmp_path: Path):
    command = [sys.executable, "-m", "tests.erasure.broken_off", str(rounds(8, long=200)), "1", str(tmp_path)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["wrong"] == []
    assert told["broken_off"] > 0


class BrokenOff(BaseException):
    """What ends a process, for a test that stays alive."""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,consolidation")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    plugins = {"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}
    (tmp_path / "config.json").write_text(json.dumps(plugins), encoding="utf-8")
    folder = tmp_path / "workspace"
    folder.mkdir()

    async def fill() -> None:
        async with MemoryHost(folder, config=CONFIG) as host:
            await host.message_received(session_key="cli:one", text=f"By the way, {WORDS}. Bye.")
            await host.message_received(session_key="cli:one", text="I play chess.")

    asyncio.run(fill())
    return folder


@pytest.fixture
def broken_off(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Break a purge of an entry off when the entry and its journal are gone, and before the transcripts are cleaned."""
    repository = EntryRepository(workspace)
    gone = remember(repository, NewEntry(WORDS), who="user").entry.id
    remember(repository, NewEntry("plays chess"), who="user")
    from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
    from nanobot_memory_plugins.core.host import eraser as erasing

    def end(*_arguments: object, **_options: object) -> list[object]:
        erase_entries(repository, Erasure(ids=(gone,), texts=(WORDS,)), dry_run=False)
        raise BrokenOff

    with monkeypatch.context() as patched:
        patched.setattr(erasing, "remember_forgotten", end)
        command = ["purge", gone, "--yes", "--workspace", str(workspace)]
        with pytest.raises(BrokenOff):
            run_command_line(command)
    assert gone not in repository.load().entries
    assert holders(workspace) != set()
    return gone


def holders(workspace: Path) -> set[str]:
    return set(holders_of(workspace, "Zanzibarina"))


def test_what_is_being_forgotten_is_written_down_for_the_owner_alone(workspace: Path, broken_off: str):
    record = workspace / "memory" / ".erasure" / "unfinished.json"
    assert record.stat().st_mode & 0o077 == 0
    assert record.parent.stat().st_mode & 0o077 == 0


def test_the_next_start_of_a_host_finishes_it_and_leaves_nothing(workspace: Path, broken_off: str):
    async def start() -> list[str]:
        async with MemoryHost(workspace, config=CONFIG) as host:
            return [finding.state for finding in await host.diagnose() if finding.subject == "forgetting for good"]

    assert asyncio.run(start()) == ["one that was broken off is finished now"]
    assert holders(workspace) == set()
    assert not ErasureRecord(MemoryPaths.of(workspace)).exists()
    assert [one.content for one in EntryRepository(workspace).load().entries.values()] == ["plays chess"]


@pytest.mark.parametrize(
    "command",
    [["entries", "list"], ["search", "chess", "--no-embeddings"], ["index"], ["doctor"], ["export", "--to", "x"]],
)
def test_the_next_command_finishes_it_first(workspace: Path, broken_off: str, command: list[str], capsys):
    run_command_line([*command, "--workspace", str(workspace)])
    assert holders(workspace) == set()
    if command != ["doctor"]:
        assert "broken off is finished" in capsys.readouterr().err


def test_the_same_purge_can_be_given_again(workspace: Path, broken_off: str, capsys):
    assert run_command_line(["purge", broken_off, "--yes", "--workspace", str(workspace), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["ok"]
    assert told["ids"] == [broken_off]
    assert any(name.startswith("memory/sessions/") for name in told["files"])
    assert holders(workspace) == set()


def test_half_a_record_says_that_nothing_had_begun(workspace: Path):
    record = ErasureRecord(MemoryPaths.of(workspace))
    record.begin(Erasure(texts=(WORDS,)), "2026-01-01T00:00:00+00:00")
    record.path.write_bytes(record.path.read_bytes()[:-5])

    async def start() -> None:
        async with MemoryHost(workspace, config=CONFIG):
            pass

    asyncio.run(start())
    assert not record.exists()
    assert holders(workspace) != set()


async def test_a_forgetting_does_not_end_the_one_before_it_that_waits(workspace: Path):
    paths = MemoryPaths.of(workspace)
    record = ErasureRecord(paths)
    async with MemoryHost(workspace, config=CONFIG) as host:
        paths.spill.mkdir(exist_ok=True)
        (paths.spill / "other.spill").write_text("the user's therapist is Zanzibarina Krieger", encoding="utf-8")
        with private_lock(paths.spill / "other.lock"):  # as a process that lives holds it
            first = await host.eraser.erase(Erasure(words=("Zanzibarina",)))
            assert (first.waits, (await host.eraser.erase(Erasure(words=("chess",)))).waits) == (True, False)
            assert record.read() == Unfinished(Erasure(words=("Zanzibarina",)), ANY)
            assert b"chess" not in b"".join(path.read_bytes() for path in record.path.parent.iterdir())


async def test_two_forgettings_wait_for_each_other(workspace: Path):
    async with MemoryHost(workspace, config=CONFIG) as host:
        with ErasureRecord(MemoryPaths.of(workspace)).locked(0):
            with pytest.raises(BeingErasedError, match="just now"):
                await host.eraser.erase(Erasure(words=("Zanzibarina",)), wait=0.05)
            assert holders(workspace) != set()
        both = [host.eraser.erase(Erasure(words=(word,))) for word in ("Zanzibarina", "chess")]
        assert all(plan.removed for plan in await asyncio.gather(*both))
    said = b"".join(path.read_bytes() for path in (workspace / "memory" / "sessions").iterdir())
    assert (b"Zanzibarina" in said, b"chess" in said, said.count(b"Bye.")) == (False, False, 1)


def test_a_panel_that_edits_beside_two_purges_loses_nothing_and_brings_nothing_back(workspace: Path):
    repository = EntryRepository(workspace)
    gone = [
        remember(repository, NewEntry(text), who="user").entry.id
        for text in (WORDS, "the user's cat is Nebukadnezarina")
    ]
    kept = [
        remember(repository, NewEntry(f"collects stamps of {year}"), who="user").entry.id for year in range(1900, 1904)
    ]
    access = RepositoryAccess(EntryRepository(workspace))
    started = threading.Event()

    def edit() -> None:
        """Edit as a panel does that was opened before: also what goes away meanwhile."""
        for number in range(4):
            for id_, text in [*((one, f"collects coins, {number} of {one}") for one in kept), (gone[0], f"{WORDS}!")]:
                with suppress(InputError):
                    access.edit(id_, EntryEdit(text=text))
                started.set()

    async def purge() -> list[ErasurePlan]:
        async with MemoryHost(workspace, config=CONFIG) as host:
            editing = threading.Thread(target=edit)
            editing.start()
            await asyncio.to_thread(started.wait)
            erasures = [Erasure((gone[0],), (WORDS,), ("Zanzibarina",)), Erasure((gone[1],), (), ("Nebukadnezarina",))]
            done = await asyncio.gather(*map(host.eraser.erase, erasures))
            await asyncio.to_thread(editing.join)
            return done

    async def start() -> None:
        async with MemoryHost(workspace, config=CONFIG):
            pass

    record = ErasureRecord(MemoryPaths.of(workspace))
    done = asyncio.run(purge())
    said = {id_: entry.content for id_, entry in repository.load().entries.items()}
    assert said == {one: f"collects coins, 3 of {one}" for one in kept}
    # A file that the edit was writing just then is left to the next start, which is told and written down.
    waits = any(trace.waits for plan in done for trace in plan.traces)
    assert record.exists() <= waits
    assert holders(workspace) <= ({record.path.relative_to(workspace).as_posix()} if waits else set())
    asyncio.run(start())
    assert not record.exists()
    assert holders(workspace) == set()


def test_a_newer_record_is_left_for_its_own_version_and_named(workspace: Path):
    record = ErasureRecord(MemoryPaths.of(workspace))
    record.begin(Erasure(), "2026-01-01T00:00:00+00:00")
    record.path.write_bytes(json.dumps({"version": 99}).encode())

    async def start() -> list[str]:
        async with MemoryHost(workspace, config=CONFIG) as host:
            return [finding.state for finding in await host.diagnose() if finding.subject == "forgetting for good"]

    (state,) = asyncio.run(start())
    assert "newer version" in state
    assert record.exists()
    assert os.path.getsize(record.path) > 0


def test_an_index_that_is_being_read_is_cleaned_by_the_next_command_which_needs_no_words_for_it(
    workspace: Path, capsys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("nanobot_memory_plugins.storage.database.database._CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("nanobot_memory_plugins.storage.database.connection.BUSY_TIMEOUT_MS", 50)
    run_command_line(["index", "--workspace", str(workspace)])
    with closing(apsw.Connection(str(workspace / ".storage" / "memory.db"))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM docs").fetchall()
        assert run_command_line(["purge", "--text", WORDS, "--yes", "--workspace", str(workspace)]) == 1
        assert "The next start goes on with it" in capsys.readouterr().out
        assert ErasureRecord(MemoryPaths.of(workspace)).read() == Unfinished(Erasure(), ANY)
        assert {one.split("/")[0] for one in holders(workspace)} <= {".storage"}
    assert run_command_line(["entries", "list", "--workspace", str(workspace)]) == 0
    assert holders(workspace) == set()
    assert not ErasureRecord(MemoryPaths.of(workspace)).exists()


def test_who_interrupts_it_is_told_what_becomes_of_it(workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    from nanobot_memory_plugins.core.host import eraser as erasing

    def interrupt(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(erasing, "remember_forgotten", interrupt)
        assert run_command_line(["purge", "--text", WORDS, "--yes", "--workspace", str(workspace)]) == 130
    assert "removed at the next start" in capsys.readouterr().err
    assert ErasureRecord(MemoryPaths.of(workspace)).exists()


def test_forgetting_an_entry_says_where_its_words_still_stand(workspace: Path, capsys):
    gone = remember(EntryRepository(workspace), NewEntry(WORDS), who="user").entry.id
    assert run_command_line(["entries", "forget", gone, "--workspace", str(workspace)]) == 0
    said = capsys.readouterr().out
    assert "memory/sessions/" in said
    assert f"nanobot-memory purge {gone}" in said


def test_a_message_that_is_put_aside_to_be_learned_from_while_it_is_forgotten_is_not_kept(workspace: Path):
    pending = Pending(MemoryPaths.of(workspace))
    said = [Message("user", WORDS), Message("user", "I play chess.")]
    forgetting: list[threading.Thread] = []

    def order(messages: Sequence[Message]) -> list[Message]:
        """Let a purge come while the messages are being written: it waits, and finds them."""
        forgetting.append(threading.Thread(target=pending.forget, args=(lambda text: "Zanzibarina" in text,)))
        forgetting[0].start()
        forgetting[0].join(0.2)
        return list(messages)

    assert pending.add("cli:one", said, Scope(), left=order)
    forgetting[0].join()
    assert [one.text for one in pending.read("cli:one")] == ["I play chess."]


async def test_a_history_that_is_put_aside_just_after_it_was_forgotten_was_not_said_since(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    order = datetime.now(UTC) - timedelta(seconds=1)  # a moment before the messages are put aside
    history = [{"role": "user", "content": f"By the way, {WORDS}. Bye."}, {"role": "assistant", "content": "I see."}]
    add = Pending.add
    async with (
        MemoryHost(workspace, config=CONFIG) as live,
        MemoryHost(workspace, config=CONFIG, clock=ManualClock(order)) as other,
    ):
        loop = asyncio.get_running_loop()

        def purged_first(self: Pending, *arguments: object, **options: object) -> bool:
            monkeypatch.setattr(Pending, "add", add)
            erasing = other.eraser.erase(Erasure(words=("Zanzibarina",)))
            asyncio.run_coroutine_threadsafe(erasing, loop).result()
            return add(self, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Pending, "add", purged_first)
        await live.session_idle(session_key="cli:live", history=history)
        assert Pending.add is add
    assert holders(workspace) == set()


@pytest.mark.parametrize(("database", "is_off"), [("", True), ("", False), ("index/own.sqlite", False)])
def test_an_index_that_nothing_opened_is_named_and_cleaned_by_the_next_start(
    workspace: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch, database: str, is_off: bool
):
    async def not_open(*_arguments: object, **_options: object) -> None:
        """Open no store, as one that takes longer than the host waits."""

    shutil.rmtree(workspace / ".storage")  # that of the fixture, which has another configuration
    plugins = {"storage": {"embeddingProvider": "none", "dbPath": database}}
    (tmp_path / "config.json").write_text(json.dumps({"memoryPlugins": plugins}), encoding="utf-8")
    purge = ["purge", "--text", WORDS, "--yes", "--json", "--workspace", str(workspace)]
    run_command_line(["index", "--workspace", str(workspace)])
    path = workspace / (database or ".storage/memory.db")
    folder = path.parent.name
    assert any(one.startswith(folder) for one in holders(workspace))
    with monkeypatch.context() as held:
        if is_off:
            held.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
        else:
            held.setattr("nanobot_memory_plugins.storage.store.SqliteStore.open", not_open)
        for _ in range(2):
            capsys.readouterr()
            assert run_command_line(purge) == 1
            told = json.loads(capsys.readouterr().out.splitlines()[-1])
            (waiting,) = [one for one in told["traces"] if one["waits"]]
            assert (told["ok"], waiting["where"]) == (False, path.relative_to(workspace).as_posix())
            assert {one.split("/")[0] for one in holders(workspace)} <= {folder}
            assert ErasureRecord(MemoryPaths.of(workspace)).read() == Unfinished(Erasure(), ANY)
    assert run_command_line(["entries", "list", "--workspace", str(workspace)]) == 0
    assert holders(workspace) == set()
    assert not ErasureRecord(MemoryPaths.of(workspace)).exists()


def test_the_same_purge_cleans_freed_pages_for_which_there_is_no_record(workspace: Path, monkeypatch):
    run_command_line(["index", "--workspace", str(workspace)])
    purge = ["purge", "--text", WORDS, "--yes", "--workspace", str(workspace)]
    with monkeypatch.context() as closed:
        closed.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation")
        assert run_command_line(purge) == 1
    ErasureRecord(MemoryPaths.of(workspace)).end()
    assert holders(workspace) != set()
    assert run_command_line(purge) == 1
    assert holders(workspace) == set()


def test_a_record_that_is_taken_up_is_there_whole_whenever_that_is_broken_off(workspace: Path, broken_off: str):
    from nanobot_memory_plugins.core.erasure import unfinished

    def end(*_arguments: object, **_options: object) -> str:
        raise BrokenOff

    record = ErasureRecord(MemoryPaths.of(workspace))
    before = record.read()
    with pytest.MonkeyPatch.context() as patched:
        # One that is opened to be written, and is not.
        patched.setattr(unfinished, "json", SimpleNamespace(loads=json.loads, dumps=end))
        record.begin(before.erasure, before.time)
        with pytest.raises(BrokenOff):
            record.begin(before.erasure.joined(Erasure(words=("chess",))), before.time)
    assert record.read() == before
    assert run_command_line(["entries", "list", "--workspace", str(workspace)]) == 0
    assert holders(workspace) == set()
    assert not [one for one in record.path.parent.iterdir() if one.name.startswith("unfinished")]


def test_a_purge_that_reaches_further_than_the_one_that_broke_off_is_carried_out(workspace: Path, broken_off: str):
    with (workspace / "memory" / "MEMORY.md").open("a") as file:
        file.write(f"\n## Mine\n\n{WORDS}\n")
    ErasureRecord(MemoryPaths.of(workspace)).begin(Erasure(words=(WORDS,)), "2026-01-01T10:00:00+00:00")
    command = ["purge", "--text", WORDS, "--everywhere", "--yes", "--workspace", str(workspace)]
    assert run_command_line(command) == 0
    assert holders(workspace) == set()


def test_a_file_of_others_that_ends_in_tmp_is_named_and_nothing_waits_for_it(workspace: Path, capsys):
    draft = workspace / "memory" / "draft.tmp"
    draft.write_text(WORDS)
    command = ["purge", "--text", "Zanzibarina Krieger", "--yes", "--workspace", str(workspace)]
    assert run_command_line([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    (left,) = [one for one in told["traces"] if not one["removed"]]
    assert (left["where"], left["waits"]) == ("memory/draft.tmp", False)
    remember(EntryRepository(workspace), NewEntry("Zanzibarina Krieger is my new boss"), who="user")
    assert run_command_line(["entries", "list", "--workspace", str(workspace)]) == 0
    assert len(EntryRepository(workspace).load().entries) == 1


@pytest.mark.slow
def test_a_purge_of_which_everything_waits_is_written_down_with_its_words(workspace: Path, capsys):
    for path in (workspace / "memory" / "sessions").iterdir():
        path.unlink()
    left = workspace / "memory" / f".2026-01-01.md.{'a' * 16}.tmp"
    left.write_text(WORDS)
    lock = private_lock(MemoryPaths.of(workspace).lock(left.with_name("2026-01-01.md")))
    command = ["purge", "--text", "Zanzibarina Krieger", "--yes", "--workspace", str(workspace), "--json"]
    with lock:
        done = subprocess.run(
            [sys.executable, "-m", "nanobot_memory_plugins.core.cli", *command],
            capture_output=True, text=True, check=False, env={**os.environ, "NANOBOT_MEMORY_PLUGINS": "consolidation"},
        )  # fmt: skip
        assert ErasureRecord(MemoryPaths.of(workspace)).read().erasure.words == ("Zanzibarina Krieger",), done
    assert run_command_line(["entries", "list", "--workspace", str(workspace)]) == 0
    assert not left.exists()


def test_what_is_finished_later_keeps_the_time_of_its_order(workspace: Path):
    from nanobot_memory_plugins.core.erasure.fingerprints import Fingerprints

    record = ErasureRecord(MemoryPaths.of(workspace))
    record.begin(Erasure(words=(WORDS,)), "2026-01-01T10:00:00+00:00")
    run_command_line(["entries", "list", "--workspace", str(workspace)])
    known = Fingerprints(MemoryPaths.of(workspace)).known()
    assert known is not None
    assert {one.time.isoformat() for one in known.texts.values()} == {"2026-01-01T10:00:00+00:00"}
