"""Who may come in: the address works once, then a cookie counts; everything else is turned away."""

import secrets
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from nanobot_memory_plugins.redaction.script.messages import tr

OPEN_PATH = "/open/"
_TOKEN_BYTES = 32
# The names by which a browser on this machine may have come here. Others would be a page that rebinds its name.
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
    """Keeps the panel for one browser on this machine.

    ``token`` opens the panel once, for who knows the address that was printed; from then on the cookie counts, which
    no script can read and no other site can send along. ``port`` is that of the server, set once it is known.
    """

    def __init__(self) -> None:
        self.port = 0
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._cookie = secrets.token_urlsafe(_TOKEN_BYTES)
        self._used = False

    @property
    def address(self) -> str:
        """The address to print: it works once."""
        return f"http://127.0.0.1:{self.port}{OPEN_PATH}{self.token}"

    @property
    def cookie_name(self) -> str:
        """The cookie's name; cookies do not know ports, so that each server has its own."""
        return f"nanobot-memory-panel-{self.port}"

    async def open(self, request: web.Request) -> web.StreamResponse:
        """Let in who has the token, for the first time, and lead away from the address that holds it."""
        given = request.match_info["token"]
        if not _is_equal(given, self.token):
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
        """Return the middleware that looks at every request, before any handler."""

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            refused = self._refused(request)
            try:
                response = refused or await handler(request)
            except web.HTTPException as error:
                response = refusal(error.reason, "", status=error.status)
            if not response.prepared:
                response.headers.update(_HEADERS)
            return response

        return guarded

    def _refused(self, request: web.Request) -> web.StreamResponse | None:
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


def _is_equal(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def refusal(cause: str, hint: str, *, status: int = 403) -> web.Response:
    """Return what is answered to who may not come in: why, and what helps."""
    return web.Response(text=f"{status}: {tr(cause)} {tr(hint)}".rstrip(), status=status)
