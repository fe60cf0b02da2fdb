"""The protocol over HTTP, for clients that start no process, and for several people, who are known by their tokens.

Every request is complete in itself, so that a server that is started again costs nobody a session.
"""

import contextlib
import hashlib
import ipaddress
import os
import secrets
import socket
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from pydantic import AnyHttpUrl, Field, StringConstraints, TypeAdapter, ValidationError

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from nanobot_memory_plugins.core import ConfigurationError, InputError
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.mcp.clients import Client, person_client
from nanobot_memory_plugins.mcp.server import IS_VERSION_1, MemoryServer
from nanobot_memory_plugins.mcp.stdio import told_to_end
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The owner's token, where no file names any.
TOKEN_VARIABLE = "NANOBOT_MEMORY_MCP_TOKEN"  # noqa: S105  # the name of a variable
_PATH = "/mcp"
_SHORTEST = 24
_FORM = 'Write {"owner": "<token>"}, for each name a token as `openssl rand -hex 32` makes one.'
_MAKE = "Make one, with `openssl rand -hex 32` say."
_TOKENS = TypeAdapter(
    Annotated[
        dict[str, Annotated[str, StringConstraints(strict=True, min_length=_SHORTEST, pattern=r"^[!-~]+$")]],
        Field(min_length=1),
    ]
)
_CLOSING_SECONDS = 2
_QUEUE = 128


class Tokens:
    """Names by their tokens. It keeps digests alone, and compares with all of them in the same time."""

    def __init__(self, by_name: Mapping[str, str]) -> None:
        self._names = {_digest(token): name for name, token in by_name.items()}

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the client with this token, in the SDK's form, or None."""
        name = self.name_of(token)
        return AccessToken(token="", client_id=name, scopes=[]) if name is not None else None

    def name_of(self, token: str) -> str | None:
        """Return the client with this token, or None."""
        given, found = _digest(token), None
        for digest, name in self._names.items():
            if secrets.compare_digest(given, digest):
                found = name
        return found


def client_of_token() -> Client:
    """Return the client of the request that runs: who has a token is that person."""
    token = get_access_token()
    if token is None:
        raise PermissionError("a request came past the tokens")
    return person_client(token.client_id)


def read_tokens(file: Path) -> Mapping[str, str]:
    """Return the tokens by name that a file holds. Raises `ConfigurationError`, which shows no token."""
    path = file.expanduser()
    try:
        mode = path.stat().st_mode
        tokens = _TOKENS.validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigurationError(
            Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror), hint=_FORM
        ) from error
    except ValidationError as error:
        why = error.errors(include_input=False, include_context=False)[0]["msg"]
        raise ConfigurationError(Sentence("{path}: {why}.", path=path, why=why), hint=_FORM) from None
    if os.name != "nt" and stat.S_IMODE(mode) & 0o077:
        raise ConfigurationError(Sentence("Others can read the tokens in {path}.", path=path), hint=f"chmod 600 {path}")
    if any(not name.strip() or redact_key(name) != name for name in tokens):
        raise ConfigurationError(
            Sentence("{path}: a name is empty, or looks like a token itself.", path=path), hint=_FORM
        )
    if len(set(tokens.values())) < len(tokens):
        raise ConfigurationError(Sentence("{path}: two people have the same token.", path=path), hint=_FORM)
    return tokens


def checked_token(token: str) -> str:
    """Return the token of `TOKEN_VARIABLE`. Raises `ConfigurationError` where it can be none."""
    try:
        _TOKENS.validate_python({"": token})
    except ValidationError:
        raise ConfigurationError(
            Sentence(
                "{what} is not a text of {count} printable ASCII characters or more, without blanks.",
                what=TOKEN_VARIABLE,
                count=_SHORTEST,
            ),
            hint=_MAKE,
        ) from None
    return token


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``host``; 0 is any port that is free. Raises `InputError` where there is none."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_QUEUE)
    except OSError as error:
        listening.close()
        reason = error.strerror or type(error).__name__
        raise InputError(
            Sentence("Port {port} of {host} cannot be had: {why}.", port=port, host=host, why=reason),
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
    return f"http://{f'[{name}]' if ':' in name else name}:{port}{_PATH}"


async def serve_http(
    make_server: Callable[..., MemoryServer],
    listening: socket.socket,
    people: Mapping[str, str],
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
    server = make_server(auth=auth, token_verifier=Tokens(people))
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
        with contextlib.closing(listening), told_to_end(lambda: None):  # the server itself listens to signals
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
