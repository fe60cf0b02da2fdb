"""A server with a standby that can take its place, each on a disk of its own that can be filled."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.postgres.server.binaries import find_binaries
from nanobot_memory_plugins.postgres.server.launcher import OwnServer, ServerStatus

_MEGABYTE = 1 << 20


def administer(server: OwnServer, *statements: str) -> None:
    with psycopg.connect(server.administrator_dsn, autocommit=True) as admin:
        for statement in statements:
            admin.execute(statement.encode())


def copy(primary: OwnServer, standby: OwnServer) -> None:
    """Make the standby's data a copy of the primary's, which it follows from then on."""
    binaries = standby._own(find_binaries(None))
    arguments = ["-h", primary._sockets, "-U", "postgres", "-D", standby._data, "-R", "-X", "stream", "-c", "fast"]
    primary._run(binaries, "pg_basebackup", *arguments)


def dsn_of_both(primary: OwnServer, standby: OwnServer) -> str:
    """Return how a client reaches whichever of the two takes what is written."""
    return make_conninfo(primary.dsn, host=f"{primary._sockets},{standby._sockets}", target_session_attrs="read-write")


def kill(server: OwnServer) -> None:
    os.kill(server.status().process, signal.SIGKILL)


@contextmanager
def primary_and_standby(folder: Path) -> Iterator[tuple[OwnServer, OwnServer]]:
    primary, standby = OwnServer(folder / "p"), OwnServer(folder / "s")
    with primary.running():
        copy(primary, standby)
        with standby.running():
            yield primary, standby


def can_mount() -> bool:
    """Tell whether this process may make file systems of its own."""
    return hasattr(os, "geteuid") and not os.geteuid() and shutil.which("mount") is not None


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Make a file system of so many megabytes, in memory. Raises `OSError`."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        raise OSError("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Leave a megabyte of a file system; return the file that is to be deleted afterwards."""
    found, ballast = os.statvfs(disk), disk / "ballast"
    with suppress(OSError), ballast.open("wb") as file:  # others write, too: there may be less in the end
        for _ in range(found.f_bavail * found.f_frsize // _MEGABYTE - 1):
            file.write(b"\0" * _MEGABYTE)
    return ballast


class ServerPair:
    """Two servers that look like one: the one that takes what is written now, and the one that follows it."""

    def __init__(self, folder: Path, *, disk_megabytes: int = 0) -> None:
        self._folder = folder
        self._disk_megabytes = disk_megabytes
        self.has_disks = bool(disk_megabytes)
        self.primary, self.standby = (OwnServer(self._of(name) / "s") for name in ("a", "b"))

    def _of(self, name: str) -> Path:
        return self._folder / name

    @contextmanager
    def running(self) -> Iterator["ServerPair"]:
        """Run both until the end of the context."""
        with ExitStack() as stack:
            for name in ("a", "b"):
                if self.has_disks:
                    stack.enter_context(small_disk(self._of(name), self._disk_megabytes))
            stack.enter_context(self.primary.running())
            copy(self.primary, self.standby)
            stack.enter_context(self.standby.running())
            yield self

    @property
    def dsn(self) -> str:
        return dsn_of_both(self.primary, self.standby)

    @property
    def administrator_dsn(self) -> str:
        return self.primary.administrator_dsn

    def status(self) -> ServerStatus:
        return self.primary.status()

    def start(self) -> ServerStatus:
        return self.primary.start()

    def stop(self) -> bool:
        return self.primary.stop()

    def fill_disk(self, seconds: float) -> None:
        """Leave the server no room until it complains, and for a while then; start it again where it has given up.

        Raises `TimeoutError` where it does not complain: nobody writes.
        """
        before = self._complaints()
        ballast = fill(self.primary.folder.parent)
        end = time.monotonic() + 60
        while self._complaints() == before:
            if time.monotonic() > end:
                raise TimeoutError("a full disk was not felt")
            with suppress(psycopg.Error):  # its log uses the room up that it has made before
                administer(self.primary, "SELECT pg_logical_emit_message(false, 'ballast', repeat('-', 8000000))")
            time.sleep(0.3)
        time.sleep(seconds)
        ballast.unlink()
        self.primary.start()

    def _complaints(self) -> int:
        return self.primary._log.read_text(encoding="utf-8").count("No space left on device")

    def fail_over(self, *, is_synchronous: bool) -> None:
        """Kill the server and let its standby take its place, then make a new standby of it.

        With ``is_synchronous`` the standby has everything that was confirmed before; else it may lack the last of it.
        """
        if is_synchronous:
            administer(self.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
            time.sleep(1)
        kill(self.primary)
        administer(self.standby, "SELECT pg_promote(true, 60)", "ALTER SYSTEM RESET synchronous_standby_names")
        administer(self.standby, "SELECT pg_reload_conf()")
        self.primary, self.standby = self.standby, self.primary
        self.standby.stop()  # what is left of it
        shutil.rmtree(self.standby._data, ignore_errors=True)
        copy(self.primary, self.standby)
        self.standby.start()
