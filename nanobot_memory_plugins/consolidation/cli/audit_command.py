"""``nanobot-memory audit``: lists problems of the entries and the command that fixes each. Nothing is changed."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from nanobot_memory_plugins.consolidation.cli.output import open_repository
from nanobot_memory_plugins.consolidation.model.entry import Category, is_same_text
from nanobot_memory_plugins.consolidation.model.scoring import current_entries, last_day
from nanobot_memory_plugins.core.cli.console import console, escape, show_table
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json
from nanobot_memory_plugins.core.text.evidence import terms
from nanobot_memory_plugins.core.values.entries import Entry, Section
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

NEAR_DUPLICATE, STALE, EXPIRED, CONTRADICTED = FAULT_WORDS = "near-duplicate", "stale", "expired todo", "contradicted"
_STALE_DAYS = 90
# Characters of an entry that are shown.
_SHOWN_CHARACTERS = 100


Fault = dict[str, Any]


def audit(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Check the entries for duplicates, and for stale, expired and replaced ones.

    Each is named by its id, with the command that fixes it. Nothing is changed.
    """
    repository = open_repository(workspace)
    now = repository.clock.now()
    entries = {entry.id: entry for entry in current_entries(repository.load().entries.values(), now)}
    faults = [*_duplicates(entries.values()), *_outdated(entries.values(), now)]
    if as_json:
        print_json({"ok": True, "entries": len(entries), "faults": faults})
    elif faults:
        headings = (tr("kind"), tr("why"), tr("text"), tr("what fixes it"))
        cells = [
            (tr(fault["kind"]), tr(fault["why"]), entries[fault["ids"][0]].content[:_SHOWN_CHARACTERS], fault["hint"])
            for fault in faults
        ]
        show_table(headings, [tuple(map(escape, row)) for row in cells], console())
    else:
        console().print(tr("No faults were found." if entries else "There are no entries."))


def _fault(kind: str, ids: tuple[str, ...], why: str) -> Fault:
    """Return a fault of some entries; the fix forgets the first of ``ids``."""
    return {"kind": kind, "ids": ids, "why": why, "hint": f"nanobot-memory entries forget {ids[0]}"}


def _duplicates(entries: Iterable[Entry]) -> Iterator[Fault]:
    valid = [(entry, terms(entry.content)) for entry in entries if not entry.superseded_by]
    for (one, words), (other, other_words) in combinations(valid, 2):
        if one.scope == other.scope and (words == other_words if words else is_same_text(one.content, other.content)):
            better, worse = sorted((one, other), key=lambda entry: (-entry.score, -entry.hits, entry.id))
            yield _fault(NEAR_DUPLICATE, (worse.id, better.id), Sentence("says the same as [{id}]", id=better.id))


def _outdated(entries: Iterable[Entry], now: datetime) -> Iterator[Fault]:
    for entry in entries:
        days = (now - entry.last_activated) // timedelta(days=1)
        if days >= _STALE_DAYS and entry.section is Section.ACTIVE and not entry.is_protected:
            yield _fault(STALE, (entry.id,), Sentence("not used for {days} days", days=days))
        if entry.category == Category.TODO and entry.expires_at is not None and entry.expires_at <= now:
            due = last_day(entry.expires_at)
            yield _fault(EXPIRED, (entry.id,), Sentence("it was due on {day:%Y-%m-%d}", day=due))
        if (by := entry.superseded_by) and entry.section is Section.ACTIVE:
            yield _fault(CONTRADICTED, (entry.id, by), Sentence("[{by}] has taken its place", by=by))
