"""The panel in a browser: a server on 127.0.0.1 that runs a panel for each page, as textual-serve does."""

import asyncio
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from nanobot_memory_plugins.core import InputError, logger
from nanobot_memory_plugins.core.cli.language import OPTION, spoken_language
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.panel.web.guard import OPEN_PATH, Guard
from nanobot_memory_plugins.panel.web.pages import focus_script, page
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

HOST = "127.0.0.1"
# Pages that are open at the same time, at most: each is a process.
MOST_PANELS = 4
# Seconds that a panel gets to close when its page is gone.
_CLOSING_SECONDS = 5.0
_LARGEST_MESSAGE = 1 << 20
_MOST_CELLS = 1_000


class PanelServer:
    """Serves the panel of one workspace. ``command`` starts a panel on a terminal."""

    def __init__(self, command: list[str]) -> None:
        self.guard = Guard()
        self._command = subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)
        self._downloads = DownloadManager()
        self.open_panels = 0
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> str:
        """Begin to serve, and return the address that works once. Raises `OSError` when the port is taken."""
        app = web.Application(middlewares=[self.guard.middleware()])
        app.add_routes(
            [
                web.get("/", self._index),
                web.get(OPEN_PATH + "{token}", self.guard.open, allow_head=False),
                web.get("/focus.js", focus_script),
                web.get("/ws", self._socket),
                web.static("/static", str(files("textual_serve") / "static")),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_CLOSING_SECONDS)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, port).start()
        self.guard.port = self._runner.addresses[0][1]
        return self.guard.address

    async def stop(self) -> None:
        """Close every panel and the server."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _index(self, request: web.Request) -> web.StreamResponse:
        return page(f"ws://{request.headers['Host']}/ws")

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if self.open_panels >= MOST_PANELS:
            raise web.HTTPServiceUnavailable(reason="Too many panels are open: close a page")
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=_LARGEST_MESSAGE)
        await socket.prepare(request)
        service = AppService(
            self._command,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=socket.close,  # type: ignore[arg-type]  # nobody looks at what it returns
            download_manager=self._downloads,
        )
        self.open_panels += 1
        try:
            await service.start(_cells(request.query.get("width"), 80), _cells(request.query.get("height"), 24))
            await self._pass_on(socket, service)
        finally:
            self.open_panels -= 1
            await _end_process(service)
            await socket.close()
        return socket

    async def _pass_on(self, socket: web.WebSocketResponse, service: AppService) -> None:
        """Hand on what the browser sends: keys, mouse and size. Anything else is passed over."""
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                kind, *values = json.loads(message.data)
                value: Any = values[0] if values else None
                if kind == "stdin":
                    await service.send_bytes(str(value).encode("utf-8", "replace"))
                elif kind == "resize":
                    await service.set_terminal_size(_cells(value["width"], 80), _cells(value["height"], 24))
                elif kind == "ping":
                    await socket.send_json(["pong", value])
                elif kind == "blur":
                    await service.blur()
                elif kind == "focus":
                    await service.focus()
            except (ValueError, TypeError, KeyError):
                logger.debug("a message of the browser cannot be read")


async def _end_process(service: AppService) -> None:
    """End a panel's process: it is asked to, and ended when it does not."""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(_CLOSING_SECONDS):
            await service.stop()
    process = service._process
    if process is not None and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _cells(value: object, default: int) -> int:
    """Return a number of cells that came from outside."""
    try:
        return max(1, min(_MOST_CELLS, int(str(value))))
    except ValueError:
        return default


def panel_command(workspace: Path, config: Path | None) -> list[str]:
    """Return the command that a page runs, in the language of this one."""
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "panel"]
    command += ["--workspace", str(workspace), OPTION, spoken_language()]
    return [*command, "--config", str(config.absolute())] if config is not None else command


def serve(workspace: Path, config: Path | None, *, port: int) -> None:
    """Serve the panel until Ctrl-C, and print the address. Raises `InputError` when the port is taken."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(PanelServer(panel_command(workspace, config)), port))


async def _serve(server: PanelServer, port: int) -> None:
    try:
        address = await server.start(port)
    except OSError as error:
        raise InputError(
            Sentence(
                "Port {port} of {host} cannot be had: {why}.",
                port=port,
                host=HOST,
                why=error.strerror or type(error).__name__,
            ),
            hint="Name another one with --port, or none at all.",
        ) from error
    say(tr("The panel is open at this address, once and on this machine only:"))
    say(f"  {address}")
    say(tr("Ctrl-C ends it."))
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows has Ctrl-C as an exception
            loop.add_signal_handler(number, ended.set)
    try:
        await ended.wait()
    finally:
        await server.stop()
