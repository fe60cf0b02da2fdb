"""The server over streamable HTTP: every request stands for itself, so that a restart costs nobody a session."""

import contextlib
import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.mcp.http.guard import PATH, RequestGuard
from nanobot_memory_plugins.mcp.http.tokens import Tokens
from nanobot_memory_plugins.redaction.script.messages import Sentence

_CLOSING_SECONDS = 5
_MOST_CONNECTIONS = 256
_QUEUE = 128


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``host``; 0 is any port that is free. Raises `InputError` where there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_REUSEADDR"):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_QUEUE)
    except OSError as error:
        listening.close()
        raise InputError(
            Sentence(
                "Port {port} of {host} cannot be had: {why}.",
                port=port,
                host=host,
                why=error.strerror or type(error).__name__,
            ),
            hint="Name another one with --port, or 0 for any that is free.",
        ) from error
    return listening


def is_of_this_machine(host: str) -> bool:
    """Return whether only programs of this machine reach what listens on ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address_of(listening: socket.socket) -> str:
    """Return the address under which a client on this machine reaches the server."""
    host, port = listening.getsockname()[:2]
    name = "127.0.0.1" if ipaddress.ip_address(host).is_unspecified else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{PATH}"


async def serve_http(
    server: Any,
    listening: socket.socket,
    tokens: Tokens,
    *,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until the process is told to end. ``ready`` is called once it listens."""
    manager = StreamableHTTPSessionManager(app=server, stateless=True)
    own = address_of(listening).removeprefix("http://").removesuffix(PATH)
    guard = RequestGuard(
        manager.handle_request, tokens, port=listening.getsockname()[1], hosts=(*hosts, own), origins=origins
    )
    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
        ws="none",
    )
    ready()
    with contextlib.closing(listening):
        async with manager.run():
            await uvicorn.Server(config).serve(sockets=[listening])
