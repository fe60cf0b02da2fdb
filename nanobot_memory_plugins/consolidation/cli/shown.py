"""What the commands have in common: opening the entries, and showing them."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.entry_text import shown_date, shown_score
from nanobot_memory_plugins.consolidation.store.history import Change, Run
from nanobot_memory_plugins.consolidation.store.rendering import in_order
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Outcome
from nanobot_memory_plugins.core import InputError
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import existing_workspace, read_configuration
from nanobot_memory_plugins.core.cli.repair import finish_erasure
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.files.fields import exact_time
from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction
from nanobot_memory_plugins.core.text.folding import fold
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

_Item = TypeVar("_Item")
_LOCK_SECONDS = 10.0
# Entries that are named where somebody gives words in place of an id.
_HOLDERS = 3
# What of a long list is shown on a terminal.
_MOST_SHOWN = 50
# Who is named in the history for what is done on the command line.
WHO = "user"


def opened(workspace: Path | None, *, settled: bool = True) -> EntryRepository:
    """Return the entries of a workspace, ``settled`` where their file was edited or a forgetting was broken off.

    Raises `InputError` when there is no such folder.
    """
    folder = existing_workspace(workspace)
    if settled:
        finish_erasure(folder)

    @cache
    def redaction() -> ContactRedaction:
        return ContactRedaction(read_configuration(None)[0].redaction.contacts)

    # The configuration is read by what writes: a list does without.
    repository = EntryRepository(folder, redact=lambda text: redaction().of_people(text), lock_seconds=_LOCK_SECONDS)
    if settled:
        with suppress(MemoryFileError):  # who reads or writes it next says why
            repository.settle()
    return repository


# Columns of the table that are not broken.
_WHOLE = (0, 2, 3)
# Who and why a run of the history names, where it is the program.
_WHO_WORDS = ("user", "extraction", "hand", "import", "panel", "consolidation", "tool", "shared memory")
# What is known of an entry, by the names that its JSON has.
_FIELD_WORDS = (
    "category", "score", "section", "group", "last_activated", "hits", "created_at", "expires_at", "source_session",
    "origin", "supersedes", "superseded_by", "kind", "pinned", "importance", "ended_at",
)  # fmt: skip
# Of those, which have values that are words, and which are times.
_SAID = ("category", "section", "origin", "kind", "importance")
_SAID_WORDS = ("active", "archived", "instruction", "todo", "high", "medium", "low", "yes", "no")
_TIMES = ("last_activated", "created_at", "expires_at", "ended_at")
_WHY_WORDS = (
    "remember", "forget", "edit", "confirm", "merge", "group", "restored", "undone", "purged",
    "edited in ENTRIES.md", "ENTRIES.md was gone", "taken from the file: there was no history",
    "imported from an archive", "the import was taken back", "changed on another machine",
    "daily consolidation, {day}", "session {session}",
)  # fmt: skip


def row(entry: Entry) -> dict[str, Any]:
    """Return an entry for programs."""
    return {
        "id": entry.id,
        "content": entry.content,
        "category": entry.category,
        "score": round(entry.score, 6),
        "section": entry.section.value,
        "group": entry.group,
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


def fields_told(entry: Entry) -> list[tuple[str, str]]:
    """Return what is known of an entry as people read it: names and values, in their language."""
    known = [(name, value) for name, value in row(entry).items() if name not in ("id", "content", "scope")]
    return [
        (tr(name) if name in _FIELD_WORDS else name, _told(name, value))
        for name, value in known
        if value not in (None, "", [])
    ]


def _told(name: str, value: object) -> str:
    """Return what is known of an entry as people read it."""
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if name in _TIMES:
        return local_minute(str(value))
    return tr(str(value)) if name in _SAID else str(value)


def beginning(items: Sequence[_Item], *, everything: bool) -> Sequence[_Item]:
    """Return the first items of a long list on a terminal; in a pipe, and with ``everything``, all of them."""
    return items if everything or not console().is_terminal else items[:_MOST_SHOWN]


def say_more(count: int, items: Sequence[object], option: str = "--all") -> None:
    """Say below a list how many of its items are not shown, and which option shows them."""
    if more := count - len(items):
        console().print(tr("{more:,} more; {option} shows them.", more=more, option=option), style="dim")


def show_entries(entries: Sequence[Entry], out: Console, *, everything: bool = False) -> None:
    """Show entries as a table, a long one by its beginning; to a pipe a line each, all and with every field whole."""
    if out.is_terminal:
        first = beginning(entries, everything=everything)
        out.print(_table(first))
        say_more(len(entries), first)
        return
    out.print("\n".join("  ".join(filter(None, _cells(entry))) for entry in entries))


def _table(entries: Sequence[Entry]) -> Table:
    """Return entries as a table, without a column that would be empty."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = (tr("id"), tr("category"), tr("score"), tr("last used"), tr("hits"), tr("group"), tr("text"))
    rows = [_cells(entry) for entry in entries]
    told = [number for number in range(len(headings)) if any(cells[number] for cells in rows)]
    for number in told:
        made.add_column(headings[number], overflow="fold", no_wrap=number in _WHOLE)
    for entry, cells in zip(entries, rows, strict=True):
        made.add_row(
            *(cells[number] for number in told),
            style="" if entry.section.value == "active" and not entry.superseded_by else "dim",
        )
    return made


def _cells(entry: Entry) -> tuple[str, ...]:
    return (
        shown(entry.id),
        shown(tr(entry.category)),
        shown_score(entry.score),
        shown_date(entry.last_activated),
        str(entry.hits),
        shown(entry.group),
        shown(" ".join((entry.content, *_replaced(entry)))),
    )


def _replaced(entry: Entry) -> tuple[str, ...]:
    """Return what is said behind an entry that holds no more."""
    return (tr("(outdated: see {id})", id=entry.superseded_by),) if entry.superseded_by else ()


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
        "after": row(change.after) if change.after and not change.after.is_forgotten else None,
    }


def show_outcome(outcome: Outcome, repository: EntryRepository) -> None:
    """Say what was written, and where."""
    out = console()
    if not outcome.changes:
        out.print(tr("Nothing changed."))
    first = beginning(outcome.changes, everything=False)
    for change in first:
        text = (change.after or change.before or Entry("", "", "", 0, repository.clock.now())).content
        out.print(f"{tr(change.action.value)} [bold]{shown(change.id)}[/bold]  {shown(text)}")
    say_more(len(outcome.changes), first, "`nanobot-memory entries history --limit 1 --all`")
    if outcome.run:
        out.print(tr("{file}, run {id}", file=repository.paths.relative(outcome.path), id=outcome.run.id), style="dim")


def local_minute(text: str) -> str:
    """Return a time of the history as the reader's clock has it, to the minute."""
    try:
        return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return text


def show_run(run: Run, *, everything: bool = False) -> None:
    """Show a run, a long one by its beginning."""
    out = console()
    undoes = tr(", undoes {run}", run=run.undoes) if run.undoes else ""
    who, why = said_who(run), said_why(run)
    out.print(f"[bold]{shown(run.id)}[/bold]  {shown(local_minute(run.time))}  {shown(who)}: {shown(why)}{undoes}")
    first = beginning(run.changes, everything=everything)
    for change in first:
        before, after = change.before, change.after
        what = (after or before).content if (after or before) else ""  # type: ignore[union-attr]
        scores = " -> ".join(shown_score(one.score) for one in (before, after) if one)
        action = tr(change.action.value)
        out.print(f"    {action}{' ' * max(1, 10 - cell_len(action))}{shown(change.id)}  {scores}  {shown(what)}")
    say_more(len(run.changes), first)


def said_who(run: Run) -> str:
    """Return who did a run, in the reader's language where it was the program or its user."""
    return tr(run.who) if run.who in _WHO_WORDS else run.who


def said_why(run: Run) -> str:
    """Return why a run was done, in the reader's language where the program says so."""
    for template in _WHY_WORDS:
        begin, _, name = template.rstrip("}").partition("{")
        if name and run.why.startswith(begin):
            return tr(template, **{name: run.why.removeprefix(begin)})
    return tr(run.why)


def require_ids(ids: Collection[str], entries: Mapping[str, Entry]) -> None:
    """Raise `InputError` unless there is an entry of each id."""
    if missing := sorted(set(ids) - entries.keys()):
        raise no_entry(missing, entries)


def no_entry(missing: Collection[str], entries: Mapping[str, Entry]) -> InputError:
    """Return the error of ids that no entry has; it names the entries that hold them as words."""
    words = fold(" ".join(missing)).split()
    held = [one for one in in_order(entries.values()) if all(word in fold(one.content) for word in words)][:_HOLDERS]
    told = (Sentence("{id} ({text})", id=one.id, text=one.content) for one in held)
    hint = Sentence("It stands in {entries}: name the id.", entries=Sentence.joined(told))
    listed = Sentence("`nanobot-memory entries list` shows all.")
    return InputError(
        Sentence("There is no entry {missing}.", missing=", ".join(missing)), hint=hint if held else listed
    )
