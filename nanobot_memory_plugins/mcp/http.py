"""Serves the protocol over HTTP, for clients that start no process. The token gives access to one person's memory.

Requests are independent of each other, so that clients continue after a restart of the server.
"""

import contextlib
import hashlib
import ipaddress
import re
import secrets
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from pydantic import AnyHttpUrl

from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.cli.serving import stop_on_signals
from nanobot_memory_plugins.mcp.server import IS_VERSION_1, MemoryServer
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The environment variable with the token.
TOKEN_VARIABLE = "NANOBOT_MEMORY_MCP_TOKEN"  # noqa: S105  # the name of a variable
_PATH = "/mcp"
_MIN_TOKEN_LENGTH = 24
_SHUTDOWN_SECONDS = 2


class TokenVerifier:
    """Verifies the only token of a server. It stores only a digest."""

    def __init__(self, token: str) -> None:
        self._digest = _digest(token)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return an access token of the SDK if ``token`` is right, else None."""
        is_right = secrets.compare_digest(_digest(token), self._digest)
        return AccessToken(token="", client_id="", scopes=[]) if is_right else None


def checked_token(token: str) -> str:
    """Return the token of `TOKEN_VARIABLE`. Raises `ConfigurationError` for one that is too short or malformed."""
    if len(token) < _MIN_TOKEN_LENGTH or not re.fullmatch("[!-~]+", token):
        raise ConfigurationError(
            Sentence(
                "{what} is not a text of {count} printable ASCII characters or more, without blanks.",
                what=TOKEN_VARIABLE,
                count=_MIN_TOKEN_LENGTH,
            ),
            hint="Make one, with `openssl rand -hex 32` say.",
        )
    return token


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address_of(listener: socket.socket) -> str:
    """Return the server's address for a client on this machine."""
    host, port = listener.getsockname()[:2]
    name = "127.0.0.1" if ipaddress.ip_address(host).is_unspecified else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{_PATH}"


async def serve_http(
    make_server: Callable[..., MemoryServer],
    listener: socket.socket,
    token: str,
    *,
    hosts: Sequence[str] = (),
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until a signal ends the process. ``ready`` is called once the server listens.

    ``hosts`` are further names of this server (``memory.example.org``). Requests from other sites' pages, and for
    other names that resolve to this machine, are rejected.
    """
    address, port = address_of(listener), listener.getsockname()[1]
    own_hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")] + [address.split("/")[2]]
    security = TransportSecuritySettings(
        allowed_hosts=[*own_hosts, *hosts], allowed_origins=[f"http://{name}" for name in own_hosts]
    )
    auth = AuthSettings(issuer_url=AnyHttpUrl(address), resource_server_url=None)
    server = make_server(auth=auth, token_verifier=TokenVerifier(token))
    options: dict[str, Any] = {"stateless_http": True, "json_response": True, "transport_security": security}
    if IS_VERSION_1:
        for name, value in options.items():
            setattr(server.settings, name, value)
        options = {}
    config = uvicorn.Config(
        _only_posts(server.streamable_http_app(**options)),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        ws="none",
    )
    server.begin()
    ready()
    try:
        with contextlib.closing(listener), stop_on_signals(lambda: None):  # uvicorn handles signals itself
            await uvicorn.Server(config).serve(sockets=[listener])
    finally:
        await server.close()


def _only_posts(app: Any) -> Any:
    """Reject requests other than POST: without sessions, the stream that a GET opens would stay empty."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] == "POST":
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 405, "headers": [(b"allow", b"POST")]})
        await send({"type": "http.response.body", "body": b"Requests are sent with POST.\n"})

    return answer


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
