"""The folder that Claude Code loads: what the plugin is, its server, its hooks, and a marketplace that offers it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.config import read_json
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files import replace_file
from nanobot_memory_plugins.mcp.claude_code.events import (
    BEFORE_COMPACTION,
    COMMON,
    FIELDS,
    STOPPED,
    TOOL_FAILED,
    TOOL_USED,
    USER_PROMPT,
)
from nanobot_memory_plugins.mcp.claude_code.guard import HOOK_TOOL, SECRET_VARIABLE, new_secret
from nanobot_memory_plugins.redaction.script.messages import Sentence

PLUGIN, _SERVER = "nanobot-memory", "memory"
_ABOUT = "Long-term memory: what you told one assistant, beside each prompt of the next."
_MANIFEST, _MARKET = ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"
_HOOKS, _SERVERS = "hooks/hooks.json", ".mcp.json"
# Seconds that the host waits for each hook at most; the server's own bounds are smaller.
_SECONDS = {USER_PROMPT: 8, TOOL_USED: 3, TOOL_FAILED: 3, STOPPED: 5, BEFORE_COMPACTION: 60}


@dataclass(frozen=True, slots=True)
class PluginFolder:
    """One folder, by the command that starts the server."""

    folder: Path
    command: str
    arguments: tuple[str, ...]
    version: str

    def write(self) -> list[Path]:
        """Make the folder, or bring it up to date; return the files written. Raises `ConfigurationError`."""
        self._check_ours()
        written = []
        for name, content in self._files(self._secret() or new_secret()).items():
            path, data = self.folder / name, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
            try:
                if path.is_file() and path.read_bytes() == data:
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(path, data)  # readable by its owner alone: two hold what hooks and server share
            except (MemoryFileError, OSError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                raise ConfigurationError(
                    Sentence("{path} cannot be written: {reason}.", path=path, reason=reason),
                    hint="Name another folder.",
                ) from error
            written.append(path)
        return written

    def _files(self, secret: str) -> dict[str, dict[str, Any]]:
        about = {"name": PLUGIN, "description": _ABOUT, "version": self.version}
        server = {
            "type": "stdio",
            "command": self.command,
            "args": [*self.arguments, "--hooks"],
            "env": {SECRET_VARIABLE: secret},
            # The first prompt waits for it, and its tools are never left for a search.
            "alwaysLoad": True,
        }
        return {
            _MANIFEST: {**about, "author": {"name": "nanobot-memory-plugins"}, "license": "MIT"},
            _MARKET: {
                "name": PLUGIN,
                "owner": {"name": "nanobot-memory-plugins"},
                "plugins": [{**about, "source": "./"}],
            },
            _SERVERS: {"mcpServers": {_SERVER: server}},
            _HOOKS: {"description": _ABOUT, "hooks": {event: [_hook(event, secret)] for event in FIELDS}},
        }

    def _check_ours(self) -> None:
        """Refuse to write among the files of another plugin. Raises `ConfigurationError`."""
        manifest = self._read(_MANIFEST)
        taken = self.folder.is_dir() and any(self.folder.iterdir())
        if (self.folder.exists() and not self.folder.is_dir()) or (taken and manifest.get("name") != PLUGIN):
            raise ConfigurationError(
                Sentence("{folder} holds something else already.", folder=self.folder),
                hint="Name a folder that is new or empty.",
            )

    def _secret(self) -> str:
        """Return what the hooks and the server of this folder share already, so that a running session goes on."""
        server = self._read(_SERVERS).get("mcpServers", {})
        found = server.get(_SERVER, {}) if isinstance(server, Mapping) else {}
        shared = found.get("env", {}) if isinstance(found, Mapping) else {}
        return str(shared.get(SECRET_VARIABLE) or "") if isinstance(shared, Mapping) else ""

    def _read(self, name: str) -> Mapping[str, Any]:
        path = self.folder / name
        raw, wrong = read_json(path) if path.is_file() else ({}, None)
        return raw if not wrong and isinstance(raw, Mapping) else {}


def _hook(event: str, secret: str) -> dict[str, Any]:
    """Return the hook of an event: a call of the plugin's own server, which runs already."""
    told = {name: f"${{{name}}}" for name in (*COMMON, *FIELDS[event])}
    call = {
        "type": "mcp_tool",
        "server": f"plugin:{PLUGIN}:{_SERVER}",
        "tool": HOOK_TOOL,
        "input": {"event": event, "secret": secret, **told},
        "timeout": _SECONDS[event],
    }
    return {"hooks": [call]}
