"""Writes the plugin folder for Claude Code: the manifest, the server, the hooks, and a marketplace."""

import json
import secrets
import shlex
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.mcp.claude_code.hooks import FIELDS, HOOK_TOOL, SECONDS, SECRET_VARIABLE
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

PLUGIN, _SERVER = "nanobot-memory", "memory"
_DISTRIBUTION = "nanobot-memory-mcp"
_ABOUT = "Long-term memory: what you told one assistant, beside each prompt of the next."
_MANIFEST, _SERVERS = ".claude-plugin/plugin.json", ".mcp.json"


def make_plugin(folder: Path, command: list[str], *, as_json: bool) -> None:
    """Write or update the folder, and print how to load it in Claude Code. Raises `ConfigurationError`."""
    write_plugin(folder, command)
    start = f"claude --plugin-dir {shlex.quote(str(folder))}"
    install = (
        f"claude plugin marketplace add {shlex.quote(str(folder))}",
        f"claude plugin install {PLUGIN}@{PLUGIN}",
    )
    if as_json:
        result = {"client": "claude-code", "folder": folder, "start": start, "install": install}
        print_json({"ok": True, **result})
        return
    out = console()
    out.print(f"{tr('[green]Written.[/green]')} [cyan]{escape(str(folder))}[/cyan]")
    for when, lines in ((tr("For one session:"), (start,)), (tr("For every session:"), install)):
        out.print(when)
        for line in lines:
            out.print(f"    {escape(line)}", soft_wrap=True)


def write_plugin(folder: Path, command: list[str]) -> None:
    """Write the folder. Raises `ConfigurationError` if it holds other files or cannot be written."""
    is_used = folder.is_dir() and any(folder.iterdir())
    if (folder.exists() and not folder.is_dir()) or (is_used and _read_json(folder / _MANIFEST).get("name") != PLUGIN):
        raise ConfigurationError(
            Sentence("{folder} holds something else already.", folder=folder),
            hint="Name a folder that is new or empty.",
        )
    for name, content in _files(command, _secret_of(folder) or secrets.token_urlsafe(24)).items():
        path, text = folder / name, json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Readable by its owner only, since two files hold the secret.
            replace_file(path, text.encode(), keeps_backup=False)
        except (OSError, MemoryFileError) as error:
            raise ConfigurationError(
                Sentence("{path} cannot be written: {reason}.", path=path, reason=_reason(error)),
                hint="Name another folder.",
            ) from error


def _reason(error: OSError | MemoryFileError) -> str:
    return error.cause if isinstance(error, MemoryFileError) else str(error.strerror)


def _files(command: list[str], secret: str) -> dict[str, dict[str, Any]]:
    about = {"name": PLUGIN, "description": _ABOUT, "version": version(_DISTRIBUTION)}
    author = {"name": "nanobot-memory-plugins"}
    server = {
        "type": "stdio",
        "command": command[0],
        "args": [*command[1:], "--hooks"],
        "env": {SECRET_VARIABLE: secret},
        # The first prompt waits for the server, and the model never has to search for its tools.
        "alwaysLoad": True,
    }
    return {
        _MANIFEST: {**about, "author": author, "license": "MIT"},
        ".claude-plugin/marketplace.json": {
            "name": PLUGIN,
            "owner": author,
            "plugins": [{**about, "source": "./"}],
        },
        _SERVERS: {"mcpServers": {_SERVER: server}},
        "hooks/hooks.json": {"description": _ABOUT, "hooks": {event: [_hook(event, secret)] for event in FIELDS}},
    }


def _hook(event: str, secret: str) -> dict[str, Any]:
    """Return the hook of an event, which calls the plugin's own running server."""
    fields = {name: f"${{{name}}}" for name in ("session_id", "transcript_path", "cwd", *FIELDS[event])}
    call = {
        "type": "mcp_tool",
        "server": f"plugin:{PLUGIN}:{_SERVER}",
        "tool": HOOK_TOOL,
        "input": {"event": event, "secret": secret, **fields},
        "timeout": SECONDS[event],
    }
    return {"hooks": [call]}


def _secret_of(folder: Path) -> str:
    """Return the secret in an existing folder, so that a running session continues, else an empty text."""
    try:
        return str(_read_json(folder / _SERVERS)["mcpServers"][_SERVER]["env"][SECRET_VARIABLE])
    except (KeyError, TypeError):
        return ""


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
