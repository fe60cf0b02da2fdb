"""A memory with everything in it: transcripts, notes, entries with their journal, text of people, a document."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord
from nanobot_memory_plugins.core.values import Note, Origin, Scope

TIME = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def make_memory(workspace: Path, *, word: str = "walnut") -> None:
    """Fill a workspace's memory folder; ``word`` stands in everything."""
    memory = workspace / "memory"
    asyncio.run(_fill(workspace, word))
    with (memory / "2026-03-02.md").open("a") as file:
        file.write(f"\nWritten by hand: {word}.\n")
    (memory / "MEMORY.md").write_text(f"# Mine\r\n\r\n{word} é 中文\n")
    (memory / "topics").mkdir(exist_ok=True)
    (memory / "topics" / "garden.md").write_text(f"# Garden\n\n{word} trees\n")
    (memory / "ENTRIES.md").touch()
    repository = EntryRepository(workspace)
    for number in range(3):
        add_entry(repository, f"The user grows {word} number {number}.")


async def _fill(workspace: Path, word: str) -> None:
    files = MemoryFiles(workspace, redact=str)
    for number in range(4):
        await say(files, f"{word} message {number}", number)
    await files.keep_note(Note(f"{word} note", details="# heading\nof details", time=TIME), scope=Scope())
    await files.close()


async def say(files: MemoryFiles, text: str, minute: int, session: str = "cli:direct") -> None:
    record = TranscriptRecord(
        "user", text, session, Scope(session=session), Origin.USER, time=TIME.replace(minute=minute)
    )
    await files.keep_message(record)


def add_entry(repository: EntryRepository, text: str) -> None:
    remember(repository, NewEntry(text), who="test")
