"""Tests ``nanobot-memory connect`` with terminal clients: ``python -m release.mcp_clients [FOLDER]``.

Claude Code, Codex and Gemini CLI are installed from npm with a separate home folder, and list the server; two of them
start it for that. There is no model call, no sign-in, and no network access by the clients.
"""

import json
import os
import sys
from pathlib import Path

from release.mcp_majors import variables
from release.running import ReleaseError, run, run_in_folder

# The npm package of each client, its program, the folder of its settings, and its word for a working server. With a
# tag, since npm otherwise takes the newest version for its own Node, which may be months old.
CLIENTS = {
    "claude-code": ("@anthropic-ai/claude-code@latest", "claude", ".", "Connected"),
    "codex": ("@openai/codex@latest", "codex", ".codex", "enabled"),
    "gemini": ("@google/gemini-cli@latest", "gemini", ".gemini", "Connected"),
}
NODE = "node@22"
_NOWHERE = "http://127.0.0.1:9"
_SERVER = "nanobot-memory"


def main(folder: Path) -> None:
    """Install and set up the clients, and have them list the server. Raises `ReleaseError` if one does not."""
    home = folder / "home"
    own = variables(home)
    packages = [package for package, *_ in CLIENTS.values()]
    run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, NODE, *packages], folder=folder)
    binaries = folder / "node_modules" / ".bin"
    own |= {"PATH": f"{binaries}{os.pathsep}{own['PATH']}", "HTTP_PROXY": _NOWHERE, "HTTPS_PROXY": _NOWHERE}
    own |= {"NO_PROXY": "127.0.0.1,localhost", "NO_COLOR": "1"}
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    for name, (_, program, place, well) in CLIENTS.items():
        (home / place).mkdir(exist_ok=True)
        if name == "gemini":  # it starts no server in an untrusted folder
            (home / place / "trustedFolders.json").write_text(json.dumps({str(project): "TRUST_FOLDER"}))
        connect = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "connect", name, "--json"]
        connect += ["--workspace", str(folder / "workspace")]
        shown = json.loads(run(connect, folder=project, variables=own).strip().splitlines()[-1])
        Path(shown["file"]).write_text(shown["text"], encoding="utf-8")
        version = run([binaries / program, "--version"], folder=project, variables=own, seconds=120).strip()
        command = " ".join(map(str, (program, "mcp", "list")))
        said = run(["sh", "-c", f"{command} 2>&1"], folder=project, variables=own, seconds=120)
        line = next((line for line in said.splitlines() if _SERVER in line and well in line), None)
        if line is None:
            raise ReleaseError(f"{name} {version} does not list the server as {well}:\n{said[-2_000:]}")
        print(f"{name} {version.split()[-1] if name == 'codex' else version.split()[0]}: {well}")


if __name__ == "__main__":
    run_in_folder(main)
