"""A server in a folder of its own: made, started, looked at and stopped.

Nothing is installed in the system and no account is made. The server listens on a socket in its folder alone, which has
mode 0700: whoever may enter the folder may use the server, and nobody else. As root, for which PostgreSQL does not
run, the server and its folder are those of ``nobody``.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import filelock
import psycopg
from platformdirs import user_data_dir
from psycopg.conninfo import make_conninfo

from nanobot_memory_plugins.core import StoreError, logger
from nanobot_memory_plugins.core.files import make_missing, private_lock
from nanobot_memory_plugins.postgres.server.binaries import copied, find_binaries, readable_by
from nanobot_memory_plugins.redaction.script.messages import Sentence

DATABASE: Final = "memory"
ROLE: Final = "memory"
FOLDER_VARIABLE: Final = "NANOBOT_MEMORY_POSTGRES"
_ADMINISTRATOR = "postgres"
_SOCKET = ".s.PGSQL.5432"
# What the address of a socket may be long, with some room: 107 bytes on Linux, 103 on macOS.
_LONGEST_SOCKET = 100
_SECONDS, _SETTLING, _POLL = 60, 5.0, 0.05
# Whose group it is differs: nogroup, nobody.
_NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server stands. ``dsn`` is how it is reached, empty while it does not run."""

    folder: Path
    exists: bool
    running: bool
    process: int = 0
    dsn: str = ""
    version: str = ""


def default_folder() -> Path:
    """Return the folder of this user's server; it need not exist yet."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    if _is_root():
        return Path("/var/lib/nanobot-memory/postgres")  # nobody may not enter root's home
    return Path(user_data_dir("nanobot-memory")) / "postgres"


class OwnServer:
    """The server of one folder. Everything blocks, and raises `StoreError` with what helps.

    ``safe`` is false for tests alone: then a loss of power may harm it, and it is twice as fast.
    """

    def __init__(self, folder: Path | None = None, *, binaries: Path | None = None, safe: bool = True) -> None:
        self.folder = (folder or default_folder()).expanduser().absolute()
        self._named = binaries
        self._safe = safe
        self._data = self.folder / "data"
        self._sockets = self.folder / "run"
        self._log = self.folder / "server.log"

    @property
    def dsn(self) -> str:
        """How a client reaches the memory's database."""
        return make_conninfo("", host=str(self._sockets), user=ROLE, dbname=DATABASE)

    @property
    def administrator_dsn(self) -> str:
        """The same for the administrator, to whom everything is allowed."""
        return make_conninfo("", host=str(self._sockets), user=_ADMINISTRATOR, dbname=DATABASE)

    def start(self) -> ServerStatus:
        """Make the server if it is not there yet, and start it if it does not run."""
        if os.name == "nt":
            raise StoreError(
                "The trial server needs Unix sockets, which clients of PostgreSQL do not have on Windows.",
                hint="Run PostgreSQL with pgvector otherwise, in a container for instance, and give its dsn.",
            )
        binaries = find_binaries(self._named)
        if len(os.fsencode(self._sockets / _SOCKET)) > _LONGEST_SOCKET:
            raise StoreError(
                Sentence("The folder {folder} has too long a name for a socket.", folder=self.folder),
                hint=Sentence(
                    "Choose a shorter one: --folder, or the variable {folder_variable}.",
                    folder_variable=FOLDER_VARIABLE,
                ),
            )
        try:
            with self._alone():
                binaries = self._own(binaries)
                if not (self._data / "PG_VERSION").is_file():
                    self._make(binaries)
                if not self._runs(binaries):
                    self._begin(binaries)
                self._prepare(binaries)
        except OSError as error:
            raise StoreError(
                Sentence(
                    "The server in {folder} cannot be started ({why}).",
                    folder=self.folder,
                    why=error.strerror or type(error).__name__,
                ),
                hint="Check that the folder can be written.",
            ) from error
        return self.status()

    def stop(self) -> bool:
        """Stop the server and wait until it has ended; return whether it ran. What is open in it is broken off."""
        if not (self._data / "postmaster.pid").is_file():
            return False
        with self._alone():
            binaries = self._own(find_binaries(self._named))
            if not self._runs(binaries):
                return False
            try:
                self._run(binaries, "pg_ctl", "stop", "-D", self._data, "-m", "fast", "-w", "-t", str(_SECONDS))
            except StoreError:
                if self._process():  # else it has ended by itself
                    raise
        return True

    def status(self) -> ServerStatus:
        """Return how the server stands."""
        process = self._process()
        if not process:
            return ServerStatus(self.folder, self._data.is_dir(), running=False)
        try:
            with psycopg.connect(self.dsn, connect_timeout=2) as connection:
                version = str(connection.info.parameter_status("server_version"))
        except psycopg.OperationalError:
            return ServerStatus(self.folder, exists=True, running=False)
        return ServerStatus(self.folder, exists=True, running=True, process=process, dsn=self.dsn, version=version)

    def remove(self) -> None:
        """Stop the server and delete its folder with everything that is in it."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def running(self) -> Iterator["OwnServer"]:
        """Run the server until the end of the context, or of this process, however it ends."""
        self.start()
        # Told by the end of its standard input that nobody needs the server any more.
        guard = subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-m", f"{__package__}.guard", str(self.folder), str(self._process())],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            yield self
        finally:
            self.stop()
            guard.communicate()

    def _process(self) -> int:
        """Return the number of the server's process, 0 where its file names none that lives."""
        try:
            process = int((self._data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
            os.kill(process, 0)
        except (OSError, ValueError):
            return 0
        return process

    def _make(self, binaries: Path) -> None:
        options = [] if self._safe else ["--no-sync"]
        self._run(
            binaries, "initdb", "-D", self._data, "-U", _ADMINISTRATOR, "-A", "trust", "-E", "UTF8", "--locale=C",
            "--data-checksums", *options,
        )  # fmt: skip

    def _begin(self, binaries: Path) -> None:
        settings = f"-k '{self._sockets}' -c listen_addresses= -c unix_socket_permissions=0700 -c jit=off"
        if not self._safe:
            settings += " -c fsync=off -c full_page_writes=off"
        try:
            self._run(
                binaries,
                "pg_ctl",
                "start",
                "-D",
                self._data,
                "-l",
                self._log,
                "-w",
                "-t",
                str(_SECONDS),
                "-o",
                settings,
            )
        except StoreError:
            self._run(binaries, "pg_ctl", "stop", "-D", self._data, "-m", "immediate", check=False)
            raise

    def _prepare(self, binaries: Path) -> None:
        """Make role and database, each where it is missing: an earlier start may have been broken off."""
        admin = make_conninfo("", host=str(self._sockets), user=_ADMINISTRATOR, dbname=_ADMINISTRATOR)
        try:
            with psycopg.connect(admin, autocommit=True, connect_timeout=5) as connection:
                if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
                    connection.execute(f"CREATE ROLE {ROLE} LOGIN")
                if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                    connection.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
            with psycopg.connect(self.administrator_dsn, autocommit=True, connect_timeout=5) as connection:
                if not connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
                    connection.execute("CREATE EXTENSION vector")
        except psycopg.Error as error:
            raise StoreError(
                Sentence(
                    "The database of the server in {folder} cannot be made ({kind}).",
                    folder=self.folder,
                    kind=type(error).__name__,
                ),
                hint=Sentence("See {log}; {binaries} must have pgvector.", log=self._log, binaries=binaries),
            ) from error

    def _runs(self, binaries: Path) -> bool:
        """Tell whether the server runs. One that has just ended or begun is there and does not answer for a moment."""
        end = time.monotonic() + _SETTLING
        while self._run(binaries, "pg_ctl", "status", "-D", self._data, check=False).returncode == 0:
            answers = self._run(binaries, "pg_isready", "-h", self._sockets, "-q", check=False).returncode == 0
            if answers or time.monotonic() > end:
                return True
            time.sleep(_POLL)
        return False

    def _own(self, binaries: Path) -> Path:
        """Give the folders to whoever runs the server, and return programs that he can run."""
        account = _account()
        for folder in (self.folder, self._sockets):
            folder.mkdir(mode=0o700, exist_ok=True)
            folder.chmod(0o700)
            if account is not None:
                os.chown(folder, account.pw_uid, account.pw_gid)
        if account is None:
            return binaries
        if not all(_passes(one, account.pw_uid) for one in self.folder.parents):
            raise StoreError(
                Sentence(
                    "As root the server runs as {nobody}, who cannot enter {parent}.",
                    nobody=_NOBODY,
                    parent=self.folder.parent,
                ),
                hint="Choose a folder in /var/lib, say, by --folder, or run this as another user.",
            )
        return binaries if readable_by(binaries, account.pw_uid) else copied(binaries, self.folder)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process at a time start or stop this server."""
        make_missing(self.folder.parent)
        if _is_root() and self.folder == default_folder():
            self.folder.parent.chmod(0o755)
        lock = private_lock(self.folder.parent / f".{self.folder.name}.lock")
        try:
            lock.acquire(timeout=_SECONDS)
        except filelock.Timeout as error:
            raise StoreError(
                Sentence("Another process is starting or stopping the server in {folder}.", folder=self.folder)
            ) from error
        try:
            yield
        finally:
            lock.release(force=True)

    def _run(
        self, binaries: Path, program: str, *arguments: str | Path, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        account = _account()
        whose: dict[str, Any] = {}
        if account is not None:
            whose = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        # Not by pipes: the server would keep them open, and they would be waited for.
        with open(os.devnull, "wb") as nowhere:
            done = subprocess.run(  # noqa: S603  # our own program
                [str(binaries / "bin" / program), *map(str, arguments)],
                stdin=subprocess.DEVNULL, stdout=nowhere, stderr=nowhere, text=True, check=False, cwd="/",
                env={**variables, "LC_ALL": "C"}, timeout=2 * _SECONDS, **whose,
            )  # fmt: skip
        if check and done.returncode:
            raise StoreError(
                Sentence(
                    "{program} failed for the server in {folder} (exit status {returncode}).",
                    program=program,
                    folder=self.folder,
                    returncode=done.returncode,
                ),
                hint=Sentence("See {log}.", log=self._log)
                if self._log.exists()
                else "Check that the folder can be written.",
            )
        logger.debug("{}: exit status {}", program, done.returncode)
        return done


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _account() -> Any:
    """Return the account that the server runs as where we are root, else None."""
    if not _is_root():
        return None
    import pwd

    return pwd.getpwnam(_NOBODY)


def _passes(folder: Path, user: int) -> bool:
    status = folder.stat()
    return bool(status.st_mode & (0o100 if status.st_uid == user else 0o001))
