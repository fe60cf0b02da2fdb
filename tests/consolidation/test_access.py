"""The entries as panels view and change them."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.values import Origin
from nanobot_memory_plugins.core.values.entries import EntryEdit

from .made_entries import NOW, days


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def repository(workspace: Path, clock: ManualClock) -> EntryRepository:
    return EntryRepository(workspace, clock=clock)


@pytest.fixture
def access(repository: EntryRepository) -> RepositoryAccess:
    return RepositoryAccess(repository)


def test_an_edited_text_counts_as_the_users_own(access: RepositoryAccess, repository: EntryRepository):
    id_ = remember(repository, NewEntry("said by a page", origin=Origin.WEB), who="extraction").entry.id
    access.edit(id_, EntryEdit(group="work"))
    assert access.entries().entries[0].origin is Origin.WEB
    access.edit(id_, EntryEdit(text="so it is"))
    assert access.entries().entries[0].origin is Origin.USER


def test_a_run_shows_the_scores_before_and_after_and_whether_it_was_undone(
    access: RepositoryAccess, clock: ManualClock
):
    access.add("likes tea")
    clock.advance(days(107).total_seconds())
    access.add("likes tea")
    access.undo()
    undoing, used, added = access.history()
    (change,) = used.changes
    assert change.before is not None
    assert change.after is not None
    assert (round(change.before.score, 2), round(change.after.score, 2)) == (0.5, 0.6)
    assert [(run.undone, run.is_undoable) for run in (undoing, used, added)] == [
        (False, False), (True, False), (False, True),
    ]  # fmt: skip
    access.forget([change.id])
    assert (access.entries().entries, [one.is_forgotten for one in access.gone()]) == ((), [True])
