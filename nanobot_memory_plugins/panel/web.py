"""The panel in a browser: textual-serve on 127.0.0.1 runs a panel for each page, behind an access check.

The address works once and sets a cookie; requests without that cookie are refused. Pages load nothing from elsewhere.
"""

import asyncio
import contextlib
import html
import os
import secrets
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

from nanobot_memory_plugins.core.cli.language import LANGUAGE_OPTION, current_language
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.cli.serving import bound_socket, stop_on_signals
from nanobot_memory_plugins.redaction.script.messages import tr

HOST = "127.0.0.1"
# How many seconds the panels have to close when the server stops.
_SHUTDOWN_SECONDS = 5.0
OPEN_PATH = "/open/"
_TOKEN_BYTES = 32
# Host names for requests from this machine. Another name means DNS rebinding.
_HOSTS = ("127.0.0.1", "localhost")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self';"
        " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Admits one browser on this machine.

    ``token`` is part of the printed address and works once. It sets a cookie that no script can read and no other site
    can send. ``port`` is the server's, set once it is known.
    """

    def __init__(self) -> None:
        self.port = 0
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._cookie = secrets.token_urlsafe(_TOKEN_BYTES)
        self._used = False

    @property
    def address(self) -> str:
        """The address to print, which works once."""
        return f"http://127.0.0.1:{self.port}{OPEN_PATH}{self.token}"

    @property
    def cookie_name(self) -> str:
        """The cookie's name. It has the port, since browsers share cookies between ports."""
        return f"nanobot-memory-panel-{self.port}"

    async def open(self, request: web.Request) -> web.StreamResponse:
        """Set the cookie for the first request with the token, and redirect to an address without it."""
        if not _is_equal(request.match_info["token"], self.token):
            return refusal("This address is not the right one.", "Copy the whole address from the terminal.")
        if self._used:
            return refusal(
                "This address was used already.",
                "It works once. Go on in the browser where it was opened, or start the panel again.",
            )
        self._used = True
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(self.cookie_name, self._cookie, httponly=True, samesite="Strict", path="/")
        return response

    def middleware(self) -> Middleware:
        """Return the middleware that checks every request before its handler runs."""

        @web.middleware
        async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                response = self._refuse(request) or await handler(request)
            except web.HTTPException as error:
                response = refusal(error.reason, "", status=error.status)
            if not response.prepared:
                response.headers.update(_HEADERS)
            return response

        return check

    def _refuse(self, request: web.Request) -> web.StreamResponse | None:
        if not self._is_own_origin(f"http://{request.headers.get('Host', '')}"):
            return refusal("This name is not that of the panel.", "Use the address that the terminal shows.")
        origin = request.headers.get("Origin")
        is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if (origin is not None and not self._is_own_origin(origin)) or (origin is None and is_socket):
            return refusal("Another site asks for the panel.", "Open the panel itself.")
        if request.method not in ("GET", "HEAD"):
            return refusal("Nothing is sent here.", "", status=405)
        if request.path.startswith(OPEN_PATH) and request.path != OPEN_PATH:
            return None
        cookie = request.cookies.get(self.cookie_name, "")
        if not _is_equal(cookie, self._cookie):
            return refusal("Only who has the address from the terminal may come in.", "Copy the whole address.")
        return None

    def _is_own_origin(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
            return parts.scheme == "http" and parts.hostname in _HOSTS and parts.port == self.port
        except ValueError:
            return False


def _is_equal(value: str, expected: str) -> bool:
    return secrets.compare_digest(value.encode("utf-8", "replace"), expected.encode())


def refusal(cause: str, hint: str, *, status: int = 403) -> web.Response:
    """Return the response to a refused request, with the cause and a hint."""
    return web.Response(text=f"{status}: {tr(cause)} {tr(hint)}".rstrip(), status=status)


# --- the pages

_STYLE = """
html, body { margin: 0; height: 100%; background: #121212; color: #e0e0e0; font-family: "Roboto Mono", "Noto Sans Mono",
  "Noto Sans Mono CJK SC", "Sarasa Mono SC", "Microsoft YaHei Mono", monospace; }
@font-face { font-family: "Roboto Mono"; src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf"); }
@font-face { font-family: "Roboto Mono"; font-style: italic;
  src: url("/static/fonts/RobotoMono-Italic-VariableFont_wght.ttf"); }
#terminal { width: 100vw; height: 100vh; height: 100dvh; overflow: hidden; touch-action: manipulation; }
.over { position: fixed; inset: 0; display: flex; align-items: center; justify-content: center; }
.ended { display: none; background: #121212e0; z-index: 5; }
body.-closed .ended { display: flex; }
body.-first-byte .begins { display: none; }
main { max-width: 40em; padding: 2em; text-align: center; }
a { color: #4aa3ff; }
"""

# The browser's tags of languages that the catalogue names otherwise.
_LANGUAGE_TAGS = {"zh": "zh-CN"}

# On a phone: its own width, and the height that its keyboard leaves.
_VIEWPORT = "width=device-width, initial-scale=1, interactive-widget=resizes-content"

# The panel gets the focus at the start and whenever the window gets it. A phone has a smaller font, for fifty columns
# instead of forty.
_FOCUS = """
if (window.innerWidth < 600) document.querySelector("#terminal").dataset.fontSize = "13";
const focus = () => {
  const area = document.querySelector(".xterm-helper-textarea");
  if (area && document.body.classList.contains("-first-byte")) area.focus();
};
new MutationObserver(focus).observe(document.documentElement, { subtree: true, attributeFilter: ["class"] });
window.addEventListener("focus", focus);
"""


async def focus_script(_request: web.Request) -> web.Response:
    """Return our only script. It is a file, since the pages may not run inline scripts."""
    return web.Response(text=_FOCUS, content_type="text/javascript")


def page(socket_url: str) -> web.Response:
    """Return the page on which the panel is drawn."""
    language = current_language()
    opening, closed, reopen = tr("Opening …"), tr("The panel was closed."), tr("Open it again")
    text = f"""<!DOCTYPE html>
<html lang="{_LANGUAGE_TAGS.get(language, language.replace("_", "-"))}">
<head><meta charset="utf-8"><meta name="viewport" content="{_VIEWPORT}"><title>nanobot-memory</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/css/xterm.css"><style>{_STYLE}</style>
<script src="/static/js/textual.js"></script><script src="/focus.js" defer></script></head>
<body>
<div class="over begins"><main>{opening}</main></div>
<div class="over ended"><main><p>{closed}</p><p><a href="/">{reopen}</a></p></main></div>
<div id="terminal" class="textual-terminal" data-font-size="16"
 data-session-websocket-url="{html.escape(socket_url)}"></div>
</body></html>"""
    return web.Response(text=text, content_type="text/html")


# --- the server


class PanelServer(Server):
    """Serves the panel of one workspace to one browser. ``command`` starts a panel in a terminal."""

    def __init__(self, command: list[str]) -> None:
        super().__init__(subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command), host=HOST)
        self.guard = Guard()
        self._runner: web.AppRunner | None = None

    async def start(self, listener: socket.socket) -> str:
        """Start the server, and return the address that works once."""
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
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await self._runner.setup()
        await web.SockSite(self._runner, listener).start()
        self.guard.port = self._runner.addresses[0][1]
        return self.guard.address

    async def stop(self) -> None:
        """Close every panel and the server."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _index(self, request: web.Request) -> web.StreamResponse:
        return page(f"ws://{request.headers['Host']}/ws")


def panel_command(workspace: Path, config: Path | None) -> list[str]:
    """Return the command that runs for a page, in the current language."""
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "panel"]
    command += ["--workspace", str(workspace), LANGUAGE_OPTION, current_language()]
    return [*command, "--config", str(config.absolute())] if config is not None else command


def serve(workspace: Path, config: Path | None, *, port: int) -> None:
    """Serve the panel until Ctrl-C, and print the address. Raises `InputError` when the port is taken."""
    listener = bound_socket(HOST, port)
    server = PanelServer(panel_command(workspace, config))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(server, listener))


async def _serve(server: PanelServer, listener: socket.socket) -> None:
    address, ended = await server.start(listener), asyncio.Event()
    say(tr("The panel is open at this address, once and on this machine only; it takes some seconds to appear:"))
    say(f"  {address}")
    say(tr("Ctrl-C ends it."))
    try:
        with stop_on_signals(ended.set):
            await ended.wait()
    finally:
        await server.stop()
