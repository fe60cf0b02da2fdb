"""The entries as panels see and change them: every change is checked on the bytes of the file."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.config import MemoryConfig
from nanobot_memory_plugins.core.errors import InputError
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from nanobot_memory_plugins.core.protocols import EntryAccess
from nanobot_memory_plugins.core.values import EntryEdit, Origin, Scope
from tests.consolidation.made_entries import fade

from .made_entries import NOW, added, entry


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def repository(workspace: Path, clock: ManualClock) -> EntryRepository:
    return EntryRepository(workspace, clock=clock)


@pytest.fixture
def access(repository: EntryRepository) -> RepositoryAccess:
    return RepositoryAccess(repository)


def texts(access: RepositoryAccess) -> dict[str, str]:
    return {entry.text: entry.id for entry in access.entries().entries}


def on_disk(workspace: Path) -> str:
    return (workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8")


def test_it_is_what_core_asks_for(access: RepositoryAccess):
    assert isinstance(access, EntryAccess)


def test_an_edit_changes_what_it_names_and_the_rest_stays(access: RepositoryAccess, workspace: Path):
    access.add("用户喜欢喝茶", group="life")
    access.add("The user lives in Oslo")
    before = set(access.entries().entries)
    id_ = texts(access)["用户喜欢喝茶"]
    run = access.edit(id_, EntryEdit(text="用户喜欢喝绿茶", category="preference", score=0.35))
    assert run is not None
    assert [change.action for change in run.changes] == ["changed"]
    after = on_disk(workspace)
    assert f"### [{id_}] preference | 0.35 | " in after
    assert "用户喜欢喝绿茶\n" in after
    assert "group: life" in after
    assert "喝茶" not in after
    access.undo()
    assert set(access.entries().entries) == before


def test_an_edit_of_nothing_writes_nothing(access: RepositoryAccess, workspace: Path):
    access.add("one")
    before = on_disk(workspace)
    assert access.edit(texts(access)["one"], EntryEdit(text=" one ", score=0.8)) is None
    assert on_disk(workspace) == before


def test_a_text_that_a_person_wrote_is_the_users(access: RepositoryAccess, repository: EntryRepository):
    remember(repository, NewEntry("said by a page", origin=Origin.WEB), who="extraction")
    id_ = texts(access)["said by a page"]
    access.edit(id_, EntryEdit(group="work"))
    assert access.entries().entries[0].origin is Origin.WEB
    access.edit(id_, EntryEdit(text="so it is"))
    assert access.entries().entries[0].origin is Origin.USER


def test_what_a_model_noted_is_the_users_once_it_is_confirmed(access: RepositoryAccess, repository: EntryRepository):
    id_ = remember(repository, NewEntry("likes tea", origin=Origin.SUMMARY), who="tool").entry.id
    assert access.edit(id_, EntryEdit(confirmed=True)) is not None
    assert access.entries().entries[0].origin is Origin.USER
    assert access.edit(id_, EntryEdit(confirmed=True)) is None


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (EntryEdit(text=" \n "), "no text"),
        (EntryEdit(score=1.5), "between 0 and 1"),
        (EntryEdit(category="secret"), "no category"),
    ],
)
def test_a_wrong_edit_is_refused_with_a_mend(access: RepositoryAccess, workspace: Path, wanted: EntryEdit, said: str):
    access.add("one")
    before = on_disk(workspace)
    with pytest.raises(InputError, match=said) as caught:
        access.edit(texts(access)["one"], wanted)
    assert caught.value.hint
    with pytest.raises(InputError, match="There is no entry"):
        access.edit("00000000", EntryEdit(text="x"))
    assert on_disk(workspace) == before


def test_secrets_in_an_edit_are_hidden(access: RepositoryAccess, workspace: Path):
    access.add("one")
    access.edit(texts(access)["one"], EntryEdit(text="my password is hunter2hunter2"))
    assert "hunter2" not in on_disk(workspace)


def test_merging_leaves_one_entry_and_undo_brings_both_back(access: RepositoryAccess, workspace: Path):
    access.add("likes tea")
    access.add("drinks tea in the morning")
    access.add("lives in Oslo")
    before, ids = set(access.entries().entries), texts(access)
    run = access.merge([ids["likes tea"], ids["drinks tea in the morning"]], "likes tea in the morning")
    assert run is not None
    assert set(texts(access)) == {"likes tea in the morning", "lives in Oslo"}
    assert on_disk(workspace).count("### [") == 2
    access.undo()
    assert set(access.entries().entries) == before
    with pytest.raises(InputError, match="two entries"):
        access.merge([ids["likes tea"], ids["likes tea"]], "x")


def test_entries_that_different_people_see_are_not_merged(access: RepositoryAccess, repository: EntryRepository):
    remember(repository, NewEntry("one", scope=Scope(user="a")), who="user")
    remember(repository, NewEntry("two", scope=Scope(user="b")), who="user")
    with pytest.raises(InputError, match="same people"):
        access.merge(list(texts(access).values()), "both")
    assert set(texts(access)) == {"one", "two"}


def test_what_went_is_listed_and_comes_back(access: RepositoryAccess):
    for text in ("one", "two", "three"):
        access.add(text)
    ids = texts(access)
    access.forget([ids["one"]])
    access.forget([ids["two"]])
    assert [(entry.text, entry.gone) for entry in access.gone()] == [("two", True), ("one", True)]
    access.restore(ids["one"])
    assert [entry.text for entry in access.gone()] == ["two"]
    assert set(texts(access)) == {"one", "three"}


def test_history_names_who_did_what_and_what_was_undone(access: RepositoryAccess):
    access.add("one")
    access.forget([texts(access)["one"]])
    access.undo()
    undone, forgot, added = access.history()
    assert [(run.who, run.why, run.undone) for run in (forgot, added)] == [
        ("user", "forget", True),
        ("user", "remember", False),
    ]
    assert undone.why == "undone"
    assert forgot.changes[0].before is not None
    assert forgot.changes[0].before.text == "one"
    assert len(access.history(limit=1)) == 1
    assert access.history("00000000") == []


def test_the_version_changes_with_every_change_and_only_then(access: RepositoryAccess, clock: ManualClock):
    empty = access.version()
    assert access.version() == empty
    access.add("one")
    one = access.version()
    assert one != empty
    access.entries(), access.history(), access.gone()
    assert access.version() == one
    clock.advance(86_400)
    assert access.version() != one


def test_what_has_faded_away_is_not_listed(access: RepositoryAccess, repository: EntryRepository, clock: ManualClock):
    repository.update(added(entry("a", "one", importance="medium")), who="test", why="add")
    clock.advance(400 * 86_400)
    assert access.entries().entries == ()
    fade(repository)
    assert [entry.text for entry in access.gone()] == ["one"]


async def test_an_inspection_opens_the_entries_and_starts_nothing(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "consolidation,storage")
    config = MemoryConfig(plugins={"storage": {"embedding_provider": "none"}})
    async with MemoryHost(workspace, config=config, looks_only=True) as inspection:
        assert inspection.entries is not None
        assert inspection.store is not None
        assert inspection.entries.entries().entries == ()
        assert {report.name for report in inspection.plugins.reports()} >= {"consolidation", "storage"}
        assert any(finding.subject == "scored entries" for finding in await inspection.diagnose())
    assert not (workspace / "memory" / "ENTRIES.md").exists()
    assert not (workspace / "memory" / "ENTRIES.md").exists()
