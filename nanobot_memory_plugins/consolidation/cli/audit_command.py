"""``nanobot-memory audit``: what is wrong with the entries, by name, and what fixes it. Nothing is changed."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from nanobot_memory_plugins.consolidation.cli.shown import beginning, opened, say_more
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry, Section
from nanobot_memory_plugins.consolidation.model.matcher import says_the_same
from nanobot_memory_plugins.consolidation.model.normalised import wording
from nanobot_memory_plugins.consolidation.model.scoring import last_day, shown_now
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

_TEXT = 100


class FaultKind(StrEnum):
    """The kinds of fault."""

    NEAR_DUPLICATE = "near-duplicate"
    STALE = "stale"
    EXPIRED = "expired todo"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``ids`` are the entries that it is about, those first that the fix takes away."""

    kind: FaultKind
    ids: tuple[str, ...]
    why: str

    @property
    def hint(self) -> str:
        """The command that fixes it."""
        return f"nanobot-memory entries forget {self.ids[0]}"


def audit(
    kind: Annotated[
        list[FaultKind] | None, typer.Option("--kind", help="Only faults of this kind; may be repeated.")
    ] = None,
    stale_days: Annotated[int, typer.Option("--stale-days", min=1, help="Days without use that make one stale.")] = 90,
    everything: Annotated[bool, typer.Option("--all", help="Show every fault, not the first of them.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look through the entries for near-duplicates, stale ones, todos that are over, and what was replaced.

    Each is named by its id, with the command that fixes it. Nothing is changed.
    """
    repository = opened(workspace)
    now = repository.clock.now()
    entries = {one.id: one for one in shown_now(repository.load().entries.values(), now)}
    faults = [fault for fault in faults_of(entries, now, stale_days) if not kind or fault.kind in kind]
    if as_json:
        rows = [
            {
                "kind": fault.kind.value,
                "ids": list(fault.ids),
                "contents": [entries[id_].content for id_ in fault.ids if id_ in entries],
                "why": fault.why,
                "mend": fault.hint,
            }
            for fault in faults
        ]
        active = sum(entry.section is Section.ACTIVE for entry in entries.values())
        print_json({"ok": True, "entries": len(entries), "active": active, "faults": rows})
        return
    if not faults:
        console().print(tr("No faults were found." if entries else "There are no entries."))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (tr("kind"), tr("why"), tr("text"), tr("what fixes it")):
        table.add_column(heading, overflow="fold")
    first = beginning(faults, everything=everything)
    for fault in first:
        text = entries[fault.ids[0]].content[:_TEXT]
        table.add_row(tr(fault.kind.value), shown(tr(fault.why)), shown(text), shown(fault.hint))
    console().print(table)
    say_more(len(faults), first)


def faults_of(entries: Mapping[str, Entry], now: datetime, stale_days: int = 90) -> list[Fault]:
    """Return the faults of entries as they are now."""
    return [*_duplicates(entries), *_stale(entries, now, stale_days), *_expired(entries, now), *_contradicted(entries)]


def _duplicates(entries: Mapping[str, Entry]) -> Iterator[Fault]:
    for one, other in sorted(_pairs(entries)):
        first, second = entries[one], entries[other]
        if says_the_same(first.content, second.content):
            stays, goes = sorted((first, second), key=lambda entry: (-entry.score, -entry.hits, entry.id))
            yield Fault(FaultKind.NEAR_DUPLICATE, (goes.id, stays.id), Sentence("says what [{id}] says", id=stays.id))


def _pairs(entries: Mapping[str, Entry]) -> set[tuple[str, str]]:
    """Return pairs of ids of one scope that hold for now and share a word, but for words that most have."""
    with_term: defaultdict[str, list[str]] = defaultdict(list)
    for id_, entry in entries.items():
        if not entry.superseded_by:
            for term in wording(entry.content).terms:
                with_term[term].append(id_)
    most = max(20, len(entries) // 20)
    return {
        (min(one, other), max(one, other))
        for ids in with_term.values()
        if len(ids) <= most
        for number, one in enumerate(ids)
        for other in ids[number + 1 :]
        if entries[one].scope == entries[other].scope
    }


def _stale(entries: Mapping[str, Entry], now: datetime, stale_days: int) -> Iterator[Fault]:
    for id_, entry in entries.items():
        days = (now - entry.last_activated) // timedelta(days=1)
        if days >= stale_days and entry.section is Section.ACTIVE and entry.kept_in is None:
            yield Fault(FaultKind.STALE, (id_,), Sentence("not used for {days} days", days=days))


def _expired(entries: Mapping[str, Entry], now: datetime) -> Iterator[Fault]:
    for id_, entry in entries.items():
        if entry.category == Category.TODO and entry.expires_at is not None and entry.expires_at <= now:
            due = last_day(entry.expires_at)
            yield Fault(FaultKind.EXPIRED, (id_,), Sentence("it was due on {day:%Y-%m-%d}", day=due))


def _contradicted(entries: Mapping[str, Entry]) -> Iterator[Fault]:
    for id_, entry in entries.items():
        if by := entry.superseded_by:
            yield Fault(FaultKind.CONTRADICTED, (id_, by), Sentence("[{by}] has taken its place", by=by))
