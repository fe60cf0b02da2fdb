"""What a shell offers for ids, groups and runs. It only reads, and whatever fails means that nothing is offered."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

import typer

from nanobot_memory_plugins.consolidation.cli.shown import opened
from nanobot_memory_plugins.consolidation.model.entry import Entry, Section
from nanobot_memory_plugins.consolidation.model.groups import group_sizes
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.redaction.script.printable import one_line

# Candidates that are offered at most, and the characters of a text beside each.
_MOST, _TEXT = 200, 60

Offers = list[tuple[str, str]]


def entry_ids(context: typer.Context, incomplete: str) -> Offers:
    """Offer the ids of the entries that are there, each with its text."""
    found: Offers = []
    with suppress(Exception):  # a shell that completes has no room for an error
        found = _offered(_opened(context).load().entries.values(), incomplete)
    return found


def restorable_ids(context: typer.Context, incomplete: str) -> Offers:
    """Offer the ids of what can be brought back: archived entries, and those that are gone."""
    found: Offers = []
    with suppress(Exception):
        repository = _opened(context)
        there = repository.load().entries
        gone = {
            change.id: change.before
            for run in repository.journal.runs()
            for change in run.changes
            if change.before is not None and change.id not in there
        }
        archived = [entry for entry in there.values() if entry.section is Section.ARCHIVED]
        found = _offered([*archived, *gone.values()], incomplete)
    return found


def run_ids(context: typer.Context, incomplete: str) -> Offers:
    """Offer the runs of the journal, the last first."""
    found: Offers = []
    with suppress(Exception):
        runs = [run for run in _opened(context).journal.runs() if run.changes]
        found = [(run.id, f"{run.who}: {run.why}"[:_TEXT]) for run in reversed(runs) if run.id.startswith(incomplete)]
    return _printable(found)


def groups(context: typer.Context, incomplete: str) -> Offers:
    """Offer the groups that there are, with their sizes."""
    found: Offers = []
    with suppress(Exception):
        sizes = group_sizes(_opened(context).load().entries.values())
        found = [(name, str(size)) for name, size in sizes.items() if name and name.startswith(incomplete)]
    return _printable(found)


def _opened(context: typer.Context) -> EntryRepository:
    given = context.params.get("workspace")
    return opened(Path(given) if given else None, repaired=False)


def _offered(entries: Iterable[Entry], incomplete: str) -> Offers:
    return _printable((one.id, one.content[:_TEXT]) for one in entries if one.id.startswith(incomplete))


def _printable(found: Iterable[tuple[str, str]]) -> Offers:
    """Return the first offers. A name that cannot be shown as it is cannot be offered."""
    offers = ((name, " ".join(one_line(text).split())) for name, text in found if one_line(name) == name)
    return list(islice(offers, _MOST))
