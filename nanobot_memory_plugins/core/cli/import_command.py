"""``nanobot-memory import``: bring what another program remembers, or an archive of this one."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.asking import agrees
from nanobot_memory_plugins.core.cli.console import console
from nanobot_memory_plugins.core.cli.options import (
    EverybodyOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    run,
    written_by_owner,
)
from nanobot_memory_plugins.core.cli.passphrase import PassphraseFileOption, passphrase_from
from nanobot_memory_plugins.core.cli.plain import say, told_size
from nanobot_memory_plugins.core.cli.transfer_output import bar, print_report, print_taken_back
from nanobot_memory_plugins.core.config import load_config
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.erasure.unopened_files import unopened_indexes
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.transfer.archive import is_archive
from nanobot_memory_plugins.core.transfer.archive_import import import_archive
from nanobot_memory_plugins.core.transfer.conflict_copies import merge_copies
from nanobot_memory_plugins.core.transfer.encryption import is_encrypted
from nanobot_memory_plugins.core.transfer.formats.encodings import known_encoding
from nanobot_memory_plugins.core.transfer.formats.markdown import MarkdownImporter
from nanobot_memory_plugins.core.transfer.import_writer import LOCK_SECONDS
from nanobot_memory_plugins.core.transfer.importing import import_from, only_import
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.sources import ARCHIVE, chosen_importer
from nanobot_memory_plugins.core.transfer.written import take_back
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Logs that are shown before it is asked whether they are taken.
_LOGS_SHOWN = 10


def import_memory(
    source: Annotated[
        Path | None, typer.Argument(metavar="SOURCE", help="A folder or file: the other store, or an archive.")
    ] = None,
    from_: Annotated[
        str,
        typer.Option(
            "--from", metavar="FORMAT", help="nanobot, markdown, openclaw, claude-mem, archive; else it is guessed."
        ),
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be taken, write nothing.")] = False,
    tools: Annotated[bool, typer.Option("--tools", help="Take the results of tools, too.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Name every file.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Take large files and logs of a folder of notes, too, without asking.")
    ] = False,
    encoding: Annotated[
        str,
        typer.Option(
            "--encoding",
            metavar="NAME",
            help="The encoding of notes that are no UTF-8 (big5, gbk), else it is guessed.",
        ),
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take the last import back, without SOURCE.")] = False,
    conflicts: Annotated[
        bool,
        typer.Option(
            "--conflicts", help="Merge the copies that Dropbox, Syncthing or iCloud left in the memory, without SOURCE."
        ),
    ] = False,
    everybody: EverybodyOption = False,
    passphrase_file: PassphraseFileOption = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take over memories from elsewhere. It can be repeated: only new items are imported."""
    if conflicts:
        if source is not None or from_ or undo or tools or passphrase_file:
            raise typer.BadParameter("--conflicts stands without SOURCE, --from, --tools and --undo")
        _merge_copies(existing_workspace(workspace), dry_run=dry_run, everything=everything, as_json=as_json)
        return
    if undo:
        if source is not None or from_ or dry_run or tools or passphrase_file:
            raise typer.BadParameter("--undo stands alone, without SOURCE and the other options")
        _undo(existing_workspace(workspace), everything=everything, as_json=as_json)
        return
    if source is None:
        raise typer.BadParameter("name the store, or the archive, to import")
    path = source.expanduser().absolute()
    if not path.exists():
        raise InputError(Sentence("There is nothing at {path}.", path=path), hint="Check the path of the store.")
    report = _imported(
        path,
        from_,
        existing_workspace(workspace, may_be_new=True),
        dry_run=dry_run,
        tools=tools,
        logs=True if yes else None if _can_ask(as_json=as_json) else False,
        encoding=_known(encoding),
        everybody=everybody,
        passphrase_file=passphrase_file,
    )
    if as_json:
        print_json(report.as_json())
    else:
        print_report(report, everything=everything)


def _takes_logs(found: Sequence[Path], root: Path) -> bool:
    """Show the large files and logs of a folder, and ask whether they are taken, too."""
    if not found:
        return False
    for file in found[:_LOGS_SHOWN]:
        say(f"  {file.relative_to(root)}  {told_size(file.stat().st_size)}")
    if len(found) > _LOGS_SHOWN:
        say(tr("  and {count:,} more", count=len(found) - _LOGS_SHOWN))
    return agrees(tr("These are logs, or as large as one. Take them as notes, too?"))


def _merge_copies(workspace: Path, *, dry_run: bool, everything: bool, as_json: bool) -> None:
    paths = MemoryPaths.of(workspace)
    contacts = load_config()[0].redaction.contacts
    with bar(tr("merging")) as progress:
        merged = list(merge_copies(paths, contacts=contacts, dry_run=dry_run, progress=progress))
    if as_json:
        rows = [
            {"copy": copy.path, "file": f"memory/{copy.name}", "removed": not copy.path.exists(), **report.as_json()}
            for copy, report in merged
        ]
        print_json({"ok": True, "copies": rows})
        return
    for _, report in merged:
        print_report(report, everything=everything)
    if not merged:
        console().print(tr("There are no copies of a sync program in the memory."))


def _erased_from_index(workspace: Path) -> list[tuple[str, str]]:
    """Let the index follow its files, and keep nothing of what went; return where that has to wait, and why."""
    if not unopened_indexes(MemoryPaths.of(workspace)):
        return []
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost  # most imports do without a memory

    async def erase() -> ErasurePlan:
        async with MemoryHost(workspace, config=load_config()[0]) as host:
            return await host.eraser.erase(Erasure())  # nothing is named: the files are clean already

    return [(one.where, one.why) for one in run(erase()).traces if one.waits]


def _undo(workspace: Path, *, everything: bool, as_json: bool) -> None:
    with only_import(MemoryPaths.of(workspace)):
        done = take_back(workspace, lock_seconds=LOCK_SECONDS)
        done.left += _erased_from_index(workspace)
    if as_json:
        reasons = {
            name: [{"file": file, "why": why} for file, why in getattr(done, name)] for name in ("left", "stays")
        }
        counts = {"files": len(done.removed), "records": done.messages + done.notes}
        print_json({"ok": True, **asdict(done), **counts, **reasons})
    else:
        print_taken_back(done, everything=everything)


def _known(encoding: str) -> str:
    """Return an encoding as Python names it. Raises `typer.BadParameter`."""
    if not encoding:
        return ""
    if not (found := known_encoding(encoding)):
        raise typer.BadParameter(
            tr("there is no encoding {name}; big5, gbk, shift_jis, cp1252 and utf-16 are some", name=encoding),
            param_hint="--encoding",
        )
    return found


def _can_ask(*, as_json: bool) -> bool:
    return not as_json and sys.stdin.isatty() and sys.stdout.isatty()


def _imported(
    path: Path,
    name: str,
    workspace: Path,
    *,
    dry_run: bool,
    tools: bool,
    logs: bool | None,
    encoding: str,
    everybody: bool,
    passphrase_file: Path | None,
) -> ImportReport:
    """Import; ``logs`` says whether logs among notes are taken, and None that it is asked."""
    contacts = load_config()[0].redaction.contacts
    if passphrase_file is not None and not is_encrypted(path):
        raise typer.BadParameter(tr("--passphrase-file is for an archive that is encrypted"))
    if name == ARCHIVE or (not name and is_archive(path)):
        if encoding:
            raise typer.BadParameter(tr("--encoding is for notes in Markdown"))
        if not path.is_file():
            raise InputError(
                Sentence("{path} is no archive.", path=path),
                hint="Name the ZIP file that `nanobot-memory export` wrote.",
            )
        secret = passphrase_from(passphrase_file) if is_encrypted(path) else ""
        with bar(tr("importing")) as progress:
            return import_archive(
                path, workspace, dry_run=dry_run, contacts=contacts, progress=progress, passphrase=secret
            )
    name, importer = chosen_importer(name, path)
    if isinstance(importer, MarkdownImporter):
        logs = _takes_logs(importer.logs_in(path), path) if logs is None else logs
        importer = replace(importer, logs=logs, encoding=encoding)
    elif encoding:
        raise typer.BadParameter(tr("--encoding is for notes in Markdown"))
    with bar(tr("importing")) as progress:
        return import_from(
            importer,
            name,
            path,
            workspace,
            dry_run=dry_run,
            tools=tools,
            contacts=contacts,
            progress=progress,
            whose=written_by_owner(workspace, everybody=everybody),
        )
