"""``nanobot-memory postgres``: a PostgreSQL server of one's own, to try the store for many machines."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core.cli import run, say, say_note, warn
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
)
from nanobot_memory_plugins.redaction.script.messages import tr

postgres = typer.Typer(help="Run a PostgreSQL server, and send it what this machine keeps.", no_args_is_help=True)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
_Folder = Annotated[
    Path | None,
    typer.Option("--folder", metavar="DIR", help="Where the server is, instead of the usual folder.", file_okay=False),
]
_Binaries = Annotated[
    Path | None,
    typer.Option(
        "--binaries", metavar="DIR", help="A folder with bin/postgres, instead of the package's.", file_okay=False
    ),
]


@postgres.command("start")
def start(folder: _Folder = None, binaries: _Binaries = None, as_json: _Json = False) -> None:
    """Start the server; the first time it is made. It runs until it is stopped."""
    from nanobot_memory_plugins.postgres.server.launcher import OwnServer

    status = OwnServer(folder, binaries=binaries).start()
    _tell(as_json, _described(status), lambda: _running(status))


@postgres.command("stop")
def stop(folder: _Folder = None, binaries: _Binaries = None, as_json: _Json = False) -> None:
    """Stop the server. What it holds stays."""
    from nanobot_memory_plugins.postgres.server.launcher import OwnServer

    server = OwnServer(folder, binaries=binaries)
    stopped = server.stop()
    told = {"folder": str(server.folder), "stopped": stopped}
    _tell(
        as_json,
        told,
        lambda: tr("Stopped: {folder}" if stopped else "No server runs in {folder}", folder=server.folder),
    )


@postgres.command("status")
def status(folder: _Folder = None, as_json: _Json = False) -> None:
    """Say whether the server runs, and how it is reached."""
    from nanobot_memory_plugins.postgres.server.launcher import OwnServer

    found = OwnServer(folder).status()
    if found.running:
        text = _running(found)
    elif found.exists:
        text = tr("The server in {folder} does not run.", folder=found.folder)
    else:
        text = tr("There is no server in {folder}. Make one: nanobot-memory postgres start", folder=found.folder)
    _tell(as_json, _described(found), lambda: text)


@postgres.command("prepare")
def prepare(
    role: Annotated[str, typer.Option("--role", metavar="NAME", help="The role that agents have, which owns nothing.")],
    dsn: Annotated[
        str,
        typer.Option(
            "--dsn", metavar="DSN", help="How the tables' owner reaches the server; else by PGHOST and its kin."
        ),
    ] = "",
    partitions: Annotated[int, typer.Option("--partitions", min=1, max=256, help="Parts of the large tables.")] = 16,
    as_json: _Json = False,
) -> None:
    """Make the tables with row-level security, as their owner, for agents with the option rls; and mend them."""
    from nanobot_memory_plugins.postgres.database import row_security
    from nanobot_memory_plugins.postgres.database.connection import connect

    connection = connect(dsn)
    try:
        made = row_security.prepare(connection, role, partitions=partitions)
    finally:
        connection.close()
    text = tr(
        "Agents that are {role} see the rows of their tenant alone. Indexes made for large tenants: {made}",
        role=role,
        made=made,
    )
    _tell(as_json, {"role": role, "indexes": made}, lambda: text)


@postgres.command("rewrite")
def rewrite(
    dsn: Annotated[
        str,
        typer.Option(
            "--dsn", metavar="DSN", help="How the tables' owner reaches the server, where agents do not own them."
        ),
    ] = "",
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the tables of this memory anew on the server: then what was purged is in none of their files.

    Each is locked meanwhile. The server's log, its standbys and its backups hold it for as long as they are kept.
    """
    from nanobot_memory_plugins.postgres.database.connection import connect
    from nanobot_memory_plugins.postgres.database.rewriting import rewrite as rewritten
    from nanobot_memory_plugins.postgres.database.tenant import Tenant
    from nanobot_memory_plugins.postgres.moving.moves import shared_options

    memory, problems = read_configuration(config)
    warn(problems)
    options = shared_options(memory)
    connection = connect(dsn or options.dsn.get_secret_value())
    try:
        lost = rewritten(connection, Tenant.named(options.tenant))
    finally:
        connection.close()
    smaller = max(0, sum(lost.values()))
    text = tr("{count} tables are written anew, {bytes:,} bytes smaller.", count=len(lost), bytes=smaller)
    _tell(as_json, {"tables": sorted(lost), "bytes": smaller}, lambda: text)


@postgres.command("send")
def send(workspace: WorkspaceOption = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Send what this machine keeps to the server, and count what stands there. Agents do so by themselves."""
    from nanobot_memory_plugins.postgres.sending import send_everything

    options, problems = read_configuration(config)
    warn(problems)
    folder = existing_workspace(workspace)
    sent = run(send_everything(folder, options, _say_unsent))
    lines = [tr("{machine}: {count:,} passages", machine=name, count=count) for name, count in sent.passages.items()]
    left = tr(
        "{bytes:,} bytes of {machine} are not sent; `nanobot-memory doctor` says why.",
        bytes=sent.unsent,
        machine=sent.here,
    )
    unsent = tr(
        "{count:,} entries of {machine} are not sent; `nanobot-memory doctor` says why.",
        count=sent.entries,
        machine=sent.here,
    )
    told = {
        "machine": sent.here, "unsent_bytes": sent.unsent, "unsent_entries": sent.entries, "passages": sent.passages,
    }  # fmt: skip
    lines += [left] if sent.unsent else []
    lines += [unsent] if sent.entries else []
    _tell(as_json, told, lambda: "\n".join(lines))
    if sent.unsent or sent.entries:
        raise typer.Exit(1)


def _say_unsent(unsent: int) -> None:
    say_note(tr("{bytes:,} bytes are not sent yet", bytes=unsent))


def _running(status: Any) -> str:
    return tr("PostgreSQL {version} runs in {folder}", version=status.version, folder=status.folder) + f"\n{status.dsn}"


def _described(status: Any) -> dict[str, Any]:
    return {
        "folder": str(status.folder),
        "exists": status.exists,
        "running": status.running,
        "process": status.process,
        "dsn": status.dsn,
        "version": status.version,
    }


def _tell(as_json: bool, told: dict[str, Any], text: Callable[[], str]) -> None:
    if as_json:
        print_json({"ok": True, **told})
    else:
        say(text())
