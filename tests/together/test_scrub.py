"""A store that was written without redaction holds no secret after a scrub: no file, no backup, no row of the index."""

import asyncio
import gzip
import json
import os
from pathlib import Path
from random import Random

import pytest

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.pending_sessions import Pending
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Query
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import SystemClock
from nanobot_memory_plugins.core.erasure import secret_files as files
from nanobot_memory_plugins.core.redaction import contact_redaction
from nanobot_memory_plugins.core.values import Destination, Message, Origin, Scope
from tests.redaction.shapes import VENDOR_TOKENS, key_block
from tests.support.files_of import contents_of

HIDE = {"redaction": {"contacts": "hide"}}
CONFIG = MemoryConfig.model_validate({"plugins": {"nanobot": {"enabled": False}}, **HIDE})
RANDOM = Random(42)
TOKEN = VENDOR_TOKENS["github"](RANDOM)
PASSWORD = "Quartz!77harbor"
MAIL = "li.wei@example.org"
BLOCK, LINES = key_block(RANDOM)
SECRETS = (TOKEN, PASSWORD, MAIL, *LINES)
ENTRY = f"The deploy token is {TOKEN} 密码是{PASSWORD}"
OTHER = "The user plays chess on Sundays"
BY_HAND = f"# Mine\n\nMy mail is {MAIL}\n\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "storage,recall,summary,flush,consolidation")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "config.json").write_text(json.dumps({"memoryPlugins": HIDE}), encoding="utf-8")
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    return folder


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]):
    async def run(*arguments: str, status: int = 0):
        command = [*arguments, "--workspace", str(workspace), "--json"]
        assert await asyncio.to_thread(run_command_line, command) == status
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    return run


async def fill(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a host without redaction keep messages, notes, entries and what waits to be learned from."""
    with monkeypatch.context() as patch:
        patch.setattr(contact_redaction, "redact_text", lambda text, keeps=None: text)
        async with MemoryHost(workspace, config=CONFIG) as host:
            for text in (f"use {TOKEN} today", f"我的密码是{PASSWORD}，邮箱 {MAIL}", BLOCK, OTHER):
                await host.message_received(session_key="telegram:13812345678", text=text)
                await host.message_sent(session_key="telegram:13812345678", text=f"Noted: {text}")
                note = Note(tldr=f"told {text}"[:300], details=text, origin=Origin.USER)
                await host.keep(note, session_key="telegram:13812345678")
            long = Note(tldr=ENTRY, origin=Origin.USER, destination=Destination.LONG_TERM)
            await host.keep(long, session_key="cli:one")
            repository = EntryRepository(workspace, clock=SystemClock(), redact=lambda text: text)
            Pending(repository.paths).add("cli:two", [Message("user", ENTRY), Message("user", OTHER)], Scope())
            remember(repository, NewEntry(ENTRY), who="user")
            remember(repository, NewEntry(OTHER), who="user")
            gone = remember(repository, NewEntry(f"{MAIL} is the address of Li Wei"), who="user").entry.id
            forget(repository, [gone], who="user")
            await host.flush_index()
    journal = workspace / "memory" / ".entries" / "journal.jsonl"
    journal.with_name("journal-000001.jsonl.gz").write_bytes(gzip.compress(journal.read_bytes()))
    long_term = workspace / "memory" / "MEMORY.md"
    long_term.write_text(BY_HAND + long_term.read_text(encoding="utf-8"), encoding="utf-8")
    left_behind = workspace / "memory" / ".MEMORY.md.0123456789abcdef.tmp"
    left_behind.write_text(TOKEN, encoding="utf-8")


def opened(name: str, data: bytes) -> bytes:
    return gzip.decompress(data) if name.endswith(".gz") else data


def holders(workspace: Path, secrets=SECRETS) -> set[str]:
    """The files that hold a secret."""
    needles = [form for one in secrets for form in (one.encode(), one.encode("utf-16-le"))]
    found = {name: opened(name, data) for name, data in contents_of(workspace).items()}
    return {name for name, data in found.items() if any(one in data for one in needles)}


@pytest.mark.slow
async def test_after_a_scrub_no_byte_of_a_secret_is_left(workspace: Path, call, monkeypatch):
    await fill(workspace, monkeypatch)
    assert len(holders(workspace)) >= 7
    before = {path: path.read_bytes() for path in (workspace / "memory").rglob("*") if path.is_file()}

    tried = await call("scrub", "--dry-run")
    assert {path: path.read_bytes() for path in before} == before
    done = await call("scrub")
    assert done["found"] == tried["found"]
    assert {"api_key", "redacted", "email", "private_key"} <= set(done["found"])
    # What a person wrote stays until it is asked for, in every copy, and is reported.
    left = holders(workspace)
    assert left == holders(workspace, [MAIL])
    assert "memory/MEMORY.md" in left
    assert BY_HAND in (workspace / "memory" / "MEMORY.md").read_text(encoding="utf-8")
    assert any(not one["removed"] and one["where"] == "memory/MEMORY.md" for one in done["files"])

    await call("scrub", "--everywhere")
    assert holders(workspace) == set()
    after = {path: path.read_bytes() for path in (workspace / "memory").rglob("*") if path.is_file()}
    again = await call("scrub", "--everywhere")
    assert again["found"] == {}
    assert {path: path.read_bytes() for path in after} == after


async def test_a_draft_of_the_users_own_is_cleaned_and_not_removed(workspace: Path, call):
    draft = workspace / "memory" / "draft.tmp"
    draft.parent.mkdir(parents=True, exist_ok=True)
    draft.write_text(f"Words of mine.\nuse {TOKEN} today\n", encoding="utf-8")
    os.utime(draft, (1, 1))
    await call("scrub")
    assert draft.read_text(encoding="utf-8").startswith("Words of mine.\n")
    assert TOKEN not in draft.read_text(encoding="utf-8")


async def test_what_is_no_secret_stays_findable_after_a_scrub(workspace: Path, call, monkeypatch):
    await fill(workspace, monkeypatch)
    await call("scrub", "--everywhere")
    repository = EntryRepository(workspace)
    contents = [entry.content for entry in repository.load().entries.values()]
    assert OTHER in contents
    assert "The deploy token is [API_KEY] 密码是[REDACTED]" in contents
    assert repository.load().damage == ""
    waiting = [one.text for one in Pending(repository.paths).read("cli:two")]
    assert waiting[1] == OTHER
    async with MemoryHost(workspace, config=CONFIG) as host:
        await host.flush_index()
        assert any(OTHER in hit.text for hit in (await host.search(Query(text="chess on Sundays"))).hits)
        # The session is named after a number, and is found by that name.
        said = [one["content"] for one in host.history("telegram:13812345678", limit=50)]
    assert OTHER in said
    assert "use [API_KEY] today" in said


async def test_undo_after_a_scrub_brings_no_secret_back(workspace: Path, call, monkeypatch):
    await fill(workspace, monkeypatch)
    await call("scrub", "--everywhere")
    assert (await call("entries", "undo"))["ok"]
    contents = [entry.content for entry in EntryRepository(workspace).load().entries.values()]
    assert "[EMAIL] is the address of Li Wei" in contents
    assert holders(workspace) == set()


@pytest.mark.slow
async def test_a_scrub_that_breaks_off_is_finished_by_the_next_one(workspace: Path, call, monkeypatch):
    await fill(workspace, monkeypatch)
    rewrite, done = files.rewrite, []

    def breaking(path, clean, *, lock):
        if len(done) >= 3:
            raise OSError(28, "No space left on device")
        done.append(path)
        return rewrite(path, clean, lock=lock)

    with monkeypatch.context() as patch:
        patch.setattr(files, "rewrite", breaking)
        failed = await call("scrub", "--everywhere", status=1)
    assert failed["ok"] is False
    assert holders(workspace)
    await call("scrub", "--everywhere")
    assert holders(workspace) == set()


async def test_a_secret_that_could_not_be_taken_out_is_not_called_absent(workspace: Path, monkeypatch, capsys):
    async with MemoryHost(workspace, config=CONFIG) as host:
        await host.message_received(session_key="cli:one", text="The lake is deep.")
    file = next((workspace / "memory" / "sessions").glob("*.jsonl"))
    file.write_text(file.read_text(encoding="utf-8").replace("deep", f"deep {TOKEN}"), encoding="utf-8")

    def refused(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(files, "rewrite", refused)
        capsys.readouterr()
        assert await asyncio.to_thread(run_command_line, ["scrub", "--workspace", str(workspace)]) == 1
    told = capsys.readouterr().out
    assert TOKEN in file.read_text(encoding="utf-8")
    assert "No secrets were found" not in told
    assert f"left in memory/sessions/{file.name}: it cannot be cleaned" in " ".join(told.split())


async def test_a_clean_store_is_left_as_it_is(workspace: Path, call):
    async with MemoryHost(workspace, config=CONFIG) as host:
        await host.message_received(session_key="cli:one", text=f"use {TOKEN} and {OTHER}")
    before = {path: path.read_bytes() for path in (workspace / "memory").rglob("*") if path.is_file()}
    assert (await call("scrub"))["found"] == {}
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("head", ["### 2025-01-01 10:00\ntags: mine\n\n", "### 10:00 deploy\n\n", "## type: a\n\n"])
async def test_a_section_with_a_time_that_a_person_wrote_stays(workspace: Path, call, head: str):
    note = workspace / "memory" / "2025-01-01.md"
    note.write_text(f"{head}the token is {TOKEN}\n", encoding="utf-8")
    done = await call("scrub")
    assert note.read_text(encoding="utf-8") == f"{head}the token is {TOKEN}\n"
    assert [one["removed"] for one in done["files"] if one["where"].endswith(".md")] == [False]
