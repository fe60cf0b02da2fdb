"""``nanobot-memory export``: the whole memory as one archive."""

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    JsonOption,
    WorkspaceOption,
    print_json,
    read_configuration,
    resolve_workspace,
)
from nanobot_memory_plugins.core.cli.repair import repair_memory
from nanobot_memory_plugins.core.cli.transfer_output import bar
from nanobot_memory_plugins.core.transfer.exporting import export_to
from nanobot_memory_plugins.redaction.script.messages import tr


def export_memory(
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The archive to write, a ZIP file. Else one in this folder."),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole memory into one archive, with the hash of every file. Agents may go on meanwhile."""
    folder = resolve_workspace(workspace)
    target = (to or Path(_usual_name(folder))).expanduser().absolute()
    repair_memory(folder, read_configuration(None)[0])
    with bar("exporting") as progress:
        report = export_to(target, folder, progress=progress)
    if as_json:
        left = [{"file": name, "why": why} for name, why in report.left]
        print_json({"ok": True, "path": target, "files": report.files, "bytes": report.size, "left": left})
        return
    out = console()
    for name, why in report.left:
        out.print(tr("left: {name}: {why}", name=shown(name), why=shown(tr(why))))
    out.print(
        tr(
            "{files:,} files, {size:,} bytes, in {target}",
            files=report.files,
            size=report.size,
            target=shown(str(target)),
        )
    )
    out.print(tr("The index is not in it: it is built from the files. Text that people wrote is in it as it is."))


def _usual_name(folder: Path) -> str:
    named = re.sub(r"[^\w-]+", "-", folder.name).strip("-") or "workspace"
    return f"nanobot-memory-{named}-{datetime.now():%Y%m%d-%H%M%S}.zip"
