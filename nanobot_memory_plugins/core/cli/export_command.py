"""``nanobot-memory export``: the whole memory as one archive."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
)
from nanobot_memory_plugins.core.cli.repair import repair_memory
from nanobot_memory_plugins.core.cli.transfer_output import counted, working
from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.transfer.exporting import archive_name, back_up, export_to, usual_folder
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

_KEPT = 14


def export_memory(
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The archive to write, a ZIP file. Else one in this folder."),
    ] = None,
    daily: Annotated[
        bool,
        typer.Option("--daily", help="Make a backup: one archive a day in the folder --to, read back whole."),
    ] = False,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep", metavar="N", min=1, max=10_000, help="With --daily: how many of the last to keep, else 14."
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole memory into one archive, with the hash of every file. Agents may go on meanwhile.

    With --daily and without --to the folder is ~/nanobot-memory-backups.
    """
    folder = existing_workspace(workspace)
    if keep is not None and not daily:
        raise typer.BadParameter(tr("--keep is for --daily"))
    now = datetime.now().astimezone()
    usual = usual_folder() if daily else Path(f"{archive_name(folder)}-{now:%Y%m%d-%H%M%S}.zip")
    target = (to or usual).expanduser().absolute()
    if daily and target.is_file():
        raise WrongUseError(
            Sentence("{place} is a file.", place=target), hint="With --daily, --to names the folder of the backups."
        )
    repair_memory(folder, read_configuration(None)[0])
    with working(tr("exporting")):
        report = back_up(target, folder, keep=keep or _KEPT, now=now) if daily else export_to(target, folder)
    if as_json:
        left = [{"file": name, "why": why} for name, why in report.left]
        counts = {"files": report.files, "bytes": report.size, "new": report.is_new, "removed": report.removed}
        print_json({"ok": True, "path": report.path, **counts, "left": left})
        return
    out = console()
    for name, why in report.left:
        out.print(tr("left: {name}: {why}", name=shown(name), why=shown(tr(why))))
    where = shown(str(report.path))
    if report.is_new:
        files = counted(report.files, "file")
        out.print(tr("{files}, {size:,} bytes, in {target}", files=files, size=report.size, target=where))
        out.print(tr("The index is not in it: it is built from the files. Text that people wrote is in it as it is."))
    else:
        out.print(tr("Today's backup is there, and whole: {path}", path=where))
    for path in report.removed:
        out.print(tr("given up: {name}", name=shown(path.name)))
