"""``nanobot-memory scrub``: remove secrets from what is already stored."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.output import open_repository
from nanobot_memory_plugins.consolidation.store.document import parse, render
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    WorkspaceOption,
    configuration_of,
    print_json,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.erasure.cleaning import CleanedFile, clean_files, remove_secrets, secrets_cleaner
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan
from nanobot_memory_plugins.core.host.plugin_host import values_of
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.state.erasing import clean_state
from nanobot_memory_plugins.core.values import Erasure, Trace
from nanobot_memory_plugins.core.values.purging import TraceLine
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
    repository = open_repository(workspace)
    configuration = configuration_of(config)
    plan = run(_scrub(repository, configuration, dry_run=dry_run, everywhere=everywhere))
    failed = any(trace.waits for trace in plan.traces)
    if as_json:
        found = Counter(held.text for trace in plan.removed for held in trace.lines)
        print_json({"ok": not failed, "found": dict(found), **plan.to_json(), "dry_run": dry_run})
    else:
        for line in plan.report_lines():
            say(line)
        if not plan.traces:
            say(tr("No secrets were found in what the memory wrote."))
    if failed:
        raise typer.Exit(1)


async def _scrub(repository: EntryRepository, config: MemoryConfig, *, dry_run: bool, everywhere: bool) -> ErasurePlan:
    """Remove secrets from all stored files, the state and the index; copies that contain a secret are deleted.

    People's own text is only reported, unless ``everywhere``. A second run changes nothing.
    """
    redaction = ContactRedaction(config.redaction.contacts)
    paths, erasure = repository.paths, Erasure(everywhere=everywhere)
    cleaner = secrets_cleaner(redaction.redact_people, redaction.redact_tools, everywhere=everywhere)

    def special_cleaner(path: Path) -> Callable[[bytes], CleanedFile] | None:
        """Return the cleaner of the files that may hold entries."""
        if path not in (repository.path, paths.long_term):
            return None
        return lambda data: _clean_document(data, repository, everywhere=everywhere)

    def files() -> list[Trace]:
        held: list[TraceLine] = []

        def change(text: str) -> str:
            taken, kinds = remove_secrets(text, redaction.redact_people)
            held.extend(TraceLine(0, one.text) for one in kinds)  # a line of a row says nothing
            return taken

        found = clean_files(paths, cleaner, dry_run=dry_run, special_cleaner=special_cleaner)
        of_state = clean_state(paths, change, dry_run=dry_run)
        return [*found, *(replace(one, lines=tuple(held)) for one in of_state)]

    async with MemoryHost(paths.workspace, config=config) as host:
        traces = await run_in_daemon_thread(files)
        if not dry_run:
            if host.store is not None:
                for trace in traces:
                    host.store.notify(paths.workspace / trace.where)
            # Nothing is named: the index follows its files, and is then written anew without what was deleted.
            answers = await host.plugins.call("on_purge", erasure.hook_arguments(dry_run=False))
            traces += values_of(answers, Trace)
    return ErasurePlan(erasure, tuple(traces), is_done=not dry_run)


def _clean_document(data: bytes, repository: EntryRepository, *, everywhere: bool) -> CleanedFile:
    """Return a file of entries without secrets in them and in the notes between them."""
    result = CleanedFile()

    def safe(text: str) -> str:
        taken, held = remove_secrets(text, repository.redact)
        result.removed += held
        return taken

    def clean(text: bytes) -> bytes:
        notes = secrets_cleaner(repository.redact, repository.redact, everywhere=everywhere).clean_notes(text)
        before = data.count(b"\n", 0, max(data.find(text), 0))  # people's text stays as it is
        result.removed += [TraceLine(before + one.line, one.text) for one in notes.removed]
        result.foreign += [TraceLine(before + one.line, one.text) for one in notes.foreign]
        return notes.data

    document = parse(data)
    entries = {
        id_: replace(entry, content=safe(entry.content), quote=safe(entry.quote))
        for id_, entry in document.entries.items()
    }
    cleaned = parse(render(document, entries, now=repository.clock.now()))
    result.data = cleaned.with_foreign(clean)
    return result
