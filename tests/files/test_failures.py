from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.files.writing import REDACTION_FAILED
from nanobot_memory_plugins.core.values import Note, NoteType, Origin, Scope

Opener = Callable[..., MemoryFiles]


def message(text: str, session: str = "cli:direct") -> TranscriptRecord:
    return TranscriptRecord("user", text, session, Scope(session=session), Origin.USER)


def entries(path: Path) -> list[NoteEntry]:
    return [item for item in parse_notes(path.read_bytes()) if isinstance(item, NoteEntry)]


@pytest.mark.parametrize("result", [RuntimeError("sk-secret"), SystemExit(1), RecursionError(), None, 7])
async def test_a_failing_redaction_lets_nothing_through(
    open_files: Opener, warnings: list[str], result: object
) -> None:
    def redact(text: str) -> str:
        if isinstance(result, BaseException):
            raise result
        return result  # type: ignore[return-value]

    files = open_files(redact=redact)
    receipt = await files.keep_message(message("sk-secret"))
    note = await files.keep_note(Note("sk-secret", "sk-secret", tags=("sk-secret",)), scope=Scope())
    assert receipt.stored
    assert files.history("cli:direct")[0]["content"] == REDACTION_FAILED
    assert note.path is not None
    assert "sk-secret" not in note.path.read_text()
    assert warnings
    assert not any("sk-secret" in warning for warning in warnings)


async def test_a_note_that_is_not_as_declared_costs_only_itself(open_files: Opener, warnings: list[str]) -> None:
    files = open_files()
    wrong = Note("x", tags=None)  # type: ignore[arg-type]
    odd = Note(None, 7, type="wish", origin="?", destination="?", time="now")  # type: ignore[arg-type]
    receipts = [await files.keep_note(note, scope=Scope()) for note in (Note("a"), wrong, odd, Note("b"))]
    assert [receipt.stored for receipt in receipts] == [True, False, True, True]
    assert "TypeError" in receipts[1].reason
    found = entries(files.paths.day_note(datetime(2026, 2, 16)))
    assert [(entry.tldr, entry.details, entry.type) for entry in found] == [
        ("a", "", NoteType.NOTE),
        ("", "7", NoteType.NOTE),
        ("b", "", NoteType.NOTE),
    ]
