"""The memory files: Markdown for notes, JSON lines for what was said. An index only follows them."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.files.appending import Appender, FileBusyError, file_lock, make_folder
    from nanobot_memory_plugins.core.files.damage import damage_in
    from nanobot_memory_plugins.core.files.entries import (
        TAG_SEPARATORS,
        NoteEntry,
        Passage,
        exact_time,
        origin_of,
        read_time,
        render_note,
    )
    from nanobot_memory_plugins.core.files.in_the_way import in_the_way_of, put_aside
    from nanobot_memory_plugins.core.files.memory_files import MemoryFiles
    from nanobot_memory_plugins.core.files.parsing import parse_notes
    from nanobot_memory_plugins.core.files.paths import DAY_NOTE, MemoryPaths, session_file_name
    from nanobot_memory_plugins.core.files.private import (
        LINKED,
        make_missing,
        narrow_file,
        private_folder,
        private_lock,
    )
    from nanobot_memory_plugins.core.files.queued_lock import queued
    from nanobot_memory_plugins.core.files.reading import open_regular, read_inside, read_regular
    from nanobot_memory_plugins.core.files.replace import replace_file
    from nanobot_memory_plugins.core.files.timed import TimedFiles, TimedRecords
    from nanobot_memory_plugins.core.files.transcript import (
        TranscriptRecord,
        last_records,
        parse_transcript_line,
        recent_records,
        render_transcript_line,
    )
    from nanobot_memory_plugins.core.files.writing import REDACTION_FAILED

__getattr__ = lazy_names(
    __name__,
    {
        "appending": ("Appender", "FileBusyError", "file_lock", "make_folder"),
        "damage": ("damage_in",),
        "entries": ("TAG_SEPARATORS", "NoteEntry", "Passage", "exact_time", "origin_of", "read_time", "render_note"),
        "in_the_way": ("in_the_way_of", "put_aside"),
        "memory_files": ("MemoryFiles",),
        "parsing": ("parse_notes",),
        "paths": ("DAY_NOTE", "MemoryPaths", "session_file_name"),
        "private": ("LINKED", "make_missing", "narrow_file", "private_folder", "private_lock"),
        "queued_lock": ("queued",),
        "reading": ("open_regular", "read_inside", "read_regular"),
        "replace": ("replace_file",),
        "timed": ("TimedFiles", "TimedRecords"),
        "transcript": (
            "TranscriptRecord",
            "last_records",
            "parse_transcript_line",
            "recent_records",
            "render_transcript_line",
        ),
        "writing": ("REDACTION_FAILED",),
    },
)

__all__ = [
    "DAY_NOTE",
    "LINKED",
    "REDACTION_FAILED",
    "TAG_SEPARATORS",
    "Appender",
    "FileBusyError",
    "MemoryFiles",
    "MemoryPaths",
    "NoteEntry",
    "Passage",
    "TimedFiles",
    "TimedRecords",
    "TranscriptRecord",
    "damage_in",
    "exact_time",
    "file_lock",
    "in_the_way_of",
    "last_records",
    "make_folder",
    "make_missing",
    "narrow_file",
    "open_regular",
    "origin_of",
    "parse_notes",
    "parse_transcript_line",
    "private_folder",
    "private_lock",
    "put_aside",
    "queued",
    "read_inside",
    "read_regular",
    "read_time",
    "recent_records",
    "render_note",
    "render_transcript_line",
    "replace_file",
    "session_file_name",
]
