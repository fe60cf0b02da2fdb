"""The MCP server on both majors of the ``mcp`` package: ``python -m release.mcp_majors [FOLDER]``.

It makes an environment for each major, with the server and none of what the tests need, and lets the clients of both
talk to the servers of both, over standard input and output and over HTTP. Version
2 cannot stand beside nanobot-ai.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from release.running import run, run_in_folder

ROOT = Path(__file__).parents[1]
FOLDERS = ("redaction", "core", "storage", "recall", "consolidation", "mcp")
MAJORS = {1: "mcp>=1.26,<2", 2: "mcp>=2,<3"}
TRIP = Path(__file__).with_name("mcp_round_trip.py")
TOKEN = "mcp-majors-" + "t" * 24
_LEFT_OUT = ("NANOBOT", "VIRTUAL_ENV", "PYTHON", "UV_PROJECT", "CLAUDE")


def environment(folder: Path, requirement: str) -> Path:
    """Return the interpreter of a new environment that has the server and one major of the SDK."""
    run(["uv", "venv", "--quiet", "--no-project", "--python", sys.executable, folder], folder=folder.parent)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    own = [str(ROOT / "nanobot_memory_plugins" / name) for name in FOLDERS]
    # Without the pins of the workspace, which hold one major, and its sources, which are this checkout as it lies.
    options = ["--quiet", "--no-config", "--no-sources", "--python", str(python)]
    run(["uv", "pip", "install", *options, *own, requirement], folder=folder.parent)
    return python


def variables(home: Path) -> dict[str, str]:
    """Return the variables of a client and a server: none of the user's."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    return {**kept, "HOME": str(home), "NANOBOT_MEMORY_MCP_TOKEN": TOKEN}


@contextmanager
def http_server(python: Path, workspace: Path) -> Iterator[str]:
    """Serve a workspace over HTTP, and give the address."""
    command = [*server_command(python, workspace), "--http", "--port", "0"]
    environment = variables(workspace.parent / "home")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            lines = process.stdout or ()
            yield next(word for line in lines if "is served at" in line for word in line.split() if "://" in word)
        finally:
            process.terminate()


def server_command(python: Path, workspace: Path) -> list[str]:
    """Return the command that serves a workspace."""
    return [str(python), "-m", "nanobot_memory_plugins.core.cli", "mcp", "--workspace", str(workspace)]


def trip(client: Path, *arguments: str, home: Path) -> str:
    """Let a client talk to a server, and return the protocols that they spoke. Raises `ReleaseError`."""
    said = run([client, TRIP, *arguments], folder=home, variables=variables(home), seconds=120)
    return ", ".join(json.loads(said.strip().splitlines()[-1])["protocols"])


def main(folder: Path) -> None:
    """Make the environments and every pair of them. Raises `ReleaseError` where one fails."""
    folder.mkdir(parents=True, exist_ok=True)
    pythons = {major: environment(folder / f"mcp-{major}", wanted) for major, wanted in MAJORS.items()}
    for major, python in pythons.items():
        listed = run(["uv", "pip", "show", "--python", python, "mcp"], folder=folder)
        found = next((line.split()[-1] for line in listed.splitlines() if line.startswith("Version:")), "?")
        print(f"mcp {found} for major {major}")
    for number, server in pythons.items():
        for other, client in pythons.items():
            place = folder / f"client-{other}-server-{number}"
            home = place / "home"
            home.mkdir(parents=True, exist_ok=True)
            spoken = trip(client, "stdio", *server_command(server, place / "stdio"), home=home)
            print(f"client {other}, server {number}, stdio: {spoken}")
            with http_server(server, place / "http") as url:
                spoken = trip(client, "http", url, TOKEN, home=home)
            print(f"client {other}, server {number}, HTTP: {spoken}")


if __name__ == "__main__":
    run_in_folder(main)
