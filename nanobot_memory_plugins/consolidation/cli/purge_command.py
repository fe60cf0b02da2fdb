"""``nanobot-memory purge``: forget entries for good."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from nanobot_memory_plugins.consolidation.cli.completing import entry_ids
from nanobot_memory_plugins.consolidation.cli.shown import WHO, console, opened
from nanobot_memory_plugins.consolidation.journal import last_known
from nanobot_memory_plugins.consolidation.purging import known, remember_purged
from nanobot_memory_plugins.consolidation.purging import purge as purge_entries
from nanobot_memory_plugins.consolidation.repository import EntryRepository
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    read_configuration,
    run,
    warn,
)
from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.erasure import purge_texts
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.memory_host import MemoryHost
from nanobot_memory_plugins.core.values import Trace


def purge(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID...]", help="The ids of entries, gone ones included.", autocompletion=entry_ids),
    ] = None,
    text: Annotated[list[str] | None, typer.Option("--text", help="Words that no entry holds any more.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, write nothing.")] = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Also from text that people wrote into the memory files.")
    ] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove every trace of entries: file, backup, journal, transcripts, notes, index. It cannot be undone."""
    ids, texts = ids or [], text or []
    if not ids and not texts:
        raise typer.BadParameter("name entries by their ids, or words with --text")
    repository = opened(workspace)
    runs, there = repository.journal.runs(), repository.load().entries
    entries = {id_: there.get(id_) or last_known(runs, id_) for id_ in ids}
    missing = [id_ for id_, entry in entries.items() if entry is None]
    if missing:
        raise InputError(f"There is no entry {', '.join(missing)}.", mend="`nanobot-memory entries history` shows all.")
    if not yes and not dry_run:
        if as_json or not sys.stdin.isatty():
            raise typer.BadParameter("nobody can be asked here; say --yes")
        for id_, entry in entries.items():
            console().print(f"[bold]{escape(id_)}[/bold]  {escape(entry.content if entry else '')}")
        for words in texts:
            console().print(escape(words))
        typer.confirm("Forget this for good?", abort=True)
    configuration, problems = read_configuration(config)
    warn(problems)
    about = known(repository, ids) if dry_run or not ids else purge_entries(repository, ids, who=WHO)
    if texts and not dry_run:
        remember_purged(repository, texts)
    texts = [*about.texts, *texts]
    own = [repository.paths.relative(file) for file in about.files]
    traces = run(_purge_elsewhere(repository, configuration, texts, dry_run=dry_run, everywhere=everywhere))
    if dry_run and any(id_ in there for id_ in ids):
        own = [repository.paths.relative(repository.path)]
    if as_json:
        files = list(dict.fromkeys([*own, *(one.where for one in traces if one.removed)]))
        rows = [
            {"where": one.where, "count": one.count, "removed": one.removed, "why": one.why}
            for one in [*(Trace(name) for name in own), *traces]
        ]
        print_json(
            {
                "ok": True,
                "ids": about.ids,
                "files": files,
                "sessions": about.sessions,
                "traces": rows,
                "dry_run": dry_run,
            }
        )
        return
    _show(about.ids, own, traces, dry_run)


async def _purge_elsewhere(
    repository: EntryRepository, config: MemoryConfig, texts: Sequence[str], *, dry_run: bool, everywhere: bool
) -> list[Trace]:
    """Take the texts out of transcripts, notes and everything that plugins keep."""
    async with MemoryHost(repository.paths.workspace, config=config) as host:
        return await purge_texts(host, texts, dry_run=dry_run, everywhere=everywhere)


def _show(ids: Sequence[str], own: Sequence[str], traces: Sequence[Trace], dry_run: bool) -> None:
    out = console()
    said = "Would be forgotten" if dry_run else "Forgotten"
    out.print(f"{said} for good: {', '.join(map(escape, ids)) or 'these words'}.")
    gone = dict.fromkeys([*own, *(one.where for one in traces if one.removed)])
    if gone:
        out.print(f"{'To clean' if dry_run else 'Cleaned'}: {', '.join(map(escape, gone))}.")
    for one in traces:
        if not one.removed:
            times = f" ({one.count} times)" if one.count > 1 else ""
            out.print(f"left in {escape(one.where)}{times}: {escape(one.why)}")
