"""Which entries held on a day."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.scoring import Importance, contradicted
from nanobot_memory_plugins.consolidation.operations.as_of import held_at
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from tests.consolidation.made_entries import fade

from .made_entries import NOW, days, entry

BOTH = (("old", 0), ("new", 40))


def then(repository: EntryRepository, moment: datetime) -> set[str]:
    return {one.content for one in held_at(repository.load().entries, repository.journal.runs(), moment).values()}


def test_a_day_is_answered_by_what_held_on_it(workspace: Path):
    clock = ManualClock(NOW)
    repository = EntryRepository(workspace, clock=clock)
    bonn = remember(repository, NewEntry("lives in Bonn"), who="test").entry
    secret = remember(repository, NewEntry("likes Anna"), who="test").entry
    remember(repository, NewEntry("passing", importance=Importance.LOW), who="test")
    remember(repository, NewEntry("sees the dentist", expires_at=NOW + days(10)), who="test")
    clock.set(NOW + days(100))
    remember(repository, NewEntry("lives in Kiel", replaces=(bonn.id,)), who="test")
    forget(repository, [secret.id], who="user")
    clock.set(NOW + days(600))
    fade(repository)
    assert {one.content for one in repository.load().entries.values()} == {"lives in Kiel", "sees the dentist"}
    assert then(repository, NOW - days(1)) == set()
    assert then(repository, NOW + days(5)) == {"lives in Bonn", "passing", "sees the dentist"}
    assert then(repository, NOW + days(50)) == {"lives in Bonn", "passing"}
    assert then(repository, NOW + days(101)) == {"lives in Kiel", "passing"}


def test_what_was_taken_back_never_held_after_that(workspace: Path):
    clock = ManualClock(NOW)
    repository = EntryRepository(workspace, clock=clock)
    bonn = remember(repository, NewEntry("lives in Bonn"), who="test").entry
    clock.advance(3_600)
    remember(repository, NewEntry("lives in Kiel", replaces=(bonn.id,)), who="test")
    clock.advance(3_600)
    undo(repository, who="test")
    assert then(repository, NOW + timedelta(hours=3)) == {"lives in Bonn"}


def test_the_command_lists_them(workspace: Path, capsys: pytest.CaptureFixture[str]):
    repository = EntryRepository(workspace, clock=ManualClock(NOW))
    bonn = remember(repository, NewEntry("lives in Bonn"), who="test").entry
    later = EntryRepository(workspace, clock=ManualClock(NOW + days(30)))
    remember(later, NewEntry("lives in Kiel", replaces=(bonn.id,)), who="test")

    def listed(*more: str) -> list[str]:
        assert run_command_line(["entries", "list", "--workspace", str(workspace), "--json", *more]) == 0
        return [one["content"] for one in json.loads(capsys.readouterr().out.splitlines()[-1])["entries"]]

    assert listed("--as-of", "2026-02-25") == ["lives in Bonn"]
    assert listed("--as-of", "2026-03-25") == ["lives in Kiel"]
    assert listed("--as-of", "2026-02-01") == []


def test_an_entry_that_the_journal_does_not_know_counts_by_its_own_days():
    made = [entry(id_, id_, 0.8, last_activated=NOW + days(n), created_at=NOW + days(n)) for id_, n in BOTH]
    old, new = contradicted(*made)
    found = held_at({"old": old, "new": new}, [], NOW + days(20))
    assert set(found) == {"old"}
    assert set(held_at({"old": old, "new": new}, [], NOW + days(41))) == {"new"}
