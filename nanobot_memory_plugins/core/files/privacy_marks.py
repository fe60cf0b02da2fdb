"""What must fail closed: paused conversations, those whose host's own history is not taken, an unfinished purge.

One small file, ``memory/.privacy.json``, with names of transcripts, times and ids; what is to be forgotten stands in it
only for as long as that takes. Where it cannot be read, all counts as paused and as marked.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import file_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.private import private_folder
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOCK_SECONDS = 5.0
_WORKSPACE = "*"
# By whom a pause was set: only the same exact words, or the command, end what they began.
BY_WORDS, BY_TOOL = "words", "tool"


@dataclass(frozen=True, slots=True)
class UnfinishedPurge:
    """A purge that was begun at ``time`` (ISO 8601), and what is left of it to be done."""

    erasure: Erasure
    time: str


@dataclass(frozen=True, slots=True)
class PrivacyMarks:
    """What stands in the file. ``paused`` says by whom, for a conversation and sender, or the workspace as a whole.

    ``marked`` are transcripts from whose conversations something was taken back, with the time of the last.
    """

    paused: Mapping[str, str] = field(default_factory=dict)
    marked: Mapping[str, str] = field(default_factory=dict)
    unfinished: UnfinishedPurge | None = None
    is_unreadable: bool = False

    def pause_of(self, session_key: str, sender: str) -> str:
        """Return by whom a conversation is paused for a sender, or nothing."""
        if self.is_unreadable:
            return BY_WORDS
        names = (_WORKSPACE, _name(session_key, ""), _name(session_key, sender))
        by = {self.paused[name] for name in names if name in self.paused}
        return BY_WORDS if BY_WORDS in by else next(iter(by), "")

    @property
    def is_all_paused(self) -> bool:
        """Whether the workspace as a whole is paused."""
        return _WORKSPACE in self.paused

    @property
    def paused_conversations(self) -> list[str]:
        """The names of the transcripts of paused conversations."""
        return sorted({name.partition("/")[0] for name in self.paused if name != _WORKSPACE})

    def is_marked(self, session_key: str) -> bool:
        """Return whether something of a conversation was taken back: the host's history of it may hold it still."""
        return self.is_unreadable or session_file_name(session_key) in self.marked

    @property
    def last(self) -> str:
        """The time of the last mark, or nothing."""
        return max(self.marked.values(), default="")


_READER = TypeAdapter(PrivacyMarks)


class PrivacyFile:
    """The file of one workspace. Everything here blocks for a moment."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self.path = paths.privacy
        self._known: tuple[str, PrivacyMarks] = ("", PrivacyMarks())

    def read(self) -> PrivacyMarks:
        """Return what stands there; the file is read anew where it has changed."""
        stamp = self._stamp()
        if self._known[0] != stamp:
            self._known = (stamp, self._read())
        return self._known[1]

    def unfinished(self) -> UnfinishedPurge | None:
        """Return the purge that was broken off, also one whose process ended while it was being written down."""
        if any(self._left_behind()):
            with suppress(OSError, MemoryFileError), file_lock(self._paths).acquire(timeout=_LOCK_SECONDS):
                for path in self._left_behind():
                    marks = _read(path)
                    if marks.unfinished is not None and self._read().unfinished is None:
                        os.replace(path, self.path)
                    else:
                        path.unlink()
        return self.read().unfinished

    def _left_behind(self) -> Iterator[Path]:
        return self.path.parent.glob(f".{self.path.name}.*.tmp")

    def pause(self, session_key: str, sender: str, by: str, when: datetime) -> None:
        """Pause a conversation for a sender, or with an empty key the workspace. Raises `MemoryFileError`."""

        def change(marks: PrivacyMarks) -> PrivacyMarks:
            paused = {**marks.paused, _name(session_key, sender): by}
            return replace(marks, paused=paused, marked=_with(marks, [session_file_name(session_key)], when))

        self._change(change)

    def resume(self, session_key: str, sender: str | None) -> None:
        """Go on with a conversation for a sender, without one for everybody; with an empty key with the workspace.

        Raises `MemoryFileError`.
        """
        name = _name(session_key, sender or "")
        all_of_it = f"{session_file_name(session_key)}/"

        def is_meant(one: str) -> bool:
            return one == name or (sender is None and bool(session_key) and one.startswith(all_of_it))

        self._change(
            lambda marks: replace(marks, paused={one: by for one, by in marks.paused.items() if not is_meant(one)})
        )

    def mark(self, transcripts: Iterable[str], when: datetime) -> None:
        """Note that something was taken back from these conversations, by their transcripts' names.

        Raises `MemoryFileError`.
        """
        names = list(transcripts)
        self._change(lambda marks: replace(marks, marked=_with(marks, names, when)))

    def note_purge(self, unfinished: UnfinishedPurge | None) -> None:
        """Write down what is being purged, on the disk when this returns; None once nothing is left of it.

        Raises `MemoryFileError`.
        """
        if self.read().unfinished != unfinished:
            self._change(lambda marks: replace(marks, unfinished=unfinished))

    def _change(self, change: Callable[[PrivacyMarks], PrivacyMarks]) -> None:
        try:
            private_folder(self.path.parent)
            with file_lock(self._paths).acquire(timeout=_LOCK_SECONDS):
                marks = self._read()
                if marks.is_unreadable:
                    raise MemoryFileError(
                        Sentence("{name} cannot be read", name=self.path.name),
                        hint=Sentence("Correct or remove {file}.", file=self.path),
                    )
                rows = asdict(change(marks))
                del rows["is_unreadable"]
                replace_file(self.path, json.dumps(rows).encode(), keeps_backup=False)
        except OSError as error:
            kind = type(error).__name__
            told = Sentence("{name} cannot be written ({kind})", name=self.path.name, kind=kind)
            raise MemoryFileError(told) from error

    def _read(self) -> PrivacyMarks:
        return _read(self.path)

    def _stamp(self) -> str:
        try:
            status = os.stat(self.path)
        except OSError as error:
            return type(error).__name__
        return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def _read(path: Path) -> PrivacyMarks:
    try:
        return _READER.validate_json(read_regular(path))
    except FileNotFoundError:
        return PrivacyMarks()
    except (OSError, ValidationError, ValueError):
        return PrivacyMarks(is_unreadable=True)


def _name(session_key: str, sender: str) -> str:
    return f"{session_file_name(session_key)}/{sender}" if session_key else _WORKSPACE


def _with(marks: PrivacyMarks, names: Iterable[str], when: datetime) -> dict[str, str]:
    return {**marks.marked, **dict.fromkeys(names, when.isoformat())}
