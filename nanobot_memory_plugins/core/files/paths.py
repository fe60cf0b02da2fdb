"""The paths of the memory files of a workspace."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from nanobot_memory_plugins.core.errors import MemoryFileError

FOLDER = "memory"
DAY_NOTE = re.compile(r"\d{4}-\d{2}-\d{2}\.md")
_LONG_TERM = frozenset({"MEMORY.md", "ENTRIES.md"})

_LONGEST_READABLE = 60  # characters: at 3 bytes each far below the usual limit of 255 bytes for a file name
_HASH_DIGITS = 16
_PLAIN_KEY = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{_LONGEST_READABLE - 1}}}")
_HASHED_NAME = re.compile(rf".*-[0-9a-f]{{{_HASH_DIGITS}}}")
_DEVICE_NAMES = re.compile(r"con|prn|aux|nul|com\d|lpt\d|conin|conout")  # device names on Windows


def session_file_name(session_key: str) -> str:
    """Return the file name of a session's transcript, ``<name>.jsonl``.

    A key of up to 60 lower-case letters, digits, ``_`` and ``-`` is the name itself. For any other key the name is its
    readable part and 64 bits of its SHA-256. Distinct keys have distinct names, even on file systems that ignore case,
    and no name leads out of the folder.
    """
    if (
        _PLAIN_KEY.fullmatch(session_key)
        and not _DEVICE_NAMES.fullmatch(session_key)
        and not _HASHED_NAME.fullmatch(session_key)
    ):
        return f"{session_key}.jsonl"
    digest = hashlib.sha256(session_key.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    folded = unicodedata.normalize("NFC", session_key.lower())
    readable = re.sub(r"[^\w-]+|_+", "_", folded[: 4 * _LONGEST_READABLE])
    readable = "".join(c for c in readable if unicodedata.category(c)[0] != "C")[:_LONGEST_READABLE].strip("_-")
    return f"{readable or 'session'}-{digest}.jsonl"


def source_of(relative: str) -> str:
    """Return the `Hit.source` of a file's content, given its path relative to the workspace with forward slashes.

    It is ``long_term`` for ``MEMORY.md`` and ``ENTRIES.md``, ``note`` for the notes of a day, ``transcript`` for
    transcripts, ``document`` for other Markdown, in subfolders too, and empty for any other file. Structured notes have
    their own `NoteEntry.source`.
    """
    top, _, inside = relative.partition("/")
    folder, _, name = inside.rpartition("/")
    if top != FOLDER or "/." in f"/{inside}" or not name.endswith(".jsonl" if folder == "sessions" else ".md"):
        return ""
    if folder:
        return "transcript" if folder == "sessions" else "document"
    if name in _LONG_TERM:
        return "long_term"
    return "note" if DAY_NOTE.fullmatch(name) else "document"


@dataclass(frozen=True, slots=True)
class MemoryPaths:
    """The paths below one workspace. Nothing is created by asking for them."""

    workspace: Path

    @classmethod
    def of(cls, workspace: "str | Path") -> "MemoryPaths":
        """Return the paths of a workspace, with ``~`` expanded and made absolute."""
        return cls(Path(workspace).expanduser().absolute())

    @property
    def memory(self) -> Path:
        """The folder of all memory files."""
        return self.workspace / FOLDER

    @property
    def long_term(self) -> Path:
        """Long-term memory, ``MEMORY.md``."""
        return self.memory / "MEMORY.md"

    @property
    def entries(self) -> Path:
        """The scored entries, ``ENTRIES.md``."""
        return self.memory / "ENTRIES.md"

    @property
    def sessions(self) -> Path:
        """The folder of the transcripts."""
        return self.memory / "sessions"

    @property
    def privacy(self) -> Path:
        """The privacy state: pauses, marked conversations and an unfinished purge."""
        return self.memory / ".privacy.json"

    @property
    def locks(self) -> Path:
        """The folder of the lock files."""
        return self.memory / ".locks"

    @property
    def index_folder(self) -> Path:
        """The folder of the index."""
        return self.workspace / ".storage"

    @property
    def database(self) -> Path:
        """The index."""
        return self.index_folder / "memory.db"

    @property
    def state(self) -> Path:
        """The state database."""
        return self.index_folder / "state.db"

    def day_note(self, day: date) -> Path:
        """Return the note file of a day."""
        return self.memory / f"{day.year:04d}-{day.month:02d}-{day.day:02d}.md"

    def transcript(self, session_key: str) -> Path:
        """Return the transcript of a session."""
        return self.sessions / session_file_name(session_key)

    def relative(self, path: "str | Path") -> str:
        """Return ``path`` relative to the workspace, with forward slashes.

        Raises `MemoryFileError` for a path outside of it.
        """
        for root, inside in (
            (self.workspace, Path(path)),
            (self.workspace.resolve(), Path(path).resolve()),
        ):
            if inside.is_relative_to(root):
                return inside.relative_to(root).as_posix()
        raise MemoryFileError("The path lies outside the workspace.")
