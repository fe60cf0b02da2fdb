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
from nanobot_memory_plugins.core.cli.passphrase import PassphraseFileOption, passphrase_from
from nanobot_memory_plugins.core.cli.repair import repair_memory
from nanobot_memory_plugins.core.cli.transfer_output import bar, counted
from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.transfer.backups import back_up, plain_name, usual_folder
from nanobot_memory_plugins.core.transfer.encryption import SUFFIX
from nanobot_memory_plugins.core.transfer.exporting import export_to
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
    encrypt: Annotated[
        bool, typer.Option("--encrypt", help="Encrypt the archive with a passphrase, which is asked for.")
    ] = False,
    passphrase_file: PassphraseFileOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole memory into one archive, with the hash of every file. Agents may go on meanwhile.

    With --daily and without --to the folder is ~/nanobot-memory-backups.
    """
    folder = existing_workspace(workspace)
    if keep is not None and not daily:
        raise typer.BadParameter(tr("--keep is for --daily"))
    passphrase = passphrase_from(passphrase_file, again=True) if encrypt or passphrase_file else ""
    if daily:
        _back_up(folder, to, keep or _KEPT, passphrase, as_json=as_json)
        return
    target = (to or Path(_usual_name(folder) + SUFFIX * bool(passphrase))).expanduser().absolute()
    repair_memory(folder, read_configuration(None)[0])
    with bar(tr("exporting")) as progress:
        report = export_to(target, folder, progress=progress, passphrase=passphrase)
    if as_json:
        left = [{"file": name, "why": why} for name, why in report.left]
        counts = {"files": report.files, "bytes": report.size}
        print_json({"ok": True, "path": target, **counts, "encrypted": bool(passphrase), "left": left})
        return
    out = console()
    for name, why in report.left:
        out.print(tr("left: {name}: {why}", name=shown(name), why=shown(tr(why))))
    out.print(
        tr(
            "{files}, {size:,} bytes, in {target}",
            files=counted(report.files, "file"),
            size=report.size,
            target=shown(str(target)),
        )
    )
    out.print(tr("The index is not in it: it is built from the files. Text that people wrote is in it as it is."))
    if passphrase:
        out.print(tr("It is encrypted. Without its passphrase nobody reads it, and nothing brings that back."))


def _back_up(folder: Path, to: Path | None, keep: int, passphrase: str, *, as_json: bool) -> None:
    place = to.expanduser().absolute() if to is not None else usual_folder()
    if place.is_file():
        raise WrongUseError(
            Sentence("{place} is a file.", place=place), hint="With --daily, --to names the folder of the backups."
        )
    repair_memory(folder, read_configuration(None)[0])
    with bar(tr("backing up")) as progress:
        now = datetime.now().astimezone()
        done = back_up(place, folder, keep=keep, now=now, progress=progress, passphrase=passphrase)
    report = done.report
    left = [{"file": name, "why": why} for name, why in report.left] if report is not None else []
    if as_json:
        counts = {"files": report.files, "bytes": report.size} if report is not None else {}
        removed = [str(path) for path in done.removed]
        print_json(
            {"ok": True, "path": done.path, "new": report is not None, **counts, "removed": removed, "left": left}
        )
        return
    out = console()
    for one in left:
        out.print(tr("left: {file}: {why}", file=shown(one["file"]), why=shown(tr(one["why"]))))
    if report is None:
        out.print(tr("Today's backup is there, and whole: {path}", path=shown(str(done.path))))
    else:
        out.print(
            tr(
                "{files}, {size:,} bytes, read back whole, in {path}",
                files=counted(report.files, "file"),
                size=report.size,
                path=shown(str(done.path)),
            )
        )
    for path in done.removed:
        out.print(tr("given up: {name}", name=shown(path.name)))


def _usual_name(folder: Path) -> str:
    return f"nanobot-memory-{plain_name(folder)}-{datetime.now():%Y%m%d-%H%M%S}.zip"
