"""What must fail closed: pauses, conversations whose host's own history is not taken, an unfinished purge, who writes.

One small file, ``memory/.privacy.json``, with names of transcripts and people, times and ids; what is to be forgotten
is in it only for as long as that takes. Where it cannot be read, all counts as paused and as marked, and several as
writers.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.appending import make_folder, workspace_lock
from nanobot_memory_plugins.core.files.paths import MemoryPaths, session_file_name
from nanobot_memory_plugins.core.files.reading import file_stamp, read_regular
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOCK_SECONDS = 5.0
_WORKSPACE = "*"
# By whom a pause was set: only the same exact words, or the command, end what they began.
BY_WORDS, BY_TOOL = "words", "tool"
# People who wrote besides the owner: a few are enough.
MAX_WRITERS = 20
# Nobody waits for long for a lock that is there to note who writes: their next message notes it, too.
_NOTED_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class UnfinishedPurge:
    """A purge that was begun at ``time`` (ISO 8601), and what is left of it to be done."""

    erasure: Erasure
    time: str


@dataclass(frozen=True, slots=True)
class PrivacyMarks:
    """The content of the file. ``paused`` says by whom, for a conversation and sender, or the workspace as a whole.

    ``marked`` are transcripts from whose conversations something was taken back, with the time of the last.
    ``heard`` are people besides the owner who wrote.
    """

    paused: Mapping[str, str] = field(default_factory=dict)
    marked: Mapping[str, str] = field(default_factory=dict)
    unfinished: UnfinishedPurge | None = None
    heard: tuple[str, ...] = ()
    is_unreadable: bool = False

    def pause_of(self, session_key: str, sender: str) -> str:
        """Return by whom a conversation is paused for a sender, or nothing."""
        if self.is_unreadable:
            return BY_WORDS
        names = (_WORKSPACE, _name(session_key, ""), _name(session_key, sender))
        by = {self.paused[name] for name in names if name in self.paused}
        return BY_WORDS if BY_WORDS in by else next(iter(by), "")

    @property
    def is_workspace_paused(self) -> bool:
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


_MARKS = TypeAdapter(PrivacyMarks)


class PrivacyFile:
    """The file of one workspace. Everything here blocks for a moment; what writes raises `MemoryFileError`."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self.path = paths.privacy
        self._known: tuple[object, PrivacyMarks] = ((), PrivacyMarks())

    def read(self) -> PrivacyMarks:
        """Return what the file says; it is read anew where it has changed."""
        stamp = file_stamp(self.path)
        if stamp is None or self._known[0] != stamp:
            self._known = (stamp, _read(self.path))
        return self._known[1]

    def unfinished(self) -> UnfinishedPurge | None:
        """Return the purge that was broken off, also one whose process ended while it was being written down."""
        for left in self.path.parent.glob(f".{self.path.name}.*.tmp"):
            with suppress(OSError, MemoryFileError), workspace_lock(self._paths, "files", _LOCK_SECONDS):
                if _read(left).unfinished is not None and _read(self.path).unfinished is None:
                    os.replace(left, self.path)
                else:
                    left.unlink()
        return self.read().unfinished

    def pause(self, session_key: str, sender: str, by: str, when: datetime) -> None:
        """Pause a conversation for a sender, or with an empty key the workspace."""
        pause, transcript = {_name(session_key, sender): by}, session_file_name(session_key)
        self._change(lambda marks: replace(_marked(marks, [transcript], when), paused={**marks.paused, **pause}))

    def resume(self, session_key: str, sender: str | None) -> None:
        """Go on with a conversation for a sender, without one for everybody; with an empty key with the workspace."""
        name = _name(session_key, sender or "")
        of_everybody = bool(session_key) and sender is None

        def is_meant(one: str) -> bool:
            return one == name or (of_everybody and one.startswith(name))

        self._change(
            lambda marks: replace(marks, paused={one: by for one, by in marks.paused.items() if not is_meant(one)})
        )

    def mark(self, transcripts: Iterable[str], when: datetime) -> None:
        """Note that something was taken back from these conversations, by their transcripts' names."""
        names = list(transcripts)
        self._change(lambda marks: _marked(marks, names, when))

    def note_writer(self, name: str) -> None:
        """Note that somebody besides the owner writes; where the file cannot be read, it stays as it is."""
        marks = self.read()
        if name not in marks.heard and len(marks.heard) < MAX_WRITERS and not marks.is_unreadable:
            self._change(lambda marks: replace(marks, heard=(*marks.heard, name)), _NOTED_SECONDS)

    def note_purge(self, unfinished: UnfinishedPurge | None) -> None:
        """Write down what is being purged, on the disk when this returns; None once nothing is left of it."""
        if self.read().unfinished != unfinished:
            self._change(lambda marks: replace(marks, unfinished=unfinished))

    def _change(self, change: Callable[[PrivacyMarks], PrivacyMarks], seconds: float = _LOCK_SECONDS) -> None:
        make_folder(self._paths, self._paths.memory)
        with workspace_lock(self._paths, "files", seconds):
            marks = _read(self.path)
            if marks.is_unreadable:
                raise MemoryFileError(
                    Sentence("{name} cannot be read", name=self.path.name),
                    hint=Sentence("Correct or remove {file}.", file=self.path),
                )
            data = _MARKS.dump_json(change(marks), exclude={"is_unreadable"})
            replace_file(self.path, data, keeps_backup=False)


def _read(path: Path) -> PrivacyMarks:
    try:
        return _MARKS.validate_json(read_regular(path))
    except FileNotFoundError:
        return PrivacyMarks()
    except (OSError, ValueError):
        return PrivacyMarks(heard=(f"somebody whom {path.name} named, which cannot be read",), is_unreadable=True)


def _name(session_key: str, sender: str) -> str:
    """Return the name of a pause. A conversation may be named by its transcript, as the commands list it."""
    transcript = session_key if session_key.endswith(".jsonl") else session_file_name(session_key)
    return f"{transcript}/{sender}" if session_key else _WORKSPACE


def _marked(marks: PrivacyMarks, transcripts: Iterable[str], when: datetime) -> PrivacyMarks:
    return replace(marks, marked={**marks.marked, **dict.fromkeys(transcripts, when.isoformat())})
