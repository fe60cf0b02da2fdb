import asyncio
import os
import stat
from collections.abc import Callable

import pytest

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.files import memory_files
from nanobot_memory_plugins.core.files.appending import workspace_lock
from nanobot_memory_plugins.core.files.memory_files import REDACTION_FAILED, MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from tests.behaviour.kit.waiting import until

Opener = Callable[..., MemoryFiles]


def message(text: str, session: str = "cli:direct", role: str = "user") -> TranscriptRecord:
    return TranscriptRecord(role, text, session, Scope(session=session), Origin.USER)


async def test_an_undecodable_long_term_file_is_read(open_files: Opener) -> None:
    files = open_files()
    files.paths.memory.mkdir()
    files.paths.long_term.write_bytes(b"caf\xe9 \xff")
    assert files.base_context() == "caf\ufffd \ufffd"
    files.paths.long_term.unlink()
    files.paths.long_term.mkdir()
    assert files.base_context() == ""


async def test_every_value_is_redacted_before_it_is_encoded(open_files: Opener) -> None:
    secret = 'to\npk"ey'  # its encoded form differs
    files = open_files(redact=lambda text, _origin: text.replace(secret, "[KEY]"))
    note = Note(f"a {secret}", f"b {secret}", tags=(secret,), title=secret)
    first = await files.keep_note(note, scope=Scope())
    second = await files.keep_message(TranscriptRecord("tool", secret, "s", Scope(), Origin.TOOL, name=secret))
    for receipt in (first, second):
        assert receipt.path is not None
        text = receipt.path.read_text()
        assert "[KEY]" in text
        assert "pk" not in text


async def test_the_files_are_synced_soon_after(
    open_files: Opener, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    synced: list[int] = []
    real = os.fsync

    def watched(descriptor: int) -> None:
        real(descriptor)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            synced.append(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    files = open_files()
    for number in range(20):
        await files.keep_message(message(str(number)))
    assert len(synced) < 20  # not one for each
    await until(lambda: synced)


async def test_records_wait_in_order_while_another_process_holds_the_lock(
    open_files: Opener, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    monkeypatch.setattr(memory_files, "_LONGEST_WAIT", 0.3)
    monkeypatch.setattr(memory_files, "_LOCK_SECONDS", 0.1)
    files = open_files()
    with workspace_lock(files.paths, "files", 5):
        waiting = [await files.keep_message(message(text)) for text in "ab"]
    await files.drain()
    after = await files.keep_message(message("c"))
    assert [(one.stored, one.pending) for one in (*waiting, after)] == [(False, True), (False, True), (True, False)]
    assert [one["content"] for one in files.history("cli:direct")] == ["a", "b", "c"]
    assert len(warnings) == 1


async def test_close_does_not_wait_forever_for_a_lock_of_another_process(
    open_files: Opener, monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    monkeypatch.setattr(memory_files, "_LONGEST_WAIT", 0.1)
    monkeypatch.setattr(memory_files, "_SHORT_WAIT", 0.0)
    monkeypatch.setattr(memory_files, "_LOCK_SECONDS", 0.2)
    files = open_files()
    with workspace_lock(files.paths, "files", 5):
        for number in range(50):
            await files.keep_message(message(str(number)))
        await asyncio.wait_for(files.close(), 10)
    assert files.history("cli:direct") == []
    assert any("locked by another process" in warning for warning in warnings)


@pytest.mark.parametrize("error", [RuntimeError("sk-secret"), SystemExit(1)])
async def test_a_failing_redaction_lets_no_text_through(
    open_files: Opener, warnings: list[str], error: BaseException
) -> None:
    def redact(_text: str, _origin: Origin) -> str:
        raise error

    files = open_files(redact=redact)
    receipt = await files.keep_message(message("sk-secret"))
    note = await files.keep_note(Note("sk-secret", "sk-secret", tags=("sk-secret",)), scope=Scope())
    assert receipt.stored
    assert files.history("cli:direct")[0]["content"] == REDACTION_FAILED
    assert note.path is not None
    assert "sk-secret" not in note.path.read_text()
    assert warnings
    assert not any("sk-secret" in warning for warning in warnings)
