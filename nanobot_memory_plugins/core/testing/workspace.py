"""A workspace with memory files, written as core writes them."""

from datetime import UTC, datetime
from pathlib import Path

from nanobot_memory_plugins.core.files import MemoryPaths, TranscriptRecord, render_note, render_transcript_line
from nanobot_memory_plugins.core.values import Note, Origin, Scope

TIME = datetime(2026, 2, 16, 14, 20, 33, tzinfo=UTC)


class MemoryWorkspace:
    """A folder of an agent. Names of files are relative to its memory folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.paths = MemoryPaths.of(path)

    def write(self, name: str, data: bytes | str) -> Path:
        """Write a whole file."""
        file = self.paths.memory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def append(self, name: str, data: bytes) -> Path:
        """Append to a file."""
        file = self.paths.memory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as out:
            out.write(data)
        return file

    def note(self, note: Note, id: str, *, time: datetime = TIME) -> Path:  # noqa: A002  # the field's name
        """Append a note to the file of its day."""
        when = note.time or time
        text = render_note(note, id=id, time=when, scope=note.scope or Scope())
        return self.append(f"{when.date().isoformat()}.md", text.encode())

    def message(self, text: str, id: str, *, scope: Scope = Scope(), time: datetime = TIME) -> Path:  # noqa: A002
        """Append a message of the user to the transcript of its session."""
        session = scope.session or "cli:direct"
        record = TranscriptRecord("user", text, session, scope, Origin.USER, id=id, time=time)
        path = self.paths.transcript(session)
        return self.append(str(path.relative_to(self.paths.memory)), render_transcript_line(record))
