"""The web form: who gets access, and whether the panel works as in a terminal."""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, CookieJar, WSServerHandshakeError

from nanobot_memory_plugins.core.cli.language import use_language
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.cli.serving import bound_socket
from nanobot_memory_plugins.panel.web import HOST, PanelServer, panel_command
from tests.behaviour.kit.waiting import until

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-_])")


@pytest.fixture
async def server(workspace: Path, config: Path) -> AsyncIterator[PanelServer]:
    made = PanelServer(panel_command(workspace, config))
    await made.start(bound_socket(HOST, 0))
    yield made
    await made.stop()


@pytest.fixture
async def browser() -> AsyncIterator[ClientSession]:
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as session:  # unsafe: cookies of bare addresses
        yield session


def base(server: PanelServer) -> str:
    return f"http://127.0.0.1:{server.guard.port}"


async def let_in(server: PanelServer, browser: ClientSession) -> str:
    async with browser.get(server.guard.address) as answer:
        assert answer.status == 200
        assert str(answer.url) == base(server) + "/"  # redirected from the address with the token
        return await answer.text()


async def test_the_address_works_once_and_then_the_cookie_counts(server: PanelServer, browser: ClientSession):
    page = await let_in(server, browser)
    assert f"ws://127.0.0.1:{server.guard.port}/ws" in page
    assert server.guard.token not in page
    async with browser.get(base(server) + "/") as again:
        assert again.status == 200
    async with ClientSession() as other, other.get(server.guard.address) as second:
        assert second.status == 403
        assert "used already" in await second.text()
        assert "Set-Cookie" not in second.headers
    async with browser.get(server.guard.address) as own:  # not even with the cookie
        assert own.status == 403


async def test_the_cookie_is_for_this_server_and_no_script(server: PanelServer):
    async with ClientSession() as one, one.get(server.guard.address, allow_redirects=False) as answer:
        (cookie,) = answer.headers.getall("Set-Cookie")
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert str(server.guard.port) in cookie.split("=")[0]
        assert server.guard.token not in cookie


async def test_a_wrong_token_is_refused_with_a_clear_page_and_uses_nothing_up(
    server: PanelServer, browser: ClientSession
):
    for wrong in ("x", server.guard.token[:-1], server.guard.token + "x", "%ff%fe", "中"):
        async with browser.get(f"{base(server)}/open/{wrong}") as answer:
            assert answer.status == 403
            assert "Copy the whole address from the terminal." in await answer.text()
    await let_in(server, browser)


async def test_without_the_cookie_no_path_answers(server: PanelServer, browser: ClientSession):
    async with ClientSession(cookies={server.guard.cookie_name: "guessed"}) as guessing:
        for path in ("/", "/ws", "/focus.js", "/static/js/textual.js", "/static/", "/nothing", "/open/"):
            for one in (browser, guessing):
                async with one.get(base(server) + path) as answer:
                    assert answer.status == 403, path


FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "127.0.0.1"},
    {"Host": "127.0.0.1:1"},
    {"Host": "127.0.0.1.evil.example:{port}"},
    {"Host": "[::bad:{port}"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://127.0.0.1:{port}"},
    {"Origin": "http://127.0.0.1:1"},
]


async def test_other_names_and_other_sites_are_refused_even_with_the_cookie(
    server: PanelServer, browser: ClientSession
):
    await let_in(server, browser)
    for headers in FOREIGN:
        sent = {name: value.replace("{port}", str(server.guard.port)) for name, value in headers.items()}
        async with browser.get(base(server) + "/", headers=sent) as answer:
            assert answer.status == 403, headers
        with pytest.raises(WSServerHandshakeError) as caught:
            await browser.ws_connect(base(server) + "/ws", headers={"Origin": base(server), **sent})
        assert caught.value.status == 403, headers


async def test_everything_a_page_loads_comes_from_this_machine(server: PanelServer, browser: ClientSession):
    page = await let_in(server, browser)
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page) + re.findall(r'url\("([^"]+)"\)', page)
    assert {link for link in loaded if not link.startswith(("/", "data:"))} == set()
    for link in loaded:
        if link.startswith("/"):
            async with browser.get(base(server) + link) as answer:
                assert answer.status == 200, link
    async with browser.get(base(server) + "/") as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "http" not in policy
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"


class Page:
    """A browser's page, which sends keys and receives a terminal's output."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._seen = ""
        self.pongs: list[object] = []
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            if isinstance(message.data, bytes):
                self._seen += _ESCAPE.sub("", message.data.decode("utf-8", "replace"))
            else:
                self.pongs.append(json.loads(message.data))

    async def press(self, keys: str) -> None:
        await self._socket.send_json(["stdin", keys])

    async def sees(self, text: str) -> None:
        """Wait until a text was drawn."""
        await until(lambda: text in self._seen)


def panels() -> list[str]:
    """Return the commands of the running panels that this process has started."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return [line for line in listed.stdout.splitlines() if " panel " in line]


@pytest.mark.slow
@pytest.mark.accept("EB-22")
async def test_a_panel_answers_its_page_and_ends_with_it(workspace: Path, server: PanelServer, browser: ClientSession):
    await let_in(server, browser)
    async with browser.ws_connect(base(server) + "/ws", headers={"Origin": base(server)}) as socket:
        page = Page(socket)
        await page.sees("nanobot-memory")
        assert panels()
        await socket.send_json(["ping", 3])
        await until(lambda: ["pong", 3] in page.pongs)
    await until(lambda: not panels())
    async with browser.ws_connect(base(server) + "/ws", headers={"Origin": base(server)}) as socket:
        page = Page(socket)
        await page.sees("nanobot-memory")
        await page.press("\x11")  # ctrl+q
        await until(lambda: socket.closed)
    await until(lambda: not panels())


def test_a_taken_port_is_said(workspace: Path, config: Path, capsys: pytest.CaptureFixture[str]):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments = ["panel", "--web", "--port", port, "--workspace", str(workspace), "--config", str(config)]
        assert run_command_line(arguments) == 1
    said = capsys.readouterr().err
    assert f"Port {port}" in said
    assert "--port" in said


async def test_the_command_prints_the_address_and_ends_with_ctrl_c(workspace: Path, config: Path):
    with use_language("zh"):
        command = panel_command(workspace, config)
    process = await asyncio.create_subprocess_exec(
        *command, "--web", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdout is not None
    lines = [(await asyncio.wait_for(process.stdout.readline(), 60)).decode() for _ in range(3)]
    assert "面板地址" in lines[0]
    address = lines[1].strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/open/[\w-]{40,}", address)
    async with ClientSession() as one, one.get(address) as answer:
        assert answer.status in (200, 403)  # aiohttp keeps no cookie of a bare address
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(2)
    _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0, (sys.platform, errors)
    assert errors == b""
