"""A way to the server that can be made slow, or tells another version: a socket that passes everything on."""

import contextlib
import re
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_NAME = ".s.PGSQL.5432"
# In what a server says of itself when a connection begins.
_VERSION = re.compile(rb"S....server_version\0[^\0]+\0", re.DOTALL)


class SlowWay:
    """Passes bytes on between clients and a server. ``delay`` are the seconds that each answer waits.

    ``version`` is what the server says of itself instead of its own.
    ``turns`` counts how often a client spoke after an answer: the round trips.
    """

    def __init__(self, folder: Path, target: Path) -> None:
        self.delay = 0.0
        self.version = ""
        self.turns = 0
        self._is_answered = True
        self._target = target
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(folder / _NAME))
        self._listening.listen()
        self._begin(self._accept)

    def close(self) -> None:
        for one in [self._listening, *self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(5)

    def _begin(self, function, *arguments) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._sockets += [client, server]
            try:
                server.connect(str(self._target / _NAME))
            except OSError:
                client.close()
                continue
            self._begin(self._pass_on, client, server, False)
            self._begin(self._pass_on, server, client, True)

    def _told(self) -> bytes:
        said = b"server_version\0" + self.version.encode() + b"\0"
        return b"S" + (len(said) + 4).to_bytes(4, "big") + said

    def _pass_on(self, source: socket.socket, target: socket.socket, waits: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if waits and self.delay:
                    time.sleep(self.delay)
                if waits and self.version:
                    data = _VERSION.sub(lambda _: self._told(), data)
                self.turns += self._is_answered and not waits
                self._is_answered = waits
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def slow_way(dsn: str) -> Iterator[tuple[SlowWay, str]]:
    """Open a way to the server of a dsn, and give it with the dsn that leads over it."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    given = conninfo_to_dict(dsn)
    way = SlowWay(folder, Path(str(given["host"])))
    try:
        yield way, make_conninfo("", **{**given, "host": str(folder)})
    finally:
        way.close()
        shutil.rmtree(folder, ignore_errors=True)
