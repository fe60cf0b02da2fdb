import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from nanobot_memory_plugins.core.files import (
    REDACTION_FAILED,
    MemoryFiles,
    NoteEntry,
    TranscriptRecord,
    parse_notes,
)
from nanobot_memory_plugins.core.values import Destination, Note, NoteType, Origin, Scope

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
    receipts = await files.keep_notes([Note("a"), wrong, odd, Note("b")], scope=Scope())
    assert [receipt.stored for receipt in receipts] == [True, False, True, True]
    assert "TypeError" in receipts[1].reason
    found = entries(files.paths.day_note(datetime(2026, 2, 16)))
    assert [(entry.tldr, entry.details, entry.type) for entry in found] == [
        ("a", "", NoteType.NOTE),
        ("", "7", NoteType.NOTE),
        ("b", "", NoteType.NOTE),
    ]


Break = Callable[[MemoryFiles, Path], None]


def _file_for_folder(files: MemoryFiles, outside: Path) -> None:
    files.paths.memory.write_text("a file")


def _links(files: MemoryFiles, outside: Path) -> None:
    files.paths.sessions.mkdir(parents=True)
    outside.write_text("not ours\n")
    for path in (
        files.paths.transcript("cli:direct"),
        files.paths.long_term,
        files.paths.day_note(datetime(2026, 2, 16)),
    ):
        path.symlink_to(outside)


def _folders_for_files(files: MemoryFiles, outside: Path) -> None:
    files.paths.transcript("cli:direct").mkdir(parents=True)
    files.paths.long_term.mkdir()
    files.paths.day_note(datetime(2026, 2, 16)).mkdir()


def _pipes(files: MemoryFiles, outside: Path) -> None:
    files.paths.sessions.mkdir(parents=True)
    for path in (
        files.paths.transcript("cli:direct"),
        files.paths.long_term,
        files.paths.day_note(datetime(2026, 2, 16)),
    ):
        os.mkfifo(path)


def _no_locks(files: MemoryFiles, outside: Path) -> None:
    files.paths.memory.mkdir()
    files.paths.locks.write_text("a file")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_file_for_folder, "a file stands where a folder belongs"),
        (_links, "is a symbolic link"),
        (_folders_for_files, "Is a directory"),
        (_pipes, "is no regular file"),
        (_no_locks, "a file stands where a folder belongs"),
    ],
)
async def test_what_cannot_be_written_is_said_once_and_never_raised(
    open_files: Opener, tmp_path: Path, warnings: list[str], spoil: Break, words: str
) -> None:
    files = open_files(workspace=tmp_path / "w")
    files.paths.workspace.mkdir()
    outside = tmp_path / "outside"
    spoil(files, outside)
    for _ in range(3):
        receipts = [
            await files.keep_message(message("a")),
            await files.keep_note(Note("a"), scope=Scope()),
            await files.keep_note(Note("a", destination=Destination.LONG_TERM), scope=Scope()),
        ]
        for receipt in receipts:
            assert not receipt.stored
            assert words in receipt.reason
            assert "memory" in receipt.reason
    assert len(warnings) == 3  # one for each file
    assert files.history("cli:direct") == []
    assert not outside.exists() or outside.read_text() == "not ours\n"
    if spoil is not _file_for_folder:
        assert (await files.keep_message(message("a", "another"))).stored == (spoil is not _no_locks)
