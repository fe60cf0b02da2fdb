"""Tests the MCP server with the protocol's official tools: ``python -m release.mcp_conformance [FOLDER]``.

It runs Inspector's command line (``--strict`` checks the tool schemas) over both transports, and the conformance
package over HTTP, which may fail only as in ``mcp_expected_failures.yaml``. It needs npm, which installs Node.js.
"""

import http.client
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from release.mcp_majors import TOKEN, http_server, server_command, variables
from release.running import run, run_in_folder

PACKAGES = ("node@22", "@modelcontextprotocol/inspector@2", "@modelcontextprotocol/conformance@0.1")
EXPECTED = Path(__file__).with_name("mcp_expected_failures.yaml")
_ADDRESS = "127.0.0.1"
_PASSED_ON = ("content-type", "accept", "mcp-protocol-version", "mcp-session-id")


@contextmanager
def with_token(port: int) -> Iterator[int]:
    """Yield the port of a proxy that adds the token, which the conformance package cannot send.

    The proxy's own host and origin are replaced by the server's. Others are part of a test, and stay.
    """

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # the name in the base class
            """Forward a request."""
            own, body = f":{proxy.server_port}", self.rfile.read(int(self.headers["content-length"] or 0))
            given = {name: self.headers[name] for name in _PASSED_ON if self.headers[name]}
            given["host"] = (self.headers["host"] or "").replace(own, f":{port}")
            if self.headers["origin"]:
                given["origin"] = self.headers["origin"].replace(own, f":{port}")
            server = http.client.HTTPConnection(_ADDRESS, port, timeout=60)
            server.request(self.command, self.path, body, {**given, "authorization": f"Bearer {TOKEN}"})
            answer = server.getresponse()
            said = answer.read()
            self.send_response(answer.status)
            for name in ("content-type", "allow"):
                if answer.getheader(name):
                    self.send_header(name, str(answer.getheader(name)))
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_DELETE = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer((_ADDRESS, 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield proxy.server_port
        finally:
            proxy.shutdown()


def main(folder: Path) -> None:
    """Install and run the tools. Raises `ReleaseError` if one reports a problem."""
    folder.mkdir(parents=True, exist_ok=True)
    run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, *PACKAGES], folder=folder)
    binaries = folder / "node_modules" / ".bin"
    own = variables(folder / "home")
    own["PATH"] = f"{binaries}:{own['PATH']}"
    workspace, python = folder / "workspace", Path(sys.executable)

    def use(name: str, *arguments: str) -> str:
        return run([binaries / name, *arguments], folder=folder, variables=own, seconds=300)

    # A busy machine needs more than Inspector's 15 seconds to start a server.
    inspect = ("--method", "tools/list", "--strict", "--connect-timeout", "120000")
    use("inspector", "--cli", *server_command(python, workspace), *inspect)
    print("Inspector, stdio: no fault")
    with http_server(python, workspace) as url, with_token(int(url.rpartition(":")[2].partition("/")[0])) as port:
        header = f"Authorization: Bearer {TOKEN}"
        use("inspector", "--cli", url, "--transport", "http", "--header", header, *inspect)
        print("Inspector, HTTP: no fault")
        said = use(
            "conformance", "server", "--url", f"http://{_ADDRESS}:{port}/mcp", "--expected-failures", str(EXPECTED)
        )
        print("\n".join(line for line in said.splitlines() if line.startswith(("✓", "Total"))))


if __name__ == "__main__":
    run_in_folder(main)
