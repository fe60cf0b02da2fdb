"""What was forgotten on somebody's order and could be brought back: until then conversations do not bring it up."""

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from nanobot_memory_plugins.consolidation.model.entry import whole_scope
from nanobot_memory_plugins.consolidation.operations.remember import FORGET, FORGET_ALL
from nanobot_memory_plugins.consolidation.store.atomic_files import read_file, write_private
from nanobot_memory_plugins.consolidation.store.journal import Run, entries_folder
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.erasure.matching import Wanted
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.values import Visibility, Withheld
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict

_NAME = "said-again"
# Texts that are kept ready to be looked for.
_KEPT = 2_000
_SCOPE = TypeAdapter(Scope)


@dataclass(frozen=True, slots=True)
class _Forgotten:
    """The text of a forgotten entry, and whose messages and entries say it again.

    Or a name of which everything was forgotten: then ``whose`` says of whose entries, and it is withheld from those who
    saw one of them.
    """

    held: Withheld
    wanted: Wanted
    again: tuple[Scope, ...]
    whose: tuple[Scope, ...] = ()

    def is_held_from(self, visible: Scope | Visibility) -> bool:
        """Return whether it is withheld from those who see ``visible``."""
        if self.held.is_name and not any(map(visible.allows, self.whose)):
            return False
        return not any(map(visible.allows, self.again))


class WithheldTexts:
    """The texts of the entries that were forgotten, and neither brought back nor purged. It blocks.

    What was said again is withheld from those who do not see where that was. ``memory/.entries/said-again`` has a line
    for each time: the id of the entry, or of the run that forgot everything about a name, and the scope of the message
    as JSON; no words. Without a scope it is everybody's.
    """

    def __init__(self, repository: EntryRepository) -> None:
        self._repository = repository
        self._file = entries_folder(repository.paths) / _NAME
        self._lock = threading.Lock()
        self._ready: BoundedDict[str, Wanted] = BoundedDict(_KEPT)
        self._known: tuple[tuple[str, ...], dict[str, _Forgotten]] = ((), {})

    def texts(self, visible: Scope | Visibility) -> tuple[Withheld, ...]:
        """Return what is withheld from those who see ``visible``, each once. Raises `MemoryFileError`."""
        return tuple(dict.fromkeys(one.held for one in self._forgotten().values() if one.is_held_from(visible)))

    def hear(self, text: str, scope: Scope) -> None:
        """Learn what a user says: what is said again is not withheld any longer from those who see it.

        Raises `MemoryFileError`.
        """
        again = [id_ for id_, one in self._forgotten().items() if scope not in one.again and one.wanted.count(text)]
        if again:
            told = json.dumps(asdict(scope), separators=(",", ":"))
            with self._repository.locked():
                before = read_file(self._file) or b""
                write_private(self._file, before + "".join(f"{id_} {told}\n" for id_ in again).encode())

    def _forgotten(self) -> dict[str, _Forgotten]:
        stamp = tuple(map(_stamp, (self._repository.journal.path, self._repository.path, self._file)))
        with self._lock:
            if self._known[0] != stamp:
                self._known = (stamp, self._read())
            return self._known[1]

    def _read(self) -> dict[str, _Forgotten]:
        found: dict[str, str] = {}
        names: dict[str, Run] = {}
        # What was before the first forgetting tells nothing of it, and is most of a journal.
        for run in self._repository.journal.since_forgotten():
            if run.why.startswith(FORGET_ALL):
                names[run.id] = run
            for change in run.changes:
                if change.after is not None:
                    found.pop(change.id, None)
                elif run.why.startswith(FORGET) and change.before is not None:
                    found[change.id] = change.before.content
        if not found and not names:
            return {}
        there = self._repository.load().entries
        said = list(self._said_again())
        # Entries stand here as they were written, without secrets: to look for these takes most of the time.
        told = Wanted((entry.content for entry in there.values()), are_redacted=True)
        saying = Wanted(found.values(), are_redacted=True)
        alike = [entry for entry in there.values() if saying.count(entry.content)]
        forgotten: dict[str, _Forgotten] = {}
        for id_, text in found.items():
            if id_ not in there:
                wanted = self._wanted_of(text)
                again = [scope for name, scope in said if name == id_]
                again += [whole_scope(entry) for entry in alike if wanted.count(entry.content)]
                if told.count(text):
                    again += [
                        whole_scope(entry)
                        for entry in there.values()
                        if Wanted([entry.content], are_redacted=True).count(text)
                    ]
                forgotten[id_] = _Forgotten(Withheld(text), wanted, tuple(dict.fromkeys(again)))
        for id_, run in names.items():
            if not any(change.id in there for change in run.changes):
                name = run.why.removeprefix(FORGET_ALL)
                again = [scope for one, scope in said if one == id_]
                whose = tuple(whole_scope(change.before) for change in run.changes if change.before is not None)
                forgotten[id_] = _Forgotten(Withheld(name, is_name=True), Wanted((), words=[name]), tuple(again), whose)
        return forgotten

    def _wanted_of(self, text: str) -> Wanted:
        wanted = self._ready.pop(text, None) or Wanted([text])
        self._ready[text] = wanted  # the one that was used last is the last
        return wanted

    def _said_again(self) -> Iterator[tuple[str, Scope]]:
        try:
            lines = (read_file(self._file) or b"").decode("utf-8", "replace").splitlines()
        except MemoryFileError:
            return
        for line in lines:
            id_, _, told = line.partition(" ")
            try:
                yield id_, _SCOPE.validate_json(told) if told else Scope()
            except ValidationError:
                continue


def _stamp(path: Path) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
