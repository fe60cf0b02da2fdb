"""A server for ``nanobot-memory demo --store postgres``, which is gone with the demonstration."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.tools.postgres_server.server import OwnServer

# What is shown is what it does, not how fast this machine is.
_PATIENCE = 20.0


@contextmanager
def demo_store() -> Iterator[Mapping[str, Any]]:
    """Serve a memory for two machines; gives the options with which they share it. Raises `StoreError`."""
    # Not where TMPDIR says: a socket's name is short, and as root the server is nobody's, who may not pass there.
    folder = Path(tempfile.mkdtemp(prefix="nanobot-memory-", dir="/tmp" if os.path.isdir("/tmp") else None))  # noqa: S108
    folder.chmod(0o755)
    try:
        with OwnServer(folder / "s", safe=False).running() as server:
            yield {"postgres": {"dsn": server.dsn, "tenant": "demo", "searchSeconds": _PATIENCE}}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
