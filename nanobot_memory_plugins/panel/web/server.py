"""The panel in a browser: textual-serve on 127.0.0.1, which runs a panel for each page, behind a guard."""

import asyncio
import contextlib
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

from nanobot_memory_plugins.core.cli.language import OPTION, spoken_language
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.cli.serving import bound_socket, told_to_end
from nanobot_memory_plugins.panel.web.guard import OPEN_PATH, Guard
from nanobot_memory_plugins.panel.web.pages import focus_script, page
from nanobot_memory_plugins.redaction.script.messages import tr

HOST = "127.0.0.1"
# Seconds that the panels get to close when the server ends.
_CLOSING_SECONDS = 5.0


class PanelServer(Server):
    """Serves the panel of one workspace, to one browser. ``command`` starts a panel on a terminal."""

    def __init__(self, command: list[str]) -> None:
        super().__init__(subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command), host=HOST)
        self.guard = Guard()
        self._runner: web.AppRunner | None = None

    async def start(self, listening: socket.socket) -> str:
        """Begin to serve, and return the address that works once."""
        app = web.Application(middlewares=[self.guard.middleware()])
        app.add_routes(
            [
                web.get("/", self._index),
                web.get(OPEN_PATH + "{token}", self.guard.open, allow_head=False),
                web.get("/focus.js", focus_script),
                web.get("/ws", self.handle_websocket),
                web.static("/static", self.statics_path),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_CLOSING_SECONDS)
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()
        self.guard.port = self._runner.addresses[0][1]
        return self.guard.address

    async def stop(self) -> None:
        """Close every panel and the server."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _index(self, request: web.Request) -> web.StreamResponse:
        return page(f"ws://{request.headers['Host']}/ws")


def panel_command(workspace: Path, config: Path | None) -> list[str]:
    """Return the command that a page runs, in the language of this one."""
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "panel"]
    command += ["--workspace", str(workspace), OPTION, spoken_language()]
    return [*command, "--config", str(config.absolute())] if config is not None else command


def serve(workspace: Path, config: Path | None, *, port: int) -> None:
    """Serve the panel until Ctrl-C, and print the address. Raises `InputError` when the port is taken."""
    listening = bound_socket(HOST, port)
    server = PanelServer(panel_command(workspace, config))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(server, listening))


async def _serve(server: PanelServer, listening: socket.socket) -> None:
    address, ended = await server.start(listening), asyncio.Event()
    say(tr("The panel is open at this address, once and on this machine only:"))
    say(f"  {address}")
    say(tr("Ctrl-C ends it."))
    try:
        with told_to_end(ended.set):
            await ended.wait()
    finally:
        await server.stop()
