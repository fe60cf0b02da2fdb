"""The server over HTTP: who gets access, to whose memory, and what happens after a restart."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.support.mcp_clients import PROTOCOL, Client, ServedWorkspace

ANA = "ana-" + "a" * 30
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


class HttpServer:
    """A server process for a workspace, on its own port."""

    def __init__(self, served: ServedWorkspace, *more: str, port: int = 0, **environment: str) -> None:
        self.lines: list[str] = []
        self.errors = served.home / "errors.txt"
        arguments = served.arguments("--http", "--port", str(port), *more)
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                env={**served.environment, **environment},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        for line in self.process.stdout:
            self.lines.append(line)
            if "is served at" in line:
                break
        self.url = next(word for word in self.lines[-1].split() if word.startswith("http"))
        self.port = int(self.url.rpartition(":")[2].partition("/")[0])

    def ask(
        self, token: str = ANA, *, path: str = "/mcp", method: str = "POST", content: bytes = b"", **headers: str
    ) -> httpx.Response:
        given = {**ACCEPT, **({"Authorization": f"Bearer {token}"} if token else {}), **headers}
        url = f"http://127.0.0.1:{self.port}{path}"
        given = {"Content-Type": "application/json", **given}
        return httpx.request(
            method, url, content=content or json.dumps(HELLO), headers=given, timeout=30, trust_env=False
        )

    @asynccontextmanager
    async def client(self, token: str, **headers: str) -> AsyncIterator[Client]:
        from mcp import ClientSession
        from mcp.client.streamable_http import streamable_http_client

        given = {"Authorization": f"Bearer {token}", **headers}
        async with (
            httpx.AsyncClient(headers=given, timeout=30, trust_env=False) as http,
            streamable_http_client(self.url, http_client=http) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            yield Client(session, await session.initialize())

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=30)
        return self.process.returncode


@pytest.fixture
def server(served) -> Iterator[HttpServer]:
    running = HttpServer(served, "--allow-host", "memory.example.org", NANOBOT_MEMORY_MCP_TOKEN=ANA)
    yield running
    running.end(signal.SIGKILL)


async def test_who_may_come_in_and_whose_memory_they_get(server, served):
    assert server.ask().status_code == 200
    for token in ("", "wrong-" + "a" * 30, ANA[:-1], ANA + "a"):
        refused = server.ask(token)
        assert (refused.status_code, refused.headers["www-authenticate"][:6]) == (401, "Bearer")
        assert ANA not in refused.text
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port + 1}", "", "a@b"):
        assert server.ask(Host=host).status_code == 421, host
    for host in (f"localhost:{server.port}", "memory.example.org"):
        assert server.ask(Host=host).status_code == 200, host
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port}.evil.example", "file://"):
        assert server.ask(Origin=origin).status_code == 403, origin
    assert server.ask(Origin=f"http://localhost:{server.port}").status_code == 200
    deep = server.ask(content=b'{"a":' + b"[" * 100_000)
    assert deep.status_code in (400, 500)
    assert deep.json()["error"]
    assert server.ask(path="/").status_code == 404
    assert server.ask(path="/mcp/../mcp/x").status_code == 404
    assert (server.ask(method="GET").status_code, server.ask(method="DELETE").status_code) == (405, 405)
    async with server.client(ANA) as ana:
        assert ana.hello.instructions
        await ana.text("remember", text="The boat of the user is called Wanda")
        assert "Wanda" in await ana.text("memory_search", query="boat")
        assert ANA not in served.stored()
    assert "Traceback" not in server.errors.read_text()


@pytest.mark.slow
async def test_a_client_goes_on_after_the_server_was_killed_and_started_again(served):
    first = HttpServer(served, NANOBOT_MEMORY_MCP_TOKEN=ANA)
    async with first.client(ANA) as client:
        await client.text("remember", text="The boat of the user is called Wanda")
        first.end(signal.SIGKILL)
        again = HttpServer(served, port=first.port, NANOBOT_MEMORY_MCP_TOKEN=ANA)
        assert "Wanda" in await client.text("memory_search", query="boat")
    assert again.end() == 0


@pytest.mark.slow
def test_without_a_token_of_its_own_a_server_makes_one_for_this_machine(served):
    running = HttpServer(served)
    token = running.lines[0].strip().rpartition(" ")[2]
    assert len(token) > 40
    assert (running.ask(token).status_code, running.ask("").status_code) == (200, 401)
    assert running.end(signal.SIGINT) == 0
    named = HttpServer(served, NANOBOT_MEMORY_MCP_TOKEN=ANA)
    assert not any(ANA in line for line in named.lines)
    assert (named.ask(ANA).status_code, named.ask(token).status_code) == (200, 401)
    assert named.end() == 0


@pytest.mark.parametrize("token", ["short", "with a blank " + "a" * 30, "ä" * 30])
def test_a_token_that_can_be_none_is_refused_without_telling_it(token):
    from nanobot_memory_plugins.mcp.http import checked_token

    with pytest.raises(ConfigurationError) as raised:
        checked_token(token)
    assert raised.value.hint
    assert token not in str(raised.value)


def test_no_server_is_open_to_other_machines_without_a_token(served, capsys, monkeypatch):
    monkeypatch.delenv("NANOBOT_MEMORY_MCP_TOKEN", raising=False)
    assert run_command_line(["mcp", "--http", "--host", "0.0.0.0", "--workspace", str(served.workspace)]) == 2
    assert "NANOBOT_MEMORY_MCP_TOKEN" in capsys.readouterr().err
    assert not os.path.exists(served.workspace)
