"""``nanobot-memory export`` and ``import``: a memory as an archive, and the memories of other programs."""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nanobot_memory_plugins.core.cli.console import console, escape
from nanobot_memory_plugins.core.cli.options import (
    EverybodyOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    owner_scope,
    print_json,
    run,
)
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.transfer.archive import export_to
from nanobot_memory_plugins.core.transfer.import_run import ImportReport, import_lock, undo_import
from nanobot_memory_plugins.core.transfer.importer import importer_named
from nanobot_memory_plugins.core.transfer.importing import import_from
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# The most files, and line numbers of each, that are printed; --json names them all.
_MAX_FILES, _MAX_LINES = 5, 20
_ARCHIVE = "archive"
_KIND_WORDS = ("messages", "notes", "entries", "files")


def export_memory(
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The archive to write, a ZIP file. Else one in this folder."),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the whole memory into one archive. Agents may keep running."""
    folder = existing_workspace(workspace)
    agent = re.sub(r"[^\w-]+", "-", folder.name).strip("-") or "workspace"
    default = Path(f"nanobot-memory-{agent}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.zip")
    target = (to or default).expanduser().absolute()
    finish_erasure(folder)
    with console(stderr=True).status(tr("exporting")):
        report = export_to(target, folder)
    if as_json:
        left = [{"file": name, "why": why} for name, why in report.skipped]
        print_json({"ok": True, "path": report.path, "files": report.files, "bytes": report.size, "left": left})
        return
    out = console()
    for name, why in report.skipped:
        out.print(tr("left: {name}: {why}", name=escape(name), why=escape(tr(why))))
    files, where = _counts({"files": report.files}), escape(str(report.path))
    out.print(tr("{files}, {size:,} bytes, in {target}", files=files, size=report.size, target=where))
    out.print(tr("The index is not in it: it is built from the files. Text that people wrote is in it as it is."))


def import_memory(
    source: Annotated[
        Path | None, typer.Argument(metavar="SOURCE", help="A folder or file: the other store, or an archive.")
    ] = None,
    from_: Annotated[
        str,
        typer.Option("--from", metavar="FORMAT", help="nanobot or markdown; else it is an archive."),
    ] = _ARCHIVE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be taken, write nothing.")] = False,
    tools: Annotated[bool, typer.Option("--tools", help="Take the results of tools, too.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last import back, without SOURCE.")] = False,
    everybody: EverybodyOption = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take over memories from elsewhere. It can be repeated: only new items are imported.

    Of many files the first few are printed; --json names each.
    """
    if undo:
        if source is not None or from_ != _ARCHIVE or dry_run or tools:
            raise typer.BadParameter(tr("--undo takes neither SOURCE nor other options"))
        _undo(existing_workspace(workspace), as_json=as_json)
        return
    if source is None:
        raise typer.BadParameter(tr("name the store, or the archive, to import"))
    path = source.expanduser().absolute()
    if not path.exists():
        raise InputError(Sentence("There is nothing at {path}.", path=path), hint="Check the path of the store.")
    folder = existing_workspace(workspace, may_be_new=True)
    contacts = load_config().redaction.contacts
    importer = importer_named(from_)
    owner = owner_scope(folder, everybody=everybody)
    with console(stderr=True).status(tr("importing")):
        report = import_from(
            importer, from_, path, folder, dry_run=dry_run, tools=tools, contacts=contacts, default_scope=owner
        )
    _show_report(report, tr("would be taken") if dry_run else tr("taken"), as_json=as_json)


def _undo(workspace: Path, *, as_json: bool) -> None:
    with import_lock(MemoryPaths.of(workspace)):
        report = undo_import(workspace)
        for where, why in _update_index(workspace):
            report.skip(why, where)
    _show_report(report, tr("taken back"), as_json=as_json)


def _update_index(workspace: Path) -> list[tuple[str, str]]:
    """Remove what is no longer in the files from the index; return what cannot be done yet, as (where, why)."""
    if not any(MemoryPaths.of(workspace).index_folder.glob("*.db")):
        return []
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost  # slow to import, and only needed here

    async def erase() -> ErasurePlan:
        async with MemoryHost(workspace, config=load_config()) as host:
            return await host.eraser.erase(Erasure())  # empty, since the files are clean already

    return [(one.where, one.why) for one in run(erase()).traces if one.waits]


def _line_numbers(lines: list[int]) -> str:
    numbers = [str(line) for line in lines if line]
    ellipsis = "…" if len(numbers) > _MAX_LINES else ""
    return ", ".join(numbers[:_MAX_LINES]) + ellipsis


def _counts(counts: Mapping[str, int]) -> str:
    return tr(", ").join(f"{tr(kind)}{tr(': ')}{count:,}" for kind, count in counts.items() if count) or tr("nothing")


def _show_report(report: ImportReport, verb: str, *, as_json: bool) -> None:
    """Print the report of an import, or of its undo."""
    if as_json:
        print_json(report.as_json())
        return
    out = console()
    known = tr("; {known:,} taken before", known=report.known) if report.known else ""
    source, about = escape(report.source), escape(report.format)
    out.print(f"{source} ([bold]{about}[/bold])" if about else tr("The import of {source}:", source=source))
    out.print(f"{verb}{tr(': ')}{_counts({kind: report.taken[kind] for kind in _KIND_WORDS})}{known}")
    for why in dict.fromkeys(why for _, why in report.skipped):
        lines = {file: lines for (file, reason), lines in report.skipped.items() if reason == why}
        count = sum(map(len, lines.values()))
        out.print(tr("left: {why}", why=escape(tr(why))) + (f" ({count:,})" if count > 1 else ""))
        _show_files(out, [f"{tr(file)}:{_line_numbers(numbers)}".rstrip(":") for file, numbers in lines.items()])
    if report.written:
        out.print(tr("files:"))
        _show_files(out, [f"{file}: {count:,}" for file, count in sorted(report.written.items())])
    for notice in report.notices:
        out.print(escape(tr(notice)))


def _show_files(out: Console, files: list[str]) -> None:
    for file in files[:_MAX_FILES]:
        out.print(f"  {escape(file)}")
    if len(files) > _MAX_FILES:
        out.print(tr("  and {count:,} more; --json names each", count=len(files) - _MAX_FILES))
