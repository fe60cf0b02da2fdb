"""The memory files: Markdown for notes, JSON lines for what was said. An index only follows them."""

from nanobot_memory_plugins.core.files.appending import FileBusyError, file_lock
from nanobot_memory_plugins.core.files.entries import NoteEntry, Passage, render_note
from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
from nanobot_memory_plugins.core.files.parsing import parse_notes
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.files.transcript import (
    TranscriptRecord,
    parse_transcript_line,
    render_transcript_line,
)
from nanobot_memory_plugins.core.files.writing import REDACTION_FAILED

__all__ = [
    "REDACTION_FAILED",
    "FileBusyError",
    "MemoryFiles",
    "MemoryPaths",
    "NoteEntry",
    "Passage",
    "TranscriptRecord",
    "file_lock",
    "parse_notes",
    "parse_transcript_line",
    "render_note",
    "render_transcript_line",
    "replace_file",
    "session_file_name",
]
