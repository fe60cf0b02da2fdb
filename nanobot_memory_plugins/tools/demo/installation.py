"""A separate nanobot for the demonstration, with its own home folder, workspace and config.json."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

# The cache with the embedding model, which the new home folder does not have.
CACHE_VARIABLE = "NANOBOT_MEMORY_CACHE"
# nanobot downloads a file to count tokens, and stalls without a network. With a proxy that refuses at once it uses its
# own estimate. The proxy also shows that the demonstration sends nothing to other machines.
_NO_NETWORK = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}
# Generous limits: the demonstration must also work on a busy machine, which exceeds the usual limits of a turn.
_GENEROUS_LIMITS = {
    "core": {"messageLimit": 30, "toolLimit": 30},
    "recall": {"recallTimeout": 20},
    "nanobot": {"startLimit": 60},
}
_LIMIT_SECONDS = 120.0
# The folders of the workspace that the memory writes to, and the one file of nanobot's in them.
_OUR_FOLDERS = ("memory", ".storage")
_NANOBOT_FILE = "memory/history.jsonl"


@dataclass(frozen=True, slots=True)
class Installation:
    """The folders and the configuration of one nanobot. Its model is at ``base_url``, and it has no other network."""

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
        settings["channels"] = {"memoryPlugins": _GENEROUS_LIMITS}
        self.config_file.write_text(json.dumps(settings, indent=2), encoding="utf-8")

    def agent(self, text: str, *, session: str) -> subprocess.CompletedProcess[str]:
        """Send one message with the stock command line, in a new process, and return the finished process."""
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
        return [name for name, data in named.items() if name != _NANOBOT_FILE and text.encode() in data]


def settings_for(base_url: str, model: str) -> dict[str, Any]:
    """Return nanobot settings for an OpenAI-compatible server on this machine."""
    return {
        "agents": {"defaults": {"provider": "custom", "model": model, "maxTokens": 1024}},
        "providers": {"custom": {"apiKey": "none", "apiBase": base_url}},
    }
