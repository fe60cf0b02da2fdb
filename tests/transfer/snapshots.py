"""The bytes of a memory folder."""

from pathlib import Path

from nanobot_memory_plugins.core.files.notes import NoteEntry, parse_notes
from nanobot_memory_plugins.core.files.transcript import parse_transcript_line
from tests.support.files_of import contents_of


def snapshot(workspace: Path) -> dict[str, bytes]:
    """Return every file of the memory folder, by name."""
    memory = workspace / "memory"
    return contents_of(memory)


def records(workspace: Path) -> list:
    """Return the messages of all transcripts."""
    found = []
    for path in sorted((workspace / "memory" / "sessions").glob("*.jsonl")):
        found += [record for line in path.read_bytes().splitlines() if (record := parse_transcript_line(line))]
    return found


def notes(workspace: Path) -> dict[str, list[NoteEntry]]:
    """Return the structured notes, by the name of their day's file."""
    found: dict[str, list[NoteEntry]] = {}
    for path in sorted((workspace / "memory").glob("????-??-??.md")):
        entries = [part for part in parse_notes(path.read_bytes()) if isinstance(part, NoteEntry)]
        found[path.stem] = entries
    return found
