"""The clients that can be set up: where each keeps its servers, and how it names what."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.redaction.script.messages import Sentence

# The name of the server in every client: that of others' servers for memory is "memory".
SERVER = "nanobot-memory"
# Seconds that a client may wait for the first start, where it can be told: the usual 10 are few on a busy machine.
_START_SECONDS = 60


class ClientName(StrEnum):
    """The clients by the names that the command line takes."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    CODEX = "codex"
    GEMINI = "gemini"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a user's programs keep their configuration. ``platform`` is that of `sys`."""

    home: Path
    environment: Mapping[str, str]
    platform: str = sys.platform

    @classmethod
    def here(cls) -> "Machine":
        """Return this machine. Raises `RuntimeError` where there is no home."""
        return cls(Path.home(), os.environ)

    def applications(self) -> Path:
        """Return the folder where desktop programs keep theirs."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environment.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environment.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True, slots=True)
class KnownClient:
    """One client. ``project`` is its file inside a project, empty where it has none.

    ``place`` leads to the servers in its file; ``more`` are keys that its entries have beside command and arguments;
    ``after`` says what a person does once it is written.
    """

    title: str
    user: Callable[[Machine], Path]
    project: str
    place: str
    more: Mapping[str, Any]
    after: str

    def entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """Return the server as the client's file holds it."""
        return {**self.more, "command": command, "args": arguments}


def _codex_home(machine: Machine) -> Path:
    return Path(machine.environment.get("CODEX_HOME") or machine.home / ".codex")


KNOWN_CLIENTS: Mapping[ClientName, KnownClient] = {
    ClientName.CLAUDE_CODE: KnownClient(
        "Claude Code",
        lambda machine: machine.home / ".claude.json",
        ".mcp.json",
        "mcpServers",
        # Without it the first request goes out before the tools are there, and they may be left for a search.
        {"type": "stdio", "alwaysLoad": True},
        Sentence("Start Claude Code anew; /mcp shows the server."),
    ),
    ClientName.CLAUDE_DESKTOP: KnownClient(
        "Claude Desktop",
        lambda machine: machine.applications() / "Claude" / "claude_desktop_config.json",
        "",
        "mcpServers",
        {},
        Sentence("Quit Claude Desktop and start it anew."),
    ),
    ClientName.CURSOR: KnownClient(
        "Cursor",
        lambda machine: machine.home / ".cursor" / "mcp.json",
        ".cursor/mcp.json",
        "mcpServers",
        {},
        Sentence("Cursor shows the server under Settings, MCP."),
    ),
    ClientName.CODEX: KnownClient(
        "Codex",
        lambda machine: _codex_home(machine) / "config.toml",
        ".codex/config.toml",
        "mcp_servers",
        {"startup_timeout_sec": _START_SECONDS},
        Sentence("Start Codex anew; /mcp shows the server."),
    ),
    ClientName.GEMINI: KnownClient(
        "Gemini CLI",
        lambda machine: machine.home / ".gemini" / "settings.json",
        ".gemini/settings.json",
        "mcpServers",
        {},
        Sentence("Start Gemini CLI anew; /mcp shows the server."),
    ),
    ClientName.VSCODE: KnownClient(
        "VS Code",
        lambda machine: machine.applications() / "Code" / "User" / "mcp.json",
        ".vscode/mcp.json",
        "servers",
        {"type": "stdio"},
        Sentence("VS Code starts the server when the chat needs it; `MCP: List Servers` shows it."),
    ),
}
