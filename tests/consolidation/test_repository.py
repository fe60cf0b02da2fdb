"""The repository of entries: people's edits, crashes, undo and purges."""

from dataclasses import replace
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.scoring import entry_as_of
from nanobot_memory_plugins.consolidation.operations.changes import forget, restore, undo
from nanobot_memory_plugins.consolidation.operations.purge import erase_entries
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import InputError, MemoryHost, Origin, Scope
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.core.values.entries import Section

from .made_entries import NOW, added, days, entry


class Killed(BaseException):
    """Simulates the end of the process."""


@pytest.fixture
def repository(workspace: Path) -> EntryRepository:
    return EntryRepository(workspace, clock=ManualClock(NOW))


def add(repository: EntryRepository, *ids: str) -> str:
    done = repository.update(added(*(entry(id_, f"text of {id_}") for id_ in ids)), who="user", why="add")
    assert done.run is not None
    return done.run.id


def killed_at(workspace: Path, point: str, *ids: str) -> None:
    """Add entries in a process that is killed at a point of the write."""

    def at(passed: str) -> None:
        if passed == point:
            raise Killed

    with pytest.raises(Killed):
        add(EntryRepository(workspace, clock=ManualClock(NOW), at=at), *ids)


def edit(repository: EntryRepository, old: str, new: str) -> None:
    text = repository.path.read_text(encoding="utf-8")
    assert old in text
    repository.path.write_text(text.replace(old, new), encoding="utf-8")


def ids_of(workspace: Path) -> set[str]:
    return set(EntryRepository(workspace).load().entries)


def test_undoing_an_older_run_keeps_later_changes_and_edits_of_the_same_entry(repository: EntryRepository):
    first, second = add(repository, "aaaa"), add(repository, "bbbb")

    def changed(entries):
        return {**entries, "aaaa": replace(entries["aaaa"], content="other", group="work")}

    third = repository.update(changed, who="user", why="edit").run
    edit(repository, "other", "by hand")
    undo(repository, second, who="user")
    undo(repository, third.id, who="user")
    (left,) = repository.load().entries.values()
    assert (left.content, left.group) == ("by hand", "")
    with pytest.raises(InputError, match="undone already"):
        undo(repository, second, who="user")
    undo(repository, first, who="user")
    assert repository.load().entries == {}
    assert undo(repository, repository.history.runs()[-1].id, who="user").entries.keys() == {"aaaa"}


@pytest.mark.parametrize("point", ["before check", "before replace", "after replace"])
@pytest.mark.accept("EB-13")
def test_a_process_killed_during_a_write_leaves_all_or_nothing(
    repository: EntryRepository, workspace: Path, point: str
):
    add(repository, "aaaa")
    killed_at(workspace, point, "bbbb")
    assert ids_of(workspace) == ({"aaaa", "bbbb"} if point == "after replace" else {"aaaa"})
    add(EntryRepository(workspace), "cccc")
    assert {"aaaa", "cccc"} <= ids_of(workspace)


def test_an_edit_in_the_instant_before_the_write_is_merged(repository: EntryRepository, workspace: Path):
    add(repository, "aaaa", "bbbb")
    written: list[str] = []

    def at(point: str) -> None:
        if point == "before replace" and not written:
            written.append(point)
            edit(repository, "text of aaaa", "last instant")
            with repository.path.open("a", encoding="utf-8") as file:
                file.write("\nA line of mine.\n")

    add(EntryRepository(workspace, clock=ManualClock(NOW), at=at), "cccc")
    assert "A line of mine." in repository.path.read_text(encoding="utf-8")
    assert {id_: one.content for id_, one in repository.load().entries.items()} == {
        "aaaa": "last instant", "bbbb": "text of bbbb", "cccc": "text of cccc",
    }  # fmt: skip
    hand, ours = repository.history.runs()[-2:]
    assert ([one.id for one in hand.changes], [one.id for one in ours.changes]) == (["aaaa"], ["cccc"])


def test_bullets_become_entries_and_other_text_is_preserved(repository: EntryRepository):
    text = (
        "# Agent Memory\n\n## Active Memories\n\n- likes tea\n  from Assam\n- [ ] call Mei\n- [x] done\n"
        "- password: hunter2-Xk91vQz\n- a list\n  - in a list\n\n### preference\nshort answers\n\n"
        "```\n- code\n```\n\n## Mine\n\n- not an entry\n"
    )
    repository.path.write_text(text, encoding="utf-8")
    repository.adopt_edits()
    entries = repository.load().entries.values()
    assert {(one.category, one.content) for one in entries} == {
        ("fact", "likes tea from Assam"), ("todo", "call Mei"),
    }  # fmt: skip
    assert "begin one with a dash" in repository.load().problems[0]
    after = repository.path.read_text(encoding="utf-8")
    assert all(kept in after for kept in ("- [x] done", "hunter2", "- in a list", "- code", "- not an entry"))
    repository.adopt_edits()
    assert repository.path.read_text(encoding="utf-8") == after


def test_a_duplicate_id_belongs_to_the_first_entry_and_removed_entries_stay_removed(
    repository: EntryRepository,
):
    add(repository, "aaaa", "bbbb")
    before = repository.path.read_text(encoding="utf-8")
    blocks = before[before.index("### [") :]
    other = blocks.replace("text of bbbb", "said by bob").replace("-->", "; user: bob; origin: summary -->")
    repository.path.write_text(f"{before}\n{blocks}\n{other}", encoding="utf-8")
    repository.adopt_edits()
    (copy,) = (one for one in repository.load().entries.values() if one.content == "said by bob")
    assert {one.content for one in repository.load().entries.values()} == {"text of aaaa", "text of bbbb", copy.content}
    assert copy.id != "bbbb"
    assert (copy.scope.user, copy.origin) == ("bob", Origin.SUMMARY)
    for goes in (
        lambda: forget(repository, ["aaaa"], who="user"),
        lambda: erase_entries(repository, Erasure(("bbbb",), ("text of bbbb",)), dry_run=False),
    ):
        with repository.path.open("a", encoding="utf-8") as file:
            file.write(f"\n{blocks}")
        goes()
    assert set(repository.load().entries) == {copy.id}
    assert "text of bbbb" not in repository.path.read_text(encoding="utf-8")


def test_restoring_an_archived_note_of_a_model_confirms_it_but_restoring_a_forgotten_one_does_not(
    repository: EntryRepository,
):
    notes = {id_: entry(id_, f"text of {id_}", origin=Origin.SUMMARY) for id_ in ("aaaa", "bbbb")}
    repository.update(lambda _: notes, who="test", why="made")
    forget(repository, ["bbbb"], who="user")
    for id_ in notes:
        restore(repository, id_, who="user")
    entries = repository.load().entries
    assert [(one.origin, one.section) for one in (entries["aaaa"], entries["bbbb"])] == [
        (Origin.USER, Section.ACTIVE), (Origin.SUMMARY, Section.ARCHIVED),
    ]  # fmt: skip


def test_an_expired_entry_moved_to_the_active_section_is_valid_again(repository: EntryRepository):
    todo = entry_as_of(entry("aaaa", expires_at=NOW - days(3)), NOW)
    repository.update(lambda _: {"aaaa": todo}, who="test", why="over")
    text = repository.path.read_text(encoding="utf-8")
    repository.path.write_text(text.replace("## Archived Memories", "## Active Memories"), encoding="utf-8")
    assert entry_as_of(repository.load().entries["aaaa"], NOW).section is Section.ACTIVE


def test_a_bullet_with_a_forgotten_text_becomes_an_entry_again(repository: EntryRepository):
    add(repository, "aaaa")
    forget(repository, ["aaaa"], who="user")
    repository.path.write_text("- text of aaaa\n\n" + repository.path.read_text(encoding="utf-8"), encoding="utf-8")
    repository.adopt_edits()
    assert [one.content for one in repository.load().entries.values()] == ["text of aaaa"]
    assert set(repository.load().forgotten) == {"aaaa"}


async def test_a_purge_of_words_matches_texts_but_not_categories_people_or_field_names(
    repository: EntryRepository, workspace: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "")
    ann = entry("aaaa", "likes tea", category="preference", scope=Scope(user="ann"), quote="I like 100% tea; always")
    repository.update(added(ann, entry("bbbb", "likes coffee")), who="user", why="add")
    async with MemoryHost(workspace) as host:
        await host.eraser.erase(Erasure(words=("preference", "ann", "quote")))
        assert repository.history.written_entries().keys() == {"aaaa", "bbbb"}
        assert [len(run.changes) for run in repository.history.runs()] == [2]
        await host.eraser.erase(Erasure(words=("tea; always",)))
    assert repository.history.written_entries().keys() == {"bbbb"}
