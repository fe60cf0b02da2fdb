"""``nanobot-memory import``: bring what another program remembers, or an archive of this one."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.options import (
    EverybodyOption,
    JsonOption,
    WorkspaceOption,
    existing_workspace,
    print_json,
    read_configuration,
    run,
    written_by_owner,
)
from nanobot_memory_plugins.core.cli.transfer_output import print_report, print_undone, working
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.files import MemoryPaths
from nanobot_memory_plugins.core.transfer.archive_import import import_archive, is_archive
from nanobot_memory_plugins.core.transfer.formats.encodings import known_encoding
from nanobot_memory_plugins.core.transfer.formats.markdown import MarkdownImporter
from nanobot_memory_plugins.core.transfer.import_run import ImportReport, only_import
from nanobot_memory_plugins.core.transfer.importing import import_from
from nanobot_memory_plugins.core.transfer.sources import ARCHIVE, chosen_importer
from nanobot_memory_plugins.core.transfer.undo import undo_import
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr


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
    encoding: Annotated[
        str,
        typer.Option(
            "--encoding",
            metavar="NAME",
            help="The encoding of notes that are no UTF-8 (big5, gbk), else it is guessed.",
        ),
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take the last import back, without SOURCE.")] = False,
    everybody: EverybodyOption = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take over memories from elsewhere. It can be repeated: only new items are imported."""
    if undo:
        if source is not None or from_ or dry_run or tools:
            raise typer.BadParameter("--undo stands alone, without SOURCE and the other options")
        _undo(existing_workspace(workspace), everything=everything, as_json=as_json)
        return
    if source is None:
        raise typer.BadParameter("name the store, or the archive, to import")
    path = source.expanduser().absolute()
    if not path.exists():
        raise InputError(Sentence("There is nothing at {path}.", path=path), hint="Check the path of the store.")
    folder = existing_workspace(workspace, may_be_new=True)
    report = _imported(
        path, from_, folder, dry_run=dry_run, tools=tools, encoding=_known(encoding), everybody=everybody
    )
    if as_json:
        print_json(report.as_json())
    else:
        print_report(report, everything=everything)


def _known(encoding: str) -> str:
    """Return an encoding as Python names it. Raises `typer.BadParameter`."""
    if encoding and not known_encoding(encoding):
        raise typer.BadParameter(
            tr("there is no encoding {name}; big5, gbk, shift_jis, cp1252 and utf-16 are some", name=encoding),
            param_hint="--encoding",
        )
    return known_encoding(encoding) if encoding else ""


def _imported(
    path: Path, name: str, workspace: Path, *, dry_run: bool, tools: bool, encoding: str, everybody: bool
) -> ImportReport:
    contacts = read_configuration(None)[0].redaction.contacts
    if name == ARCHIVE or (not name and is_archive(path)):
        if not path.is_file():
            raise InputError(
                Sentence("{path} is no archive.", path=path),
                hint="Name the ZIP file that `nanobot-memory export` wrote.",
            )
        with working(tr("importing")):
            return import_archive(path, workspace, dry_run=dry_run, contacts=contacts)
    name, importer = chosen_importer(name, path)
    if isinstance(importer, MarkdownImporter):
        importer = replace(importer, encoding=encoding)
    elif encoding:
        raise typer.BadParameter(tr("--encoding is for notes in Markdown"))
    with working(tr("importing")):
        return import_from(
            importer,
            name,
            path,
            workspace,
            dry_run=dry_run,
            tools=tools,
            contacts=contacts,
            whose=written_by_owner(workspace, everybody=everybody),
        )


def _undo(workspace: Path, *, everything: bool, as_json: bool) -> None:
    with only_import(MemoryPaths.of(workspace)):
        done = undo_import(workspace)
        done.left += _erased_from_index(workspace)
    if as_json:
        print_json({"ok": True, **asdict(done), "left": [{"file": file, "why": why} for file, why in done.left]})
    else:
        print_undone(done, everything=everything)


def _erased_from_index(workspace: Path) -> list[tuple[str, str]]:
    """Let the index follow its files, and keep nothing of what went; return where that has to wait, and why."""
    if not any(MemoryPaths.of(workspace).index_folder.glob("*.db")):
        return []
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost  # most imports do without a memory

    async def erase() -> ErasurePlan:
        async with MemoryHost(workspace, config=read_configuration(None)[0]) as host:
            return await host.eraser.erase(Erasure())  # nothing is named: the files are clean already

    return [(one.where, one.why) for one in run(erase()).traces if one.waits]
