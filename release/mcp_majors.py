"""Tests the MCP server with both major versions of the ``mcp`` package: ``python -m release.mcp_majors [FOLDER]``.

It creates an environment with the server for each major version, and connects the clients of both to the servers of
both, over standard input and output and over HTTP. Version 2 cannot be installed together with nanobot-ai.
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
    # Without the workspace's pins, which allow only one major version, and without its editable sources.
    options = ["--quiet", "--no-config", "--no-sources", "--python", str(python)]
    run(["uv", "pip", "install", *options, *own, requirement], folder=folder.parent)
    return python


def variables(home: Path) -> dict[str, str]:
    """Return the environment of a client and a server, without the user's own settings."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    return {**kept, "HOME": str(home), "NANOBOT_MEMORY_MCP_TOKEN": TOKEN}


@contextmanager
def http_server(python: Path, workspace: Path) -> Iterator[str]:
    """Serve a workspace over HTTP, and yield the address."""
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


def run_round_trip(client: Path, *arguments: str, home: Path) -> str:
    """Run the round trip of a client with a server, and return the protocol versions. Raises `ReleaseError`."""
    said = run([client, TRIP, *arguments], folder=home, variables=variables(home), seconds=120)
    return ", ".join(json.loads(said.strip().splitlines()[-1])["protocols"])


def main(folder: Path) -> None:
    """Create the environments, and test every pair. Raises `ReleaseError` if one fails."""
    folder.mkdir(parents=True, exist_ok=True)
    pythons = {major: environment(folder / f"mcp-{major}", requirement) for major, requirement in MAJORS.items()}
    for major, python in pythons.items():
        listed = run(["uv", "pip", "show", "--python", python, "mcp"], folder=folder)
        found = next((line.split()[-1] for line in listed.splitlines() if line.startswith("Version:")), "?")
        print(f"mcp {found} for major {major}")
    for number, server in pythons.items():
        for other, client in pythons.items():
            place = folder / f"client-{other}-server-{number}"
            home = place / "home"
            home.mkdir(parents=True, exist_ok=True)
            protocols = run_round_trip(client, "stdio", *server_command(server, place / "stdio"), home=home)
            print(f"client {other}, server {number}, stdio: {protocols}")
            with http_server(server, place / "http") as url:
                protocols = run_round_trip(client, "http", url, TOKEN, home=home)
            print(f"client {other}, server {number}, HTTP: {protocols}")


if __name__ == "__main__":
    run_in_folder(main)
