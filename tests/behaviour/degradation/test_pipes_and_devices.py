"""Pipes and devices in place of memory files do not block commands or hosts."""

import faulthandler
import os
from collections.abc import Iterator

import pytest

from tests.behaviour.kit.life import Conversation, Life
from tests.behaviour.kit.model import remember_call

FILES = (
    *("MEMORY.md", "ENTRIES.md", "ENTRIES.md.bak", "2026-02-15.md", "topic.md", "sessions/other.jsonl"),
    *("sessions/imported_old.jsonl", ".privacy.json", "../.storage/state.db", "../.storage/memory.db"),
)
COMMANDS = (
    *("doctor", "stats", "audit", "search boat", "why boat", "timeline", "entries list", "entries history"),
    *("entries show ffffffff", "entries forget ffffffff", "profile", "people", "config", "plugins", "index"),
    *("scrub --dry-run", "purge --text Quorvexina --dry-run", "purge ffffffff --yes", "purge --session x --yes"),
    *("export --to archive.zip", "pause", "resume"),
)
SECONDS = 120  # what hangs, hangs for ever


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("kind", ["pipe", "device"])
async def test_no_command_and_no_host_hangs_on_a_pipe_or_device(life: Life, kind: str, monkeypatch):
    async with life.host() as memory:
        await Conversation(memory).turn("My boat lies at pier 97.", "Noted.", remember_call("The boat lies at pier 97"))
    for name in FILES:
        path = life.memory / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    monkeypatch.chdir(life.memory.parent)
    for command in COMMANDS:
        life.command(*command.split())
    async with life.host() as memory:
        talk = Conversation(memory)
        await talk.turn("The ferry leaves at nine.", "Noted.", remember_call("The ferry leaves at nine"))
        await talk.idle()
        await talk.compact()
        await memory.flush_index()
        assert memory.base_context() is not None
