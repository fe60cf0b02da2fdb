"""Long messages are redacted beside the others: nobody waits for them, and the order of a session is kept."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.files import MemoryFiles, TranscriptRecord
from nanobot_memory_plugins.core.files.long_messages import LONG
from nanobot_memory_plugins.core.values import Note, Origin, Scope
from tests.support.files_of import contents_of

WORDS = "Wombat "


class HeldRedaction:
    """A redaction that takes as long for a long text as the test wants."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, text: str) -> str:
        if len(text) > LONG:
            self.go_on.wait(60)
        return text.replace("Wombat", "[REDACTED]")


def message(session_key: str, text: str) -> TranscriptRecord:
    return TranscriptRecord(role="user", text=text, session_key=session_key, scope=Scope(), origin=Origin.USER)


def said(files: MemoryFiles, session_key: str) -> list[str]:
    path = files.paths.transcript(session_key)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line)["text"][:20] for line in lines]


def all_bytes(workspace: Path) -> bytes:
    return b"".join(contents_of(workspace).values())


@pytest.fixture
def redaction():
    held = HeldRedaction()
    yield held
    held.go_on.set()


@pytest.fixture
def files(tmp_path, redaction):
    return MemoryFiles(tmp_path, redact=redaction, longest_wait=0.01)


async def test_a_call_does_not_wait_for_a_long_message_that_takes_long_and_the_receipt_says_so(
    tmp_path, files, redaction
):
    receipt = await files.keep_message(message("a", WORDS * 10_000))
    assert (receipt.stored, receipt.pending) == (False, True)
    assert receipt.id
    assert "redacted" in receipt.reason
    assert b"Wombat" not in all_bytes(tmp_path)  # nothing that is not redacted, not even for a while
    redaction.go_on.set()
    await files.drain()
    assert said(files, "a") == ["[REDACTED] [REDACTED"]
    await files.close()


async def test_other_sessions_and_notes_are_written_meanwhile_and_the_session_itself_in_order(files, redaction):
    await files.keep_message(message("a", "first"))
    first = await files.keep_message(message("a", WORDS * 10_000))
    second = await files.keep_message(message("a", "second"))
    third = await files.keep_message(message("a", "long " * 10_000))
    assert [one.pending for one in (first, second, third)] == [True, True, True]
    assert (await files.keep_message(message("b", "elsewhere"))).stored
    assert (await files.keep_note(Note("a note"), scope=Scope())).stored
    assert said(files, "a") == ["first"]
    redaction.go_on.set()
    await files.drain()
    assert (await files.keep_message(message("a", "last"))).stored
    assert said(files, "a") == ["first", "[REDACTED] [REDACTED", "second", "long long long long ", "last"]
    await files.close()


async def test_a_close_waits_for_what_is_still_being_redacted(tmp_path, files, redaction):
    await files.keep_message(message("a", WORDS * 10_000))
    closing = asyncio.create_task(files.close())
    await asyncio.sleep(0)
    redaction.go_on.set()
    await closing
    assert said(files, "a") == ["[REDACTED] [REDACTED"]
    assert (await files.keep_message(message("a", WORDS * 10_000))).reason == "The memory files are closed."


async def test_an_ordinary_long_message_is_acknowledged_as_it_is_written(tmp_path):
    text = "".join(f"Line {number} of the minutes of the meeting.\n" for number in range(1_500))
    files = MemoryFiles(tmp_path, redact=lambda said: said, longest_wait=30)
    receipt = await files.keep_message(message("a", text))
    assert receipt.stored
    assert not receipt.pending
    assert json.loads(files.paths.transcript("a").read_text("utf-8"))["text"] == text
    await files.close()


async def test_a_redaction_that_fails_lets_nothing_through_and_the_rest_goes_on(tmp_path):
    def broken(text: str) -> str:
        if len(text) > LONG:
            raise MemoryError
        return text

    files = MemoryFiles(tmp_path, redact=broken, longest_wait=30)
    assert (await files.keep_message(message("a", WORDS * 10_000))).stored
    assert (await files.keep_message(message("a", "next"))).stored
    assert said(files, "a") == ["[REDACTED: redaction", "next"]
    await files.close()
