"""What a workspace knows of its people beyond the configuration: who was heard, and who took over what names nobody."""

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.private import make_missing
from nanobot_memory_plugins.core.files.reading import read_inside
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.core.scopes.people import Person
from nanobot_memory_plugins.core.values.scopes import NOBODYS_CHANNEL

FILE = ".people.json"
_ASIDE = ".unreadable"
# People who were heard besides the owner: a few tell enough.
_MOST_HEARD = 20


class RecordedPeople(BaseModel):
    """The file. ``heard`` are people besides the owner, ``adopted_by`` those whose it is now what names nobody."""

    model_config = ConfigDict(frozen=True, extra="allow")

    heard: tuple[str, ...] = ()
    adopted_by: tuple[str, ...] = ()

    def others(self, owner: Person) -> list[str]:
        """Return who was heard besides the owner."""
        nobodys = f"{NOBODYS_CHANNEL}:"
        return [name for name in self.heard if name not in (owner.label, *owner.names) and not name.startswith(nobodys)]


# A file that cannot be read may have named anybody.
_UNREADABLE = RecordedPeople(heard=(f"somebody whom {FILE} named, which cannot be read",))


class PeopleRecord:
    """The record of one memory folder. Any thread's.

    Where the file cannot be read, several have been heard; it is kept aside before another one takes its place.
    """

    def __init__(self, memory: Path) -> None:
        self.path = memory / FILE
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._recorded = RecordedPeople()

    def current(self) -> RecordedPeople:
        """Return what the file says now; another process may have written it."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return self._recorded
        except OSError:
            return _UNREADABLE
        stamp = (status.st_mtime_ns, status.st_size)
        with self._lock:
            if stamp != self._stamp:
                self._stamp, self._recorded = stamp, self._read()
            return self._recorded

    def hear(self, label: str) -> None:
        """Note that somebody besides the owner writes."""
        recorded = self.current()
        if label not in recorded.heard and len(recorded.heard) < _MOST_HEARD:
            self._recorded = recorded.model_copy(update={"heard": (*recorded.heard, label)})
            try:
                self._write(self._recorded)
            except (OSError, MemoryFileError) as error:  # this process knows it all the same
                logger.warning("{} cannot be written: {}", FILE, type(error).__name__)

    def adopt(self, names: Iterable[str]) -> None:
        """Let the person of these names see what names nobody. Raises `MemoryFileError`."""
        recorded = self.current()
        self._write(recorded.model_copy(update={"adopted_by": tuple(dict.fromkeys((*recorded.adopted_by, *names)))}))

    def _read(self) -> RecordedPeople:
        try:
            return RecordedPeople.model_validate_json(read_inside(self.path))
        except (OSError, ValidationError) as error:
            logger.warning("{} cannot be read: {}", FILE, type(error).__name__)
            return _UNREADABLE

    def _write(self, recorded: RecordedPeople) -> None:
        make_missing(self.path.parent)
        if _UNREADABLE.heard[0] in recorded.heard and self._read() is _UNREADABLE:
            with suppress(OSError):  # what is in the way of writing, the writing says
                self.path.replace(self.path.with_name(f"{FILE}{_ASIDE}"))
        replace_file(self.path, (json.dumps(recorded.model_dump(mode="json"), ensure_ascii=False) + "\n").encode())
