"""The erasure that is being carried out, written down first: one that is broken off is finished at the next start.

``memory/.erasure/unfinished.json`` holds the words for as long as that takes, for the owner only, and is overwritten at
the end. It is written in one go before anything else: half of it says that nothing had begun. Where only the index is
left to be cleaned, it holds no words any more.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.private import private_folder, private_lock
from nanobot_memory_plugins.core.files.reading import read_regular
from nanobot_memory_plugins.core.files.replace import sync_folder
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence

FOLDER = ".erasure"
_VERSION = 1


class BeingErasedError(MemoryFileError):
    """Another process is erasing something in this workspace."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An erasure that was begun at ``time`` (ISO 8601)."""

    erasure: Erasure
    time: str


class ErasureRecord:
    """What is being erased in one workspace. Everything here blocks."""

    def __init__(self, paths: MemoryPaths) -> None:
        self._paths = paths
        self.path: Path = paths.memory / FOLDER / "unfinished.json"
        self._new = self.path.with_name(f"{self.path.name}.new")

    def exists(self) -> bool:
        """Return whether an erasure is going on, or was broken off."""
        return self.path.exists()

    @contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        """Let erasures be done one after the other. Raises `BeingErasedError`, and `MemoryFileError`."""
        from filelock import Timeout

        try:
            private_folder(self._paths.locks, below=self._paths.memory)
            lock = private_lock(self._paths.locks / "erasure.lock", thread_local=False)
            lock.acquire(timeout=seconds)
        except Timeout as error:
            raise BeingErasedError(
                "Something else is being forgotten in this workspace just now.",
                hint="Try again when that is over; it goes on at the next start when its process ends.",
            ) from error
        except OSError as error:
            raise MemoryFileError(
                Sentence("The memory cannot be locked: {why}.", why=error.strerror or type(error).__name__)
            ) from error
        try:
            yield
        finally:
            lock.release()

    def read(self) -> Unfinished | None:
        """Return what is unfinished; None where nothing is, or where it had not begun. Raises `MemoryFileError`."""
        try:
            data = read_regular(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MemoryFileError(
                Sentence("What was to be forgotten cannot be read: {why}.", why=error.strerror or type(error).__name__)
            ) from error
        from pydantic import TypeAdapter

        try:
            row = json.loads(data)
            if isinstance(row, dict) and row.get("version", 0) > _VERSION:
                raise MemoryFileError(
                    "A newer version has begun to forget something, and was broken off.",
                    hint="Update nanobot-memory-core, and start it once.",
                )
            return Unfinished(TypeAdapter(Erasure).validate_python(row["erasure"]), str(row["time"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def begin(self, erasure: Erasure, time: str) -> None:
        """Write down what is going to be erased, on the disk when this returns. Raises `MemoryFileError`.

        What was written down before counts until then, and is overwritten.
        """
        before = self.read()
        if before is None:
            self._write(self.path, erasure, time)
        elif before != Unfinished(erasure, time):
            self.reduce(erasure, time)

    def _write(self, path: Path, erasure: Erasure, time: str) -> None:
        row = {"version": _VERSION, "time": time, "erasure": asdict(erasure)}
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            private_folder(path.parent, below=self._paths.memory)
            with open(os.open(path, flags, 0o600), "wb", buffering=0) as file:
                file.write(json.dumps(row).encode("ascii"))
                os.fsync(file.fileno())
            sync_folder(path.parent)
        except OSError as error:
            raise MemoryFileError(
                Sentence(
                    "What is to be forgotten cannot be written down: {why}.", why=error.strerror or type(error).__name__
                ),
                hint=Sentence(
                    "Make memory/{folder} a folder that this user can write; nothing was removed.", folder=FOLDER
                ),
            ) from error

    def reduce(self, erasure: Erasure, time: str) -> None:
        """Leave only what is still to be erased; what was written down before is overwritten.

        Raises `MemoryFileError`.
        """
        self._write(self._new, erasure, time)
        try:
            with open(self.path, "r+b", buffering=0) as old:
                os.replace(self._new, self.path)
                _overwrite(old)
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._stays(error) from error

    def end(self) -> None:
        """Overwrite and remove what was written down. Raises `MemoryFileError`."""
        for path in (self._new, self.path):
            try:
                with open(path, "r+b", buffering=0) as file:
                    _overwrite(file)
                path.unlink()
                sync_folder(path.parent)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise self._stays(error) from error

    def _stays(self, error: OSError) -> MemoryFileError:
        return MemoryFileError(
            Sentence(
                "{relative} holds what was forgotten, and cannot be removed: {why}.",
                relative=self._paths.relative(self.path),
                why=error.strerror or type(error).__name__,
            ),
            hint="Delete it.",
        )


def _overwrite(file: BinaryIO) -> None:
    file.write(bytes(os.fstat(file.fileno()).st_size))
    os.fsync(file.fileno())
