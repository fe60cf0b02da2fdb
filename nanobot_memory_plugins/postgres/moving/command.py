"""``nanobot-memory move``: from this machine's own store to one that machines share, and back."""

from enum import StrEnum
from typing import Annotated

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
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr


class MoveTarget(StrEnum):
    """Where a memory can be moved to."""

    POSTGRES = "postgres"
    SQLITE = "sqlite"


def move(
    to: Annotated[
        MoveTarget, typer.Option("--to", help="postgres: share it with other machines; sqlite: have it alone.")
    ],
    dsn: Annotated[
        str, typer.Option("--dsn", metavar="DSN", help="How the server is reached, where the configuration has it not.")
    ] = "",
    tenant: Annotated[
        str, typer.Option("--tenant", metavar="NAME", help="Whose memory it is there; all its machines say the same.")
    ] = "",
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move this memory to a server that machines share, or take everything that they share into this machine's files.

    Counts and hashes of both sides are compared before the configuration is changed. It may be broken off and done
    again. Nothing is taken away where it was.
    """
    from nanobot_memory_plugins.postgres.moving.moves import move_to_postgres, move_to_sqlite

    options, problems = read_configuration(config)
    warn(problems)
    folder = existing_workspace(workspace)

    def told(text: str) -> None:
        say_note(tr(text))

    if to is MoveTarget.POSTGRES:
        done = run(move_to_postgres(folder, options, config, dsn=dsn, tenant=tenant, told=told))
        text = tr(
            "{count:,} passages of {machine} are on the server, the same as in the files here.",
            count=done.count,
            machine=done.machine,
        )
    else:
        if dsn or tenant:
            raise typer.BadParameter(tr("--dsn and --tenant are for --to postgres"))
        done = run(move_to_sqlite(folder, options, config, told=told))
        text = tr(
            "{count:,} records of other machines are in the files here, the same as on the server.", count=done.count
        )
    if as_json:
        print_json(
            {
                "ok": True, "to": to.value, "machine": done.machine, "count": done.count, "sha256": done.digest,
                "config": str(done.config) if done.config is not None else None,
            }
        )  # fmt: skip
        return
    say(together(text, Sentence("SHA-256 over all: {digest}", digest=done.digest)))
    if done.config is not None:
        say(tr("{file} is changed: restart the agent.", file=done.config))
    else:
        say(
            tr(
                "There is no configuration file to change: set the options of memoryPlugins.postgres where you keep"
                " them."
            )
        )
