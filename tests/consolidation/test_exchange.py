"""Exchanging entries between machines: merging the changes of other machines."""

from dataclasses import replace
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.entry_text import read_entry, write_entry
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.values.entries import EntryUpdate

HOME = "The user lives in Kaunas"


@pytest.fixture
def here(tmp_path: Path) -> EntryRepository:
    return EntryRepository(tmp_path / "here")


def added(repository: EntryRepository, text: str) -> str:
    before = set(RepositoryAccess(repository).export_entries())
    remember(repository, NewEntry(text), who="user")
    (id_,) = set(RepositoryAccess(repository).export_entries()) - before
    return id_


def test_updates_of_a_newer_version_are_refused_as_a_whole(here: EntryRepository):
    id_ = added(here, HOME)
    before = here.path.read_bytes()
    update = EntryUpdate(id_, "", f"## Another form\n{RepositoryAccess(here).export_entries()[id_]}")
    with pytest.raises(MemoryFileError, match="newer version"):
        RepositoryAccess(here).merge_updates([update])
    assert here.path.read_bytes() == before


def test_a_secret_that_a_person_wrote_into_an_entry_is_not_exported(here: EntryRepository):
    id_ = added(here, HOME)
    text = f"{HOME}, the password of the wifi is hunter2-Xk91vQz"
    here.path.write_text(here.path.read_text(encoding="utf-8").replace(HOME, text), encoding="utf-8")
    base = RepositoryAccess(here).export_entries()[id_]
    assert "hunter2" not in base
    pinned = write_entry(replace(read_entry(base)[0], pinned=True))
    RepositoryAccess(here).merge_updates([EntryUpdate(id_, base, pinned)])
    (entry,) = here.load().entries.values()
    assert (entry.content, entry.pinned) == (text, True)
