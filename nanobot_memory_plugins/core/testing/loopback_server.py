"""An HTTP server that this machine alone can reach."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class LoopbackServer:
    """Serves on 127.0.0.1, at a port that the system chooses, in a thread of its own. Use it as a context manager."""

    def __init__(self, handler: type[BaseHTTPRequestHandler], *, name: str) -> None:
        self._handler = handler
        self._name = name
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, name=self._name, args=(0.05,), daemon=True).start()
        self._server = server
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def base_url(self) -> str:
        """The address to give as ``apiBase``."""
        if self._server is None:
            raise RuntimeError("The server is not running: use it as a context manager.")
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"
