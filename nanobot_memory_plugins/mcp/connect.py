"""``nanobot-memory connect``: tell a client how to start the server, or write it into its file where that is JSON."""

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
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    resolve_workspace,
)
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.mcp.clients import OWNER
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# The name of the server in every client: that of others' servers for memory is "memory".
SERVER = "nanobot-memory"
_PROGRAM, _MODULE = "nanobot-memory", "nanobot_memory_plugins.core.cli"


class ClientName(StrEnum):
    """The clients by the names that the command line takes."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    CODEX = "codex"
    GEMINI = "gemini"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class KnownClient:
    """One client: its file for a user, that inside a project (empty where it has none), the place of the servers in it.

    ``more`` are keys that its entries have besides command and arguments; ``after`` says what a person does next.
    """

    title: str
    user: Callable[[], Path]
    project: str
    after: str
    place: str = "mcpServers"
    more: Mapping[str, Any] = field(default_factory=dict)


def _home(*names: str) -> Callable[[], Path]:
    return lambda: Path.home().joinpath(*names)


def _applications(*names: str) -> Callable[[], Path]:
    """Return the folder in which this system's desktop programs keep their configuration."""
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
        ".mcp.json",
        Sentence("Start Claude Code anew; /mcp shows the server."),
        # Without it the first request goes out before the tools are there, and they may be left for a search.
        more={"type": "stdio", "alwaysLoad": True},
    ),
    ClientName.CLAUDE_DESKTOP: KnownClient(
        "Claude Desktop",
        _applications("Claude", "claude_desktop_config.json"),
        "",
        Sentence("Quit Claude Desktop and start it anew."),
    ),
    ClientName.CURSOR: KnownClient(
        "Cursor",
        _home(".cursor", "mcp.json"),
        ".cursor/mcp.json",
        Sentence("Cursor shows the server under Settings, MCP."),
    ),
    ClientName.CODEX: KnownClient(
        "Codex",
        _codex,
        ".codex/config.toml",
        Sentence("Start Codex anew; /mcp shows the server."),
        place="mcp_servers",
        # Seconds: the usual 10 are few for a first start on a busy machine.
        more={"startup_timeout_sec": 60},
    ),
    ClientName.GEMINI: KnownClient(
        "Gemini CLI",
        _home(".gemini", "settings.json"),
        ".gemini/settings.json",
        Sentence("Start Gemini CLI anew; /mcp shows the server."),
    ),
    ClientName.VSCODE: KnownClient(
        "VS Code",
        _applications("Code", "User", "mcp.json"),
        ".vscode/mcp.json",
        Sentence("VS Code starts the server when the chat needs it; `MCP: List Servers` shows it."),
        place="servers",
        more={"type": "stdio"},
    ),
}


def connect(
    client: Annotated[ClientName, typer.Argument(metavar="|".join(ClientName), help="The client.")],
    write: Annotated[bool, typer.Option("--write", help="Write it; else it is shown.")] = False,
    project: Annotated[
        bool, typer.Option("--project", help="In the folder in which you are, instead of everywhere.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="The client's file, where it is another.", dir_okay=False),
    ] = None,
    plugin: Annotated[
        Path | None,
        typer.Option(
            "--plugin", metavar="DIR", help="For claude-code: make a plugin with hooks in DIR instead.", file_okay=False
        ),
    ] = None,
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Whose memory it is: telegram:111, say. Else the owner's.")
    ] = OWNER,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a client's configuration needs to use this memory, and with --write write it there.

    Doing it again changes nothing. The previous file is kept beside it with the ending .bak.
    """
    command = server_command(resolve_workspace(workspace), config, user)
    if plugin is not None:
        from nanobot_memory_plugins.mcp.claude_code.plugin_folder import make_plugin

        if client is not ClientName.CLAUDE_CODE:
            raise ConfigurationError("Only Claude Code has plugins with hooks.", hint="Leave --plugin out.")
        make_plugin(plugin.expanduser().absolute(), command, as_json=as_json)
        return
    known = KNOWN_CLIENTS[client]
    entry = {**known.more, "command": command[0], "args": command[1:]}
    target = _file_of(known, file, of_project=project)
    if write and project and file is None:
        target.parent.mkdir(exist_ok=True)
    text = _as_toml(known, entry) if target.suffix == ".toml" else _as_json({known.place: {SERVER: entry}})
    backup = write_entry(known, target, entry) if write else None
    result = {"client": client.value, "file": target, "server": {SERVER: entry}, "text": text, "written": write}
    if as_json:
        print_json({"ok": True, **result, "backup": backup, "next": known.after})
        return
    out = console()
    out.print(f"{known.title}: [cyan]{shown(str(target))}[/cyan]")
    if not write:
        out.print(text, markup=False, highlight=False, soft_wrap=True)
        out.print(tr("Nothing was written. Put it there, or where the file is JSON let --write do it."))
        return
    out.print(tr("[green]Written.[/green]"), shown(tr(known.after)))
    if backup is not None:
        out.print(shown(tr("The previous file is {backup}.", backup=str(backup))))


def server_command(workspace: Path, config: Path | None, user: str) -> list[str]:
    """Return the command by which a client starts the server, in full: programs of a desktop have no search path."""
    more = ["mcp", "--workspace", str(workspace)]
    more += ["--config", str(config.expanduser().absolute())] if config is not None else []
    more += ["--user", user] if user not in ("", OWNER) else []
    program = shutil.which(_PROGRAM, path=str(Path(sys.executable).parent))
    return [program, *more] if program else [sys.executable, "-m", _MODULE, *more]


def write_entry(client: KnownClient, file: Path, entry: Mapping[str, Any]) -> Path | None:
    """Put our server among those of a JSON file, and return the copy of the file as it was, if it changed.

    Raises `ConfigurationError` where something there is not understood; the file is then as it was.
    """
    by_hand = "Put it there by hand; the file is left as it is."
    if file.suffix == ".toml":
        raise ConfigurationError(Sentence("{file} is no JSON, and is not written.", file=file), hint=by_hand)
    if not file.parent.is_dir():
        raise ConfigurationError(
            Sentence(
                "There is no folder {parent}: {title} is not installed, or was never started.",
                parent=file.parent,
                title=client.title,
            ),
            hint="Start it once, or name its file with --file.",
        )
    try:
        before = file.read_text(encoding="utf-8") if file.exists() else None
        content = json.loads(before) if before is not None else {}
        servers = content.setdefault(client.place, {})
        existing = servers.get(SERVER, entry)
        words = [existing.get("command"), *existing.get("args", ())]
        is_own = any(isinstance(word, str) and (Path(word).stem == _PROGRAM or word == _MODULE) for word in words)
    except OSError as error:
        raise ConfigurationError(
            Sentence("{file} cannot be read: {reason}.", file=file, reason=error.strerror), hint=by_hand
        ) from error
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise ConfigurationError(Sentence("{file} is not understood.", file=file), hint=by_hand) from None
    if not is_own:
        raise ConfigurationError(
            Sentence(
                "{file} has a server {server} already, which was not written by this command.", file=file, server=SERVER
            ),
            hint="Remove or rename it there, then run this again.",
        )
    if before is not None and servers.get(SERVER) == entry:
        return None
    servers[SERVER] = {**existing, **entry}
    try:
        replace_file(file, f"{_as_json(content, like=before or '')}\n".encode())
    except MemoryFileError as error:
        raise ConfigurationError(error.cause, hint="Name another one with --file.") from error
    return file.with_name(f"{file.name}.bak") if before is not None else None


def _file_of(client: KnownClient, given: Path | None, *, of_project: bool) -> Path:
    """Return the file of a client, through links: people keep such files elsewhere. Raises `ConfigurationError`."""
    if given is not None:
        return given.expanduser().resolve()
    if of_project:
        if not client.project:
            raise ConfigurationError(
                Sentence("{title} keeps nothing in a project.", title=client.title), hint="Leave --project out."
            )
        return (Path.cwd() / client.project).resolve()
    try:
        return client.user().resolve()
    except RuntimeError as error:
        raise ConfigurationError("There is no home folder to find the client's file in.", hint="Use --file.") from error


def _as_json(content: object, *, like: str = "") -> str:
    """Return JSON with the indentation of another text."""
    first = next((line for line in like.splitlines()[1:] if line.strip()), "  x")
    return json.dumps(content, indent=first[: len(first) - len(first.lstrip())] or 2, ensure_ascii=False)


def _as_toml(client: KnownClient, entry: Mapping[str, Any]) -> str:
    """Return a table to put into a TOML file: its texts, numbers and lists of texts are written as in JSON."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{client.place}.{SERVER}]", *lines])
