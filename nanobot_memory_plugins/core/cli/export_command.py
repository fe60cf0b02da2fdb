"""``nanobot-memory export``: the whole memory as one archive."""

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.import_command import counted
from nanobot_memory_plugins.core.cli.options import (
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
)
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.transfer.archive import export_to
from nanobot_memory_plugins.redaction.script.messages import tr


def export_memory(
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The archive to write, a ZIP file. Else one in this folder."),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole memory into one archive. Agents may go on meanwhile."""
    folder = existing_workspace(workspace)
    agent = re.sub(r"[^\w-]+", "-", folder.name).strip("-") or "workspace"
    usual = Path(f"nanobot-memory-{agent}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.zip")
    target = (to or usual).expanduser().absolute()
    finish_erasure(folder)
    with console(stderr=True).status(tr("exporting")):
        report = export_to(target, folder)
    if as_json:
        left = [{"file": name, "why": why} for name, why in report.left]
        print_json({"ok": True, "path": report.path, "files": report.files, "bytes": report.size, "left": left})
        return
    out = console()
    for name, why in report.left:
        out.print(tr("left: {name}: {why}", name=shown(name), why=shown(tr(why))))
    files, where = counted(report.files, "files"), shown(str(report.path))
    out.print(tr("{files}, {size:,} bytes, in {target}", files=files, size=report.size, target=where))
    out.print(tr("The index is not in it: it is built from the files. Text that people wrote is in it as it is."))
