"""``nanobot-memory scrub``: take secrets out of what was stored before."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.store.document import parse, render
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
    failed = any(report.why.startswith("it cannot be cleaned") for report in reports)
    if as_json:
        rows = [
            {"where": report.where, "kinds": dict(report.kinds), "removed": report.removed, "why": report.why}
            for report in reports
        ]
        print_json({"ok": not failed, "found": dict(counts), "files": rows, "dry_run": dry_run})
    else:
        for report in [report for report in reports if report.kinds or not report.removed]:
            console().print(shown(_report_line(report, dry_run)))
        if not (failed or counts):
            console().print(tr("No secrets were found in what the memory wrote."))
    if failed:
        raise typer.Exit(1)


async def _scrub(
    repository: EntryRepository, config: MemoryConfig, *, dry_run: bool, everywhere: bool
) -> list[Scrubbed]:
    names = (repository.path.name, repository.paths.long_term.name)

    def clean(data: bytes) -> ScrubbedBytes:
        return _clean_document(data, repository, everywhere=everywhere)

    def special(path: Path) -> Cleaner | None:
        """Return the cleaner of ``MEMORY.md``, ``ENTRIES.md`` and every copy of them."""
        return clean if path.name.startswith(names) else None

    async with MemoryHost(repository.paths.workspace, config=config) as host:
        return await scrub_workspace(host, special, dry_run=dry_run, everywhere=everywhere)


def _clean_document(data: bytes, repository: EntryRepository, *, everywhere: bool) -> ScrubbedBytes:
    """Return a file of entries without secrets in them and in the notes between them."""
    found: Counter[str] = Counter()
    foreign: Counter[str] = Counter()

    def safe(text: str) -> str:
        return redacted(text, repository.redacted, found)

    def clean(text: bytes) -> bytes:
        notes = clean_notes(text, repository.redacted, everywhere=everywhere)
        found.update(notes.found)
        foreign.update(notes.foreign)
        return notes.data

    document = parse(data)
    entries = {
        id_: replace(entry, content=safe(entry.content), quote=safe(entry.quote))
        for id_, entry in document.entries.items()
    }
    cleaned = parse(render(document, entries, now=repository.clock.now()))
    return ScrubbedBytes(cleaned.with_foreign(clean), found, foreign)


def _report_line(report: Scrubbed, dry_run: bool) -> str:
    """Say what was found in a file."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.kinds.items()))
    if report.removed:
        return tr(
            "to clean {where}: {kinds}" if dry_run else "cleaned {where}: {kinds}", where=report.where, kinds=kinds
        )
    if kinds:
        return tr("left in {where}: {kinds} ({why})", where=report.where, kinds=kinds, why=tr(report.why))
    return tr("left in {where}: {why}", where=report.where, why=tr(report.why))
