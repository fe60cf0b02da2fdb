"""``nanobot-memory scrub``: take secrets out of what was stored before."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.rendering import render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    print_json,
    read_configuration,
    run,
    warn,
)
from nanobot_memory_plugins.core.erasure.scrub import Cleaner, Scrubbed, ScrubbedBytes, clean_notes, redacted, total
from nanobot_memory_plugins.core.host.eraser import scrub_workspace
from nanobot_memory_plugins.redaction.script.messages import tr


def special_cleaner(repository: EntryRepository, *, everywhere: bool) -> Callable[[Path], Cleaner | None]:
    """Return what gives the cleaner of ``MEMORY.md``, ``ENTRIES.md`` and every copy of them, and None for others."""
    names = tuple(path.name for path in (repository.path, repository.paths.long_term))

    def special(path: Path) -> Cleaner | None:
        if path.name.removeprefix("seen-").startswith(names):
            return partial(_clean_document, repository=repository, everywhere=everywhere)
        return None

    return special


def _clean_document(data: bytes, repository: EntryRepository, *, everywhere: bool) -> ScrubbedBytes:
    found: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    document = parse(data)
    entries = {id_: _clean_entry(entry, repository, found) for id_, entry in document.entries.items()}
    cleaned = parse(render(document, entries, now=repository.clock.now()) if found else data)

    def clean(text: bytes) -> bytes:
        notes = clean_notes(text, repository.redacted, everywhere=everywhere)
        found.update(notes.found)
        foreign.update(notes.foreign)
        return notes.data

    return ScrubbedBytes(cleaned.with_foreign(clean), found, foreign)


def _clean_entry(entry: Entry, repository: EntryRepository, found: Counter[str]) -> Entry:
    safe = replace(
        entry,
        content=redacted(entry.content, repository.redacted, found),
        quote=redacted(entry.quote, repository.redacted, found),
    )
    return entry if safe == entry else safe


def scrub(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, write nothing.")] = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="Also from text that people wrote into the memory files.")
    ] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take secrets out of transcripts, notes, entries, backups, the history and the index. It cannot be undone."""
    repository = opened(workspace)
    configuration, problems = read_configuration(config)
    warn(problems)
    reports = run(_scrub(repository, configuration, dry_run=dry_run, everywhere=everywhere))
    counts = total(reports)
    failed = any(one.why.startswith("it cannot be cleaned") for one in reports)
    if as_json:
        rows = [
            {"where": one.where, "kinds": dict(one.kinds), "removed": one.removed, "why": one.why} for one in reports
        ]
        print_json({"ok": not failed, "found": dict(counts), "files": rows, "dry_run": dry_run})
    else:
        _show(reports, dry_run)
        if not (failed or counts):
            console().print(tr("No secrets were found in what the memory wrote."))
    if failed:
        raise typer.Exit(1)


async def _scrub(
    repository: EntryRepository, config: MemoryConfig, *, dry_run: bool, everywhere: bool
) -> list[Scrubbed]:
    async with MemoryHost(repository.paths.workspace, config=config) as host:
        special = special_cleaner(repository, everywhere=everywhere)
        return await scrub_workspace(host, special, dry_run=dry_run, everywhere=everywhere)


def _show(reports: list[Scrubbed], dry_run: bool) -> None:
    out = console()
    for one in reports:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(one.kinds.items()))
        if not (one.removed or kinds):
            out.print(tr("left in {where}: {why}", where=shown(one.where), why=shown(tr(one.why))))
        elif not one.removed:
            out.print(
                tr(
                    "left in {where}: {kinds} ({why})",
                    where=shown(one.where),
                    kinds=shown(kinds),
                    why=shown(tr(one.why)),
                )
            )
        elif kinds:
            out.print(
                tr(
                    "to clean {where}: {kinds}" if dry_run else "cleaned {where}: {kinds}",
                    where=shown(one.where),
                    kinds=shown(kinds),
                )
            )
