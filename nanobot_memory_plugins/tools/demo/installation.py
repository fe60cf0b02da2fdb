"""A nanobot of its own for the demonstration: fresh home folder, fresh workspace, fresh config.json."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

# Where the embedding model is kept; without it a fresh home folder would have none.
CACHE_VARIABLE = "NANOBOT_MEMORY_CACHE"
# nanobot counts tokens with a file that it downloads, and stalls without a network. A proxy that refuses at once makes
# it use its own estimate. It also shows that nothing of the demonstration leaves the machine.
_NO_NETWORK = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}
# What is shown is what it does, not how fast this machine is: a busy one would pass the usual limits of a turn.
_PATIENCE = {
    "core": {"messageLimit": 30, "toolLimit": 30},
    "recall": {"recallTimeout": 20},
    "nanobot": {"startLimit": 60},
}
_LIMIT_SECONDS = 120.0
# Below the workspace: everything that the set writes. The rest there is nanobot's.
_OUR_FOLDERS = ("memory", ".storage")
_NANOBOTS = "memory/history.jsonl"


@dataclass(frozen=True, slots=True)
class Installation:
    """The folders and the configuration of one nanobot, whose model is at ``base_url``; it has no other network."""

    folder: Path
    base_url: str

    @property
    def workspace(self) -> Path:
        """The agent's workspace."""
        return self.folder / "workspace"

    @property
    def config_file(self) -> Path:
        """The configuration of this nanobot."""
        return self.folder / "home" / ".nanobot" / "config.json"

    def prepare(self) -> None:
        """Create the folders and write the configuration."""
        self.workspace.mkdir(parents=True)
        self.config_file.parent.mkdir(parents=True)
        settings = settings_for(self.base_url, "scripted")
        settings["agents"]["defaults"]["workspace"] = str(self.workspace)
        settings["channels"] = {"memoryPlugins": _PATIENCE}
        self.config_file.write_text(json.dumps(settings, indent=2), encoding="utf-8")

    def agent(self, text: str, *, session: str) -> subprocess.CompletedProcess[str]:
        """Say one thing to the stock command line, in a process of its own; return how that ended."""
        home = str(self.folder / "home")
        cache = os.environ.get(CACHE_VARIABLE) or user_cache_dir("nanobot-memory")
        environment = {
            "HOME": home,
            "USERPROFILE": home,
            CACHE_VARIABLE: cache,
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "200",
        }
        try:
            return subprocess.run(  # noqa: S603  # our own interpreter and nanobot's module
                [sys.executable, "-m", "nanobot", "agent", "-m", text, "-s", session, "--no-markdown"],
                env={**os.environ, **environment, **_NO_NETWORK},
                cwd=self.folder,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(error.cmd, 1, "", f"ended after {_LIMIT_SECONDS:.0f} s")

    def files_with(self, text: str) -> list[str]:
        """Return the names of the memory's files that contain a text."""
        files = [file for folder in _OUR_FOLDERS for file in sorted((self.workspace / folder).rglob("*"))]
        named = {file.relative_to(self.workspace).as_posix(): file.read_bytes() for file in files if file.is_file()}
        return [name for name, data in named.items() if name != _NANOBOTS and text.encode() in data]


def settings_for(base_url: str, model: str) -> dict[str, Any]:
    """Return nanobot settings for an OpenAI-compatible server on this machine."""
    return {
        "agents": {"defaults": {"provider": "custom", "model": model, "maxTokens": 1024}},
        "providers": {"custom": {"apiKey": "none", "apiBase": base_url}},
    }
