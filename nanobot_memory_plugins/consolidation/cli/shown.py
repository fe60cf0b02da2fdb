"""What the commands have in common: opening the entries, and showing them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.fields import shown_date, shown_score
from nanobot_memory_plugins.consolidation.store.journal import Change, Run
from nanobot_memory_plugins.consolidation.store.nightly_records import Proposal
from nanobot_memory_plugins.consolidation.store.repair import repair_workspace
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import (
    ContactRedaction,
    InputError,
    console,
    read_configuration,
    resolve_workspace,
    shown,
)
from nanobot_memory_plugins.core.cli import finish_erasure, say_repaired
from nanobot_memory_plugins.core.files import exact_time

# Who is named in the journal for what is done on the command line.
WHO = "user"


def opened(workspace: Path | None, *, repaired: bool = True) -> EntryRepository:
    """Return the entries of a workspace, ``repaired`` where their file is damaged or a forgetting was broken off.

    Raises `InputError` when there is no such folder.
    """
    folder = resolve_workspace(workspace)
    if not folder.is_dir():
        raise InputError(f"There is no workspace at {folder}.", hint="Name the agent's folder with --workspace.")
    if repaired:
        finish_erasure(folder)
        say_repaired(repair_workspace(folder))

    @cache
    def redaction() -> ContactRedaction:
        return ContactRedaction(read_configuration(None)[0].redaction.contacts)

    # The configuration is read by what writes: a list does without.
    return EntryRepository(folder, redact=lambda text: redaction().of_people(text))


def row(entry: Entry) -> dict[str, Any]:
    """Return an entry for programs."""
    return {
        "id": entry.id,
        "content": entry.content,
        "category": entry.category,
        "score": round(entry.score, 6),
        "section": entry.section.value,
        "group": entry.group,
        "tags": list(entry.tags),
        "last_activated": exact_time(entry.last_activated),
        "hits": entry.hits,
        "created_at": exact_time(entry.created_at) if entry.created_at else None,
        "expires_at": exact_time(entry.expires_at) if entry.expires_at else None,
        "source_session": entry.source_session,
        "origin": entry.origin.value,
        "supersedes": list(entry.supersedes),
        "superseded_by": entry.superseded_by,
        "kind": entry.kind,
        "pinned": entry.pinned,
        "importance": entry.importance,
        "ended_at": exact_time(entry.ended_at) if entry.ended_at and entry.superseded_by else None,
        "scope": {name: getattr(entry.scope, name) for name in ("agent", "user", "channel", "session", "project")},
    }


def table(entries: Sequence[Entry]) -> Table:
    """Return entries as a table."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("id", "category", "score", "last used", "hits", "group", "text"):
        made.add_column(heading, overflow="fold", no_wrap=heading in ("id", "score", "last used"))
    for entry in entries:
        made.add_row(
            shown(entry.id),
            shown(entry.category),
            shown_score(entry.score),
            shown_date(entry.last_activated),
            str(entry.hits),
            shown(entry.group),
            shown(" ".join((entry.content, *(f"#{tag}" for tag in entry.tags)))),
            style="" if entry.section.value == "active" else "dim",
        )
    return made


def outcome_row(outcome: Outcome, repository: EntryRepository) -> dict[str, Any]:
    """Return what was written, for programs."""
    return {
        "ok": True,
        "file": repository.paths.relative(outcome.path),
        "run": outcome.run.id if outcome.run else None,
        "changes": [change_row(change) for change in outcome.changes],
    }


def change_row(change: Change) -> dict[str, Any]:
    """Return a change for programs."""
    return {
        "id": change.id,
        "action": change.action.value,
        "before": row(change.before) if change.before else None,
        "after": row(change.after) if change.after else None,
    }


def show_outcome(outcome: Outcome, repository: EntryRepository) -> None:
    """Say what was written, and where."""
    out = console()
    if not outcome.changes:
        out.print("Nothing changed.")
    for change in outcome.changes:
        text = (change.after or change.before or Entry("", "", "", 0, repository.clock.now())).content
        out.print(f"{change.action.value} [bold]{shown(change.id)}[/bold]  {shown(text)}")
    if outcome.run:
        out.print(f"{repository.paths.relative(outcome.path)}, run {outcome.run.id}", style="dim")


def show_run(run: Run) -> None:
    """Show a run of the journal."""
    out = console()
    undoes = f", undoes {run.undoes}" if run.undoes else ""
    out.print(f"[bold]{shown(run.id)}[/bold]  {shown(run.time)}  {shown(run.who)}: {shown(run.why)}{undoes}")
    for change in run.changes:
        before, after = change.before, change.after
        what = (after or before).content if (after or before) else ""  # type: ignore[union-attr]
        scores = " -> ".join(shown_score(one.score) for one in (before, after) if one)
        out.print(f"    {change.action.value:9} {shown(change.id)}  {scores}  {shown(what)}")


def proposal_row(proposal: Proposal) -> dict[str, str]:
    """Return a proposal for programs."""
    return {"quote": proposal.quote, "file": proposal.file, "found": proposal.found}


def show_proposals(proposals: list[Proposal] | tuple[Proposal, ...]) -> None:
    """Show sentences that seem outdated, with the file in which they stand."""
    for one in proposals:
        console().print(f"outdated? {shown(one.file)}: {shown(one.quote)}")
