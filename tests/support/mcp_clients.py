"""MCP clients for tests: the SDK's own, and one that writes and reads raw lines."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import load_config
from nanobot_memory_plugins.mcp.clients import OWNER, process_client
from tests.behaviour.kit.nanobot import OFFLINE
from tests.support.files_of import text_of

WITHOUT_EMBEDDINGS = {"memoryPlugins": {"storage": {"embeddingProvider": "none"}}}
PROTOCOL = "2025-06-18"


class ServedWorkspace:
    """A workspace with its configuration, and the command that serves it."""

    def __init__(self, folder: Path, configuration: Mapping[str, Any] = WITHOUT_EMBEDDINGS) -> None:
        self.workspace = folder / "workspace"
        self.home = folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.config = folder / "memory.json"
        self.config.write_text(json.dumps(configuration), encoding="utf-8")
        self.environment = {**os.environ, **OFFLINE, "HOME": str(self.home), "CLAUDE_CODE_SESSION_ID": ""}

    def arguments(self, *more: str) -> list[str]:
        named = ["--workspace", str(self.workspace), "--config", str(self.config)]
        return ["-m", "nanobot_memory_plugins.core.cli", "mcp", *named, *more]

    def process(self, *more: str, **environment: str) -> "LineClient":
        """Start a server process, and return a client of its pipes."""
        return LineClient([sys.executable, *self.arguments(*more)], {**self.environment, **environment})

    @asynccontextmanager
    async def connected(self, user: str = OWNER) -> AsyncIterator["Client"]:
        """Connect the SDK's client to a server in this process."""
        from mcp.shared.memory import create_connected_server_and_client_session

        from nanobot_memory_plugins.mcp.server import MemoryServer, served_memory

        client = process_client(user, {})
        server = MemoryServer(served_memory(self.workspace, load_config(self.config)), lambda: client)
        server.begin()
        try:
            async with create_connected_server_and_client_session(server) as session:
                yield Client(session, None)
        finally:
            await server.close()

    def stored(self) -> str:
        """Return the text of all files of the memory."""
        return text_of(self.workspace / "memory")


class Client:
    """The SDK's client with shortcuts for tests."""

    def __init__(self, session: Any, hello: Any) -> None:
        self.session, self.hello = session, hello

    async def call(self, name: str, **arguments: Any) -> Any:
        return await self.session.call_tool(name, arguments)

    async def text(self, name: str, **arguments: Any) -> str:
        answer = await self.call(name, **arguments)
        assert not answer.isError, answer
        return answer.content[0].text


class LineClient:
    """A blocking client that writes and reads one JSON object per line."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.number = 0

    def send(self, method: str, params: Mapping[str, Any] | None = None, *, notify: bool = False) -> int:
        self.number += not notify
        message = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        line = json.dumps(message if notify else {**message, "id": self.number})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.number

    def read(self) -> dict[str, Any]:
        """Return the next message. Raises `EOFError` at the end."""
        line = self.process.stdout.readline()
        if not line:
            raise EOFError
        return json.loads(line)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to a request, and skip earlier messages."""
        number = self.send(method, params)
        while (answer := self.read()).get("id") != number:
            pass
        return answer

    def hello(self) -> dict[str, Any]:
        told = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.ask("initialize", told)
        self.send("notifications/initialized", notify=True)
        return answer["result"]

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def end(self) -> tuple[bytes, bytes, int]:
        """Close the server's input, and return its remaining output, its errors and its exit status."""
        rest, errors = self.process.communicate(timeout=30)
        return rest, errors, self.process.returncode

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=30)
