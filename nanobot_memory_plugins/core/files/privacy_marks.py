"""Privacy state that must fail closed: pauses, marked conversations, an unfinished purge, and the people who write.

It is one small file, ``memory/.privacy.json``, with names of transcripts and people, times and ids. Texts to be purged
are in it only while the purge runs. When the file cannot be read, everything counts as paused and marked, and the
workspace as used by several people.
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
# How a pause was set. A pause that the user's exact words began is ended only by such words or the command.
BY_WORDS, BY_TOOL = "words", "tool"
# The number of other writers that are recorded: a few are enough to know that there are several.
MAX_WRITERS = 20
# Recording a writer does not wait longer for the lock: the next message of the same person records it too.
_WRITER_LOCK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class UnfinishedPurge:
    """The remaining part of a purge that was started at ``time`` (ISO 8601)."""

    erasure: Erasure
    time: str


@dataclass(frozen=True, slots=True)
class PrivacyMarks:
    """The content of the file.

    ``paused`` maps a conversation and sender, or the whole workspace, to how the pause was set. ``marked`` maps
    transcripts to the time of their last mark: parts of these conversations were removed, so that the host's own
    history of them is not used. ``heard`` are the people besides the owner who have written.
    """

    paused: Mapping[str, str] = field(default_factory=dict)
    marked: Mapping[str, str] = field(default_factory=dict)
    unfinished: UnfinishedPurge | None = None
    heard: tuple[str, ...] = ()
    is_unreadable: bool = False

    def pause_of(self, session_key: str, sender: str) -> str:
        """Return how a conversation was paused for a sender (`BY_WORDS` or `BY_TOOL`), or nothing."""
        if self.is_unreadable:
            return BY_WORDS
        names = (_WORKSPACE, _pause_key(session_key, ""), _pause_key(session_key, sender))
        by = {self.paused[name] for name in names if name in self.paused}
        return BY_WORDS if BY_WORDS in by else next(iter(by), "")

    @property
    def is_workspace_paused(self) -> bool:
        """Whether the whole workspace is paused."""
        return _WORKSPACE in self.paused

    @property
    def paused_conversations(self) -> list[str]:
        """The names of the transcripts of paused conversations."""
        return sorted({name.partition("/")[0] for name in self.paused if name != _WORKSPACE})

    def is_marked(self, session_key: str) -> bool:
        """Return whether parts of a conversation were removed, which the host's own history may still contain."""
        return self.is_unreadable or session_file_name(session_key) in self.marked

    @property
    def last_marked(self) -> str:
        """The time of the last mark (ISO 8601), or nothing."""
        return max(self.marked.values(), default="")


_ADAPTER = TypeAdapter(PrivacyMarks)


class PrivacyFile:
    """Reads and changes the privacy file of one workspace. Every call blocks; changes may raise `MemoryFileError`."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self.path = paths.privacy
        self._cached: tuple[object, PrivacyMarks] = ((), PrivacyMarks())

    def read(self) -> PrivacyMarks:
        """Return the content of the file. It is read only when it has changed."""
        stamp = file_stamp(self.path)
        if stamp is None or self._cached[0] != stamp:
            self._cached = (stamp, _read(self.path))
        return self._cached[1]

    def unfinished(self) -> UnfinishedPurge | None:
        """Return the interrupted purge, if any, even when its process died while recording it."""
        for left in self.path.parent.glob(f".{self.path.name}.*.tmp"):
            with suppress(OSError, MemoryFileError), workspace_lock(self._paths, "files", _LOCK_SECONDS):
                if _read(left).unfinished is not None and _read(self.path).unfinished is None:
                    os.replace(left, self.path)
                else:
                    left.unlink()
        return self.read().unfinished

    def pause(self, session_key: str, sender: str, by: str, when: datetime) -> None:
        """Pause a conversation for a sender, or the whole workspace when the key is empty."""
        pause, transcript = {_pause_key(session_key, sender): by}, session_file_name(session_key)
        self._change(lambda marks: replace(_with_mark(marks, [transcript], when), paused={**marks.paused, **pause}))

    def resume(self, session_key: str, sender: str | None) -> None:
        """Resume a conversation for a sender, or for everybody when it is None. An empty key resumes the workspace."""
        key = _pause_key(session_key, sender or "")
        is_for_everybody = bool(session_key) and sender is None

        def is_ended(one: str) -> bool:
            return one == key or (is_for_everybody and one.startswith(key))

        self._change(
            lambda marks: replace(marks, paused={one: by for one, by in marks.paused.items() if not is_ended(one)})
        )

    def mark(self, transcripts: Iterable[str], when: datetime) -> None:
        """Record that parts of these conversations were removed. ``transcripts`` are file names."""
        names = list(transcripts)
        self._change(lambda marks: _with_mark(marks, names, when))

    def note_writer(self, name: str) -> None:
        """Record a person besides the owner who writes. An unreadable file is left unchanged."""
        marks = self.read()
        if name not in marks.heard and len(marks.heard) < MAX_WRITERS and not marks.is_unreadable:
            self._change(lambda marks: replace(marks, heard=(*marks.heard, name)), _WRITER_LOCK_SECONDS)

    def note_purge(self, unfinished: UnfinishedPurge | None) -> None:
        """Record the remaining part of a purge, on the disk when this returns, or None once it is complete."""
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
            data = _ADAPTER.dump_json(change(marks), exclude={"is_unreadable"})
            replace_file(self.path, data, keeps_backup=False)


def _read(path: Path) -> PrivacyMarks:
    try:
        return _ADAPTER.validate_json(read_regular(path))
    except FileNotFoundError:
        return PrivacyMarks()
    except (OSError, ValueError):
        return PrivacyMarks(heard=(f"somebody whom {path.name} named, which cannot be read",), is_unreadable=True)


def _pause_key(session_key: str, sender: str) -> str:
    """Return the key of a pause. A conversation may be given by its transcript, as commands list it."""
    transcript = session_key if session_key.endswith(".jsonl") else session_file_name(session_key)
    return f"{transcript}/{sender}" if session_key else _WORKSPACE


def _with_mark(marks: PrivacyMarks, transcripts: Iterable[str], when: datetime) -> PrivacyMarks:
    return replace(marks, marked={**marks.marked, **dict.fromkeys(transcripts, when.isoformat())})
