"""Shared by the commands: opening the repository, and printing entries, changes and runs."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.consolidation.store.entry_text import shown_date, shown_score
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core.cli.options import existing_workspace, print_json
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.values.entries import Entry, EntryChange, EntryRun, Section
from nanobot_memory_plugins.redaction.script.messages import tr

# The author that the history names for changes on the command line.
WHO = "user"
# The authors and reasons of runs that the program itself writes.
_WHO_WORDS = ("user", "extraction", "hand", "import", "panel", "consolidation", "tool", "shared memory")
_WHY_WORDS = (
    "remember", "forget", "edit", "confirm", "group", "restored", "undone", "purged",
    "edited in ENTRIES.md", "ENTRIES.md was gone",
    "imported from an archive", "the import was taken back", "changed on another machine",
    "daily consolidation", "conversation",
)  # fmt: skip
_TIMES = ("last_activated", "created_at", "expires_at", "ended_at")


def open_repository(workspace: Path | None) -> EntryRepository:
    """Return the repository of a workspace after finishing an interrupted purge and adopting edits of the file.

    Raises `InputError` when there is no such folder.
    """
    folder = existing_workspace(workspace)
    finish_erasure(folder)

    @cache
    def redaction() -> ContactRedaction:  # only commands that write need the configuration
        from nanobot_memory_plugins.core.config.reading import load_config

        return ContactRedaction(load_config().redaction.contacts)

    repository = EntryRepository(folder, redact=lambda text: redaction().redact_people(text))
    with suppress(MemoryFileError):  # the next read or write reports it
        repository.adopt_edits()
    return repository


def entry_row(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON data."""
    names = ("id", "content", "category", "group", "hits", "source_session", "superseded_by", "kind", "pinned")
    scope = ("agent", "user", "channel", "session", "project")
    return {
        **{name: getattr(entry, name) for name in (*names, "importance")},
        **{name: exact_time(time) if (time := getattr(entry, name)) else None for name in _TIMES},
        "score": round(entry.score, 6),
        "section": entry.section.value,
        "origin": entry.origin.value,
        "supersedes": list(entry.supersedes),
        "scope": {name: getattr(entry.scope, name) for name in scope},
    }


def change_row(change: EntryChange) -> dict[str, Any]:
    """Return a change as JSON data."""
    return {
        "id": change.id,
        "action": change.action.value,
        "before": entry_row(change.before) if change.before else None,
        "after": entry_row(change.remaining) if change.remaining else None,
    }


def run_row(run: EntryRun) -> dict[str, Any]:
    """Return a run of the history as JSON data, without its changes."""
    return {
        "run": run.id,
        "time": exact_time(run.time),
        "who": run.who,
        "why": run.why,
        "undoes": run.undoes,
    }


def show_outcome(outcome: Outcome, repository: EntryRepository, *, as_json: bool, **facts: object) -> None:
    """Print what was written and where; ``facts`` are added to the JSON output."""
    file, run = repository.paths.relative(repository.path), outcome.run.id if outcome.run else None
    if as_json:
        changes = [change_row(change) for change in outcome.changes]
        print_json({"ok": True, "file": file, "run": run, "changes": changes, **facts})
        return
    if not outcome.changes:
        say(tr("Nothing changed."))
    _show_changes(outcome.changes)
    if run:
        say(tr("{file}, run {id}", file=file, id=run), dim=True)


def show_run(run: EntryRun) -> None:
    """Print a run of the history."""
    undoes = tr(", undoes {run}", run=run.undoes) if run.undoes else ""
    say(f"{run.id}  {local_minute(run.time)}  {tr(run.who)}{tr(': ')}{tr(run.why)}{undoes}", bold=True)
    _show_changes(run.changes, indent="    ")


def _show_changes(changes: Sequence[EntryChange], *, indent: str = "") -> None:
    for change in changes:
        states = [state for state in (change.before, change.after) if state is not None]
        scores = " -> ".join(dict.fromkeys(shown_score(state.score) for state in states))
        groups = dict.fromkeys(state.group or tr("none") for state in states)
        moved = f"{tr('group')}{tr(': ')}{' -> '.join(groups)}  " if len(groups) > 1 else ""
        text = states[-1].content if states else ""
        say(f"{indent}{tr(change.action.value)} {change.id}  {scores}  {moved}{text}")


def show_entries(entries: Sequence[Entry]) -> None:
    """Print entries as a table, or to a pipe as one line each with complete fields."""
    rows = [_cells(entry) for entry in entries]
    if not sys.stdout.isatty():
        for cells in rows:
            say("  ".join(filter(None, cells)))
        return
    from nanobot_memory_plugins.core.cli.console import console, escape, show_table

    headings = (tr("id"), tr("category"), tr("score"), tr("last used"), tr("hits"), tr("group"), tr("text"))
    styles = ["dim" if entry.section is Section.ARCHIVED or entry.superseded_by else "" for entry in entries]
    show_table(headings, [tuple(map(escape, cells)) for cells in rows], console(), styles=styles, whole=(0, 2, 3))


def _cells(entry: Entry) -> tuple[str, ...]:
    by = entry.superseded_by
    text = f"{entry.content} {tr('(outdated: see {id})', id=by)}" if by else entry.content
    score, day = shown_score(entry.score), shown_date(entry.last_activated)
    return entry.id, tr(entry.category), score, day, str(entry.hits), entry.group, text


def local_minute(time: datetime) -> str:
    """Return a time in local time, to the minute."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}"
