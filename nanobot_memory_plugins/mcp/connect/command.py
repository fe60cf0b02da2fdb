"""``nanobot-memory connect``: tell a client how to start the server."""

import shlex
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

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
from nanobot_memory_plugins.mcp.clients import OWNER
from nanobot_memory_plugins.mcp.connect.known_clients import KNOWN_CLIENTS, SERVER, ClientName, Machine
from nanobot_memory_plugins.mcp.connect.writing import Connection, diff_of, file_of, make_folder, server_command
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr

_DISTRIBUTION = "nanobot-memory-mcp"


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
    known = KNOWN_CLIENTS[client]
    command, arguments = server_command(resolve_workspace(workspace), config, user, OWNER)
    if plugin is not None:
        _make_plugin(client, plugin.expanduser().absolute(), command, arguments, as_json=as_json)
        return
    # A link is followed: people keep such files elsewhere, and link to them.
    target = file_of(known, file, Path.cwd() if project else None, _usual(client)).resolve()
    connection = Connection(known, target, known.entry(command, arguments))
    change = connection.preview()
    written = write and change.changed
    if written:
        make_folder(known, target, is_of_project=project and file is None)
        change = connection.write()
    if as_json:
        print_json(
            {
                "ok": True,
                "client": client.value,
                "file": target,
                "server": {SERVER: connection.entry},
                "changes": change.changed,
                "diff": diff_of(change),
                "written": written,
                "backup": change.backup,
                "next": known.after if written or not change.changed else _how_to_write(client, project=project),
            }
        )
        return
    out = console()
    out.print(f"{known.title}: [cyan]{shown(str(target))}[/cyan]")
    if not change.changed:
        out.print(tr("It stands there already: nothing to write."))
        return
    for line in diff_of(change).splitlines()[2:]:
        out.print(f"    {shown(line)}", style={"+": "green", "-": "red"}.get(line[:1], "dim"))
    if not written:
        out.print(shown(together("Nothing was written.", _how_to_write(client, project=project))))
        return
    kept = Sentence("The previous file is {backup}.", backup=str(change.backup)) if change.backup else ""
    out.print(together("[green]Written.[/green]", shown(together(kept, known.after))))


def _make_plugin(client: ClientName, folder: Path, command: str, arguments: list[str], *, as_json: bool) -> None:
    if client is not ClientName.CLAUDE_CODE:
        raise ConfigurationError("Only Claude Code has plugins with hooks.", hint="Leave --plugin out.")
    from nanobot_memory_plugins.mcp.claude_code.plugin_folder import PLUGIN, PluginFolder

    written = PluginFolder(folder, command, tuple(arguments), version(_DISTRIBUTION)).write()
    start = f"claude --plugin-dir {shlex.quote(str(folder))}"
    install = (
        f"claude plugin marketplace add {shlex.quote(str(folder))}",
        f"claude plugin install {PLUGIN}@{PLUGIN}",
    )
    if as_json:
        told = {"client": client.value, "folder": folder, "written": written, "start": start, "install": install}
        print_json({"ok": True, **told})
        return
    out = console()
    done = tr("[green]Written.[/green]") if written else tr("It stands there already: nothing to write.")
    out.print(f"{done} [cyan]{shown(str(folder))}[/cyan]")
    for when, lines in ((tr("For one session:"), (start,)), (tr("For every session:"), install)):
        out.print(when)
        for line in lines:
            out.print(f"    {shown(line)}", soft_wrap=True)


def _usual(client: ClientName) -> Path:
    try:
        return KNOWN_CLIENTS[client].user(Machine.here())
    except RuntimeError as error:
        raise ConfigurationError("There is no home folder to find the client's file in.", hint="Use --file.") from error


def _how_to_write(client: ClientName, *, project: bool) -> str:
    more = " --project" if project else ""
    command = f"nanobot-memory connect {client.value}{more} --write"
    return Sentence("`{command}` writes it.", command=command)
