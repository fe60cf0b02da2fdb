"""Who may come in over HTTP: by a name of this server, from no foreign page, with a token."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from nanobot_memory_plugins.mcp.http.tokens import Tokens

PATH = "/mcp"
# Where the guard writes down whose request it is, for the server behind it.
PERSON = "nanobot_memory.person"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SCHEME = "bearer"

AsgiScope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[AsgiScope, Receive, Send], Awaitable[None]]


class RequestGuard:
    """Lets requests through to ``app`` that may come in, and answers the others itself.

    A page that rebinds its name to this machine comes with that name (421), a page of another site with its origin
    (403); who has no token is nobody (401). ``hosts`` are further names of this server (``memory.example.org``, with a
    port where it is not the usual one), ``origins`` pages that may ask (``https://chat.example.org``).
    """

    def __init__(
        self, app: App, tokens: Tokens, *, port: int, hosts: Iterable[str] = (), origins: Iterable[str] = ()
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._hosts = {_host(name) for name in hosts} | {(name, port) for name in _LOOPBACK}
        self._origins = {one.lower().rstrip("/") for one in origins}

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
            return
        person = self._tokens.name_of(_token(headers))
        if person is None:
            await _answer(send, 401, "A token is needed.", ("www-authenticate", 'Bearer realm="nanobot-memory"'))
            return
        await self._app({**scope, PERSON: person}, receive, send)

    def _refused(self, scope: AsgiScope, headers: dict[str, list[str]]) -> tuple[Any, ...] | None:
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        if len(hosts) != 1 or _host(hosts[0]) not in self._hosts:
            return 421, "This is not a name of this server; --allow-host adds one."
        if len(origins) > 1 or not all(map(self._may_ask, origins)):
            return 403, "Another site asks; --allow-origin lets it."
        if scope["path"].rstrip("/") != PATH:
            return 404, f"There is nothing but {PATH} here."
        if scope["method"] != "POST":
            return 405, "Requests are sent with POST.", ("allow", "POST")
        return None

    def _may_ask(self, origin: str) -> bool:
        plain = origin.lower().rstrip("/")
        if plain in self._origins:
            return True
        scheme, _, name = plain.partition("://")
        return scheme in ("http", "https") and _host(name) in self._hosts


def person_of(request: Any) -> str:
    """Return whose request it is, as the guard found. Raises `KeyError` for one that came past it."""
    return str(request.scope[PERSON])


def _host(name: str) -> tuple[str, int | None]:
    """Return a name and a port as they are compared; what is no name compares with none."""
    try:
        parts = urlsplit(f"//{name.strip()}")
        plain = parts.hostname or ""
        return (plain, parts.port) if parts.netloc == name.strip() and "@" not in name else ("", -1)
    except ValueError:
        return "", -1


def _token(headers: dict[str, list[str]]) -> str:
    given = headers.get("authorization", [])
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == _SCHEME else ""


async def _answer(send: Send, status: int, why: str, *headers: tuple[str, str]) -> None:
    body = why.encode() + b"\n"
    listed = [
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        *headers,
    ]
    raw = [(name.encode(), value.encode()) for name, value in listed]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
