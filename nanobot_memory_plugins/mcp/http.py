"""The protocol over HTTP, for clients that start no process: whoever has the token has the memory of one person.

Every request is complete in itself, so that a server that is started again costs nobody a session.
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

# The owner's token, where no file names any.
TOKEN_VARIABLE = "NANOBOT_MEMORY_MCP_TOKEN"  # noqa: S105  # the name of a variable
_PATH = "/mcp"
_SHORTEST = 24
_CLOSING_SECONDS = 2


class OneToken:
    """Knows the one token of a server. It keeps a digest alone."""

    def __init__(self, token: str) -> None:
        self._digest = _digest(token)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return a client with this token, in the SDK's form, or None."""
        is_known = secrets.compare_digest(_digest(token), self._digest)
        return AccessToken(token="", client_id="", scopes=[]) if is_known else None


def checked_token(token: str) -> str:
    """Return the token of `TOKEN_VARIABLE`. Raises `ConfigurationError` where it can be none."""
    if len(token) < _SHORTEST or not re.fullmatch("[!-~]+", token):
        raise ConfigurationError(
            Sentence(
                "{what} is not a text of {count} printable ASCII characters or more, without blanks.",
                what=TOKEN_VARIABLE,
                count=_SHORTEST,
            ),
            hint="Make one, with `openssl rand -hex 32` say.",
        )
    return token


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
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{_PATH}"


async def serve_http(
    make_server: Callable[..., MemoryServer],
    listening: socket.socket,
    token: str,
    *,
    hosts: Sequence[str] = (),
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Answer requests until the process is told to end. ``ready`` is called once it listens.

    ``hosts`` are further names of this server (``memory.example.org``). The page of another site, or one that rebinds
    its name to this machine, may not ask.
    """
    address, port = address_of(listening), listening.getsockname()[1]
    own_hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")] + [address.split("/")[2]]
    security = TransportSecuritySettings(
        allowed_hosts=[*own_hosts, *hosts], allowed_origins=[f"http://{name}" for name in own_hosts]
    )
    auth = AuthSettings(issuer_url=AnyHttpUrl(address), resource_server_url=None)
    server = make_server(auth=auth, token_verifier=OneToken(token))
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
        timeout_graceful_shutdown=_CLOSING_SECONDS,
        ws="none",
    )
    server.begin()
    ready()
    try:
        with contextlib.closing(listening), stop_on_signals(lambda: None):  # the server itself listens to signals
            await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        await server.close()


def _only_posts(app: Any) -> Any:
    """Answer what is no POST: where no session is kept, nothing would ever come on the stream that a GET opens."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] == "POST":
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 405, "headers": [(b"allow", b"POST")]})
        await send({"type": "http.response.body", "body": b"Requests are sent with POST.\n"})

    return answer


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
