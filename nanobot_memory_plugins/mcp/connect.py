"""``nanobot-memory connect``: shows or writes the settings with which a client starts the server."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    resolve_workspace,
)
from nanobot_memory_plugins.core.config.writing import set_keys
from nanobot_memory_plugins.mcp.clients import OWNER
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# The name of the server in every client. Other projects' memory servers are called "memory".
SERVER = "nanobot-memory"
_PROGRAM, _MODULE = "nanobot-memory", "nanobot_memory_plugins.core.cli"


class ClientName(StrEnum):
    """The clients, by their names on the command line."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    CODEX = "codex"
    GEMINI = "gemini"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class KnownClient:
    """One client: its settings file, and the key of the servers in it.

    ``extra`` holds the keys of an entry besides command and arguments.
    """

    title: str
    file: Callable[[], Path]
    servers_key: str = "mcpServers"
    extra: Mapping[str, Any] = field(default_factory=dict)


def _home(*names: str) -> Callable[[], Path]:
    return lambda: Path.home().joinpath(*names)


def _applications(*names: str) -> Callable[[], Path]:
    """Return a function for a path in the folder of this system's desktop settings."""
    if sys.platform == "darwin":
        return _home("Library", "Application Support", *names)
    if sys.platform == "win32":
        return lambda: Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming").joinpath(*names)
    return lambda: Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config").joinpath(*names)


def _codex() -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


KNOWN_CLIENTS: Mapping[ClientName, KnownClient] = {
    ClientName.CLAUDE_CODE: KnownClient(
        "Claude Code",
        _home(".claude.json"),
        # Otherwise the first request is sent without the tools, and the model may have to search for them.
        extra={"type": "stdio", "alwaysLoad": True},
    ),
    ClientName.CLAUDE_DESKTOP: KnownClient("Claude Desktop", _applications("Claude", "claude_desktop_config.json")),
    ClientName.CURSOR: KnownClient("Cursor", _home(".cursor", "mcp.json")),
    ClientName.CODEX: KnownClient(
        "Codex",
        _codex,
        servers_key="mcp_servers",
        # In seconds. The default of 10 is short for a first start on a busy machine.
        extra={"startup_timeout_sec": 60},
    ),
    ClientName.GEMINI: KnownClient("Gemini CLI", _home(".gemini", "settings.json")),
    ClientName.VSCODE: KnownClient(
        "VS Code",
        _applications("Code", "User", "mcp.json"),
        servers_key="servers",
        extra={"type": "stdio"},
    ),
}


def connect(
    client: Annotated[ClientName, typer.Argument(metavar="CLIENT", help="The client whose file it is.")],
    plugin: Annotated[
        Path | None,
        typer.Option(
            "--plugin", metavar="DIR", help="For claude-code: make a plugin with hooks in DIR instead.", file_okay=False
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write it into the client's file, where that is JSON.")
    ] = False,
    user: Annotated[
        str,
        typer.Option(
            "--user",
            metavar="NAME",
            help="The person whose memory is used, for example telegram:111; the owner by default.",
        ),
    ] = OWNER,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a client's file needs to use this memory, and where that file is; with --write put it there."""
    command = server_command(resolve_workspace(workspace), config, user)
    if plugin is not None:
        from nanobot_memory_plugins.mcp.claude_code.plugin_folder import make_plugin

        if client is not ClientName.CLAUDE_CODE:
            raise ConfigurationError("Only Claude Code has plugins with hooks.", hint="Leave --plugin out.")
        make_plugin(plugin.expanduser().absolute(), command, as_json=as_json)
        return
    known = KNOWN_CLIENTS[client]
    entry = {**known.extra, "command": command[0], "args": command[1:]}
    try:
        target = known.file()
    except RuntimeError as error:
        raise ConfigurationError("There is no home folder to find the client's file in.", hint="Set HOME.") from error
    is_toml, keys = target.suffix == ".toml", {known.servers_key: {SERVER: entry}}
    text = _as_toml(known, entry) if is_toml else json.dumps(keys, indent=2, ensure_ascii=False)
    if write and is_toml:
        raise ConfigurationError(
            Sentence("{file} is no JSON, and is not written.", file=target), hint="Leave --write out, and put it there."
        )
    if write:
        set_keys(target, keys)
    if as_json:
        print_json({"ok": True, "client": client.value, "file": target, "server": {SERVER: entry}, "text": text})
        return
    out = console()
    out.print(f"{known.title}: [cyan]{escape(str(target))}[/cyan]")
    out.print(text, markup=False, highlight=False, soft_wrap=True)
    out.print(tr("It is written. Restart the client.") if write else tr("Put it there, and restart the client."))


def server_command(workspace: Path, config: Path | None, user: str) -> list[str]:
    """Return the command that starts the server, with full paths, since desktop programs have no search path."""
    arguments = ["mcp", "--workspace", str(workspace)]
    arguments += ["--config", str(config.expanduser().absolute())] if config is not None else []
    arguments += ["--user", user] if user not in ("", OWNER) else []
    program = shutil.which(_PROGRAM, path=str(Path(sys.executable).parent))
    return [program, *arguments] if program else [sys.executable, "-m", _MODULE, *arguments]


def _as_toml(client: KnownClient, entry: Mapping[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{client.servers_key}.{SERVER}]", *lines])
