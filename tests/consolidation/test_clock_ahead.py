"""A clock that was ahead takes nothing that setting it right does not bring back."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Category, Section
from nanobot_memory_plugins.consolidation.model.scoring import activated
from nanobot_memory_plugins.consolidation.operations.remember import forget
from nanobot_memory_plugins.consolidation.operations.undo import restore, undo
from nanobot_memory_plugins.consolidation.store.repair import repair_file
from tests.consolidation.made_entries import fade

from .made_entries import NOW, days, entry
from .nightly_days import Days

WRONG = [days(400), days(3_652)]


@pytest.fixture
def memory(workspace: Path) -> Days:
    made = Days(workspace)
    made.add(
        entry("a", "likes tea"),
        entry("b", "has a dog", 0.3),
        entry("kept", "is 40", kept_in=Section.ACTIVE),
        entry("todo", "pay the rent", category=Category.TODO.value, expires_at=NOW + days(90)),
        entry("twin1", "plays chess", 0.6),
        entry("twin2", "Plays chess.", 0.9, last_activated=NOW - days(2)),
    )
    return made


def night(memory: Days) -> None:
    asyncio.run(memory.consolidation(None).run())


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("nights", [1, 3])
def test_what_a_night_with_a_clock_that_was_ahead_took_is_back(memory: Days, wrong: timedelta, nights: int):
    repository = memory.memory.repository
    usual = Days(memory.workspace / "usual")
    (usual.workspace / "memory").mkdir(parents=True)
    usual.add(*memory.entries().values())
    memory.clock.advance(wrong.total_seconds())
    for _ in range(nights):
        night(memory)
        memory.clock.advance(86_400)
    assert set(memory.entries()) == {"kept"}
    for one in (memory, usual):
        one.clock.set(NOW + days(1))
        night(one)
    assert memory.entries() == usual.entries()
    assert memory.contents() == {"likes tea", "has a dog", "is 40", "pay the rent", "Plays chess."}
    back = next(run for run in repository.journal.runs() if run.who == "clock")
    assert {change.id for change in back.changes} == {"a", "b", "todo", "twin1", "twin2"}
    undo(repository, back.id, who="test")
    assert set(memory.entries()) == {"kept"}


def test_a_todo_that_was_over_too_early_is_open_again(memory: Days):
    memory.clock.advance(100 * 86_400)
    night(memory)
    assert memory.entries()["todo"].section is Section.ARCHIVED
    memory.clock.set(NOW + days(1))
    night(memory)
    assert (memory.entries()["todo"].score, memory.entries()["todo"].section) == (0.8, Section.ACTIVE)


def test_those_of_the_same_words_become_one_that_weighs_what_it_would_have_weighed(memory: Days):
    memory.clock.advance(60 * 86_400)
    night(memory)
    memory.clock.set(NOW + days(1))
    night(memory)
    (one,) = [e for e in memory.entries().values() if "chess" in e.content]
    assert one.score == 0.9


def test_a_use_that_was_counted_ahead_counts_as_one_of_now(memory: Days):
    repository = memory.memory.repository
    for _ in range(2):
        memory.clock.advance(200 * 86_400)
        repository.update(
            lambda e: {**e, "a": activated(e["a"], memory.clock.now())}, who="extraction", why="said again"
        )
    assert memory.entries()["a"].score < 0.5
    memory.clock.set(NOW + days(1))
    assert repair_file(repository) == ""
    one = memory.entries()["a"]
    assert (one.hits, one.last_activated) == (2, NOW + days(1))
    assert one.score == pytest.approx(1 - 0.2 * 0.8 * 0.8)


def test_the_next_start_brings_it_back_and_says_so(memory: Days):
    repository = memory.memory.repository
    memory.clock.advance(400 * 86_400)
    fade(repository)
    memory.clock.set(NOW + days(1))
    assert "the clock had been ahead: 5 entries that it had taken are back" in repair_file(repository)
    assert repair_file(repository) == ""
    assert len(memory.entries()) == 6


def test_what_people_forgot_or_purged_meanwhile_or_since_stays_so(memory: Days):
    repository = memory.memory.repository
    memory.clock.advance(400 * 86_400)
    forget(repository, ["a"], who="user")
    night(memory)
    restore(repository, "b", now=memory.clock.now(), who="user")
    forget(repository, ["b"], who="user")
    memory.clock.set(NOW + days(1))
    night(memory)
    assert not {"a", "b"} & memory.entries().keys()
    forget(repository, ["todo"], who="user")
    night(memory)
    assert "todo" not in memory.entries()


@pytest.mark.parametrize("wrong", [days(-365), days(-20_000)])
def test_a_clock_that_was_behind_takes_nothing_and_brings_nothing_back(memory: Days, wrong: timedelta):
    memory.clock.advance(300 * 86_400)
    fade(memory.memory.repository)
    memory.add(entry("new", "rides", last_activated=memory.clock.now()))
    before = memory.contents()
    right = memory.clock.now()
    memory.clock.advance(wrong.total_seconds())
    night(memory)
    assert memory.contents() == before
    memory.clock.set(right)
    night(memory)
    assert memory.contents() == before
