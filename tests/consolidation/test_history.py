"""The journal, undo, restore, and forgetting for good."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanobot_memory_plugins.consolidation.model.entry_json import entry_from_json, entry_to_json
from nanobot_memory_plugins.consolidation.model.scoring import contradicted, faded
from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.operations.undo import restore, undo
from nanobot_memory_plugins.consolidation.store.journal import Run, read_line
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import InputError
from tests.support.examples import examples
from tests.support.files_of import contents_of

from .made_entries import EXAMPLE, NOW, added, days, drawn_entries, entry, entry_lists


@pytest.fixture
def repository(workspace: Path) -> EntryRepository:
    return EntryRepository(workspace, clock=ManualClock(NOW), sleep=lambda _: None)


def add(repository: EntryRepository, *entries, **more):
    return repository.update(added(*entries), who="test", why="a test", **more)


def without(*ids: str):
    return lambda entries: {id_: one for id_, one in entries.items() if id_ not in ids}


def everything(workspace: Path) -> Iterable[bytes]:
    return contents_of(workspace).values()


@given(drawn_entries)
def test_an_entry_goes_through_json_as_it_is(one):
    assert entry_from_json(entry_to_json(one)) == one


def test_mere_fading_takes_little_room_in_the_journal(repository: EntryRepository):
    add(repository, *(entry(f"e{n}", "a long text " * 20) for n in range(100)))
    size = repository.journal.path.stat().st_size
    repository.update(lambda e: faded(e, NOW + days(30)).entries, who="decay", why="time")
    last = repository.journal.lines()[-1]
    assert b'"days":[0,23]' in last
    assert b'"patch"' not in last or len(last) < 80_000
    changes = repository.journal.lines()[-1].split(b'"patch"')[0]
    assert len(changes) < size / 5


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"null", b'{"run": 1}', b'{"run":"x","changes":[{"id":1}],"patch":[[1]]}']
)
def test_a_line_that_is_no_run_is_passed_over(repository: EntryRepository, line: bytes):
    add(repository, entry("a"))
    with repository.journal.path.open("ab") as file:
        file.write(line)  # half a line, without its end
    add(repository, entry("b"))
    assert [run.changes[0].id for run in repository.journal.runs()] == ["a", "b"]


@pytest.mark.slow
@given(entry_lists, entry_lists, st.sampled_from(["", EXAMPLE, "# Mine\r\n\r\ntext", "\ufeffmine\n"]))
@settings(max_examples=examples(40))
def test_undo_gives_back_every_byte(tmp_path_factory, first, second, start):
    repository = EntryRepository(tmp_path_factory.mktemp("w"), clock=ManualClock(NOW))
    (repository.paths.memory).mkdir()
    repository.path.write_bytes(start.encode())
    states = [repository.path.read_bytes()]
    for entries in (first, second):
        add(repository, *entries)
        states.append(repository.path.read_bytes())
        repository.clock.advance(3_600)
        repository.update(
            lambda e: {id_: one.with_score(0.1) for id_, one in list(e.items())[:3]}, who="test", why="a test"
        )
        states.append(repository.path.read_bytes())
    distinct = [state for n, state in enumerate(states) if n == 0 or state != states[n - 1]]
    for state in reversed(distinct[:-1]):
        undo(repository, who="user")
        assert repository.path.read_bytes() == state
    with pytest.raises(InputError, match="nothing to undo"):
        undo(repository, who="user")


def test_undo_after_later_changes_takes_back_only_its_own(repository: EntryRepository):
    add(repository, entry("a", "likes tea"), entry("b", "has a dog"), entry("c", "is 40"))
    second = repository.update(
        lambda e: {"a": replace(e["a"], content="likes coffee"), "b": e["b"].with_score(0.3), "d": entry("d", "new")},
        who="consolidation", why="daily",
    )  # fmt: skip
    repository.update(lambda e: {**e, "a": replace(e["a"], group="food")}, who="user", why="a test")
    assert second.run is not None
    undo(repository, second.run.id, who="user")
    entries = repository.load().entries
    assert set(entries) == {"a", "b", "c"}
    assert (entries["a"].content, entries["a"].group, entries["b"].score) == ("likes tea", "food", 0.8)


def test_an_entry_that_was_deleted_by_hand_is_restored(repository: EntryRepository):
    add(repository, entry("a", "likes tea"), entry("b", "has a dog"))
    text = repository.path.read_text(encoding="utf-8")
    repository.path.write_text(text[: text.index("### [b]")], encoding="utf-8")
    restore(repository, "b", now=NOW, who="user")
    assert repository.load().entries["b"].content == "has a dog"
    with pytest.raises(InputError, match="knows none"):
        restore(repository, "zzz", now=NOW, who="user")


SECRET = "住在基尔的海边 and drinks Assam"


def test_a_purged_entry_leaves_no_trace_and_does_not_come_back(repository: EntryRepository):
    workspace = repository.paths.workspace
    add(repository, entry("gone", "first wording: " + SECRET, source_session="cli:a"), entry("stays", "has a dog"))
    repository.update(lambda e: {**e, "gone": replace(e["gone"], content=SECRET)}, who="test", why="a test")
    repository.update(
        lambda e: dict(zip(("gone", "stays"), contradicted(e["gone"], e["stays"]), strict=True)), who="t", why=SECRET
    )
    undo(repository, who="user")
    repository.path.write_bytes(repository.path.read_bytes() + b"\0\0")  # leaves a copy aside
    add(repository, entry("new1", "new"))
    assert any(SECRET.encode() in data for data in everything(workspace))

    done = purge(repository, ["gone"], who="user")
    assert done.texts == (SECRET, "first wording: " + SECRET) or set(done.texts) == {SECRET, "first wording: " + SECRET}
    assert done.sessions == ("cli:a",)
    for data in everything(workspace):
        assert SECRET.encode() not in data
        assert b"[gone]" not in data
    assert set(repository.load().entries) == {"stays", "new1"}
    assert repository.load().entries["stays"].supersedes == ()

    add(repository, entry("again", SECRET.replace(" ", "  ").upper() + "!"))
    assert "again" not in repository.load().entries
    add(repository, entry("asked", SECRET), allow_purged=True)
    assert "asked" in repository.load().entries
    for what in (
        lambda: restore(repository, "gone", now=NOW, who="user"),
        lambda: purge(repository, ["gone"], who="u"),
    ):
        with pytest.raises(InputError):
            what()


def test_a_purge_leaves_the_rest_of_history_usable(repository: EntryRepository):
    add(repository, entry("gone", SECRET), entry("stays", "has a dog"))
    change = repository.update(
        lambda e: {**e, "stays": replace(e["stays"], content="has two dogs")}, who="test", why="a test"
    )
    purge(repository, ["gone"], who="user")
    assert change.run is not None
    undo(repository, change.run.id, who="user")
    assert repository.load().entries["stays"].content == "has a dog"


def test_words_of_others_stay_in_a_purge(repository: EntryRepository):
    repository.path.write_text(f"# Mine\n\n{SECRET}\n", encoding="utf-8")
    add(repository, entry("gone", SECRET))
    purge(repository, ["gone"], who="user")
    assert repository.path.read_text(encoding="utf-8").startswith(f"# Mine\n\n{SECRET}\n")


def test_a_forgotten_entry_can_be_purged_too(repository: EntryRepository):
    add(repository, entry("gone", SECRET), entry("b"))
    repository.update(without("gone"), who="user", why="forget")
    purge(repository, ["gone"], who="user")
    assert not any(SECRET.encode() in data for data in everything(repository.paths.workspace))
    run = read_line(repository.journal.lines()[0])
    assert isinstance(run, Run)
    assert [change.id for change in run.changes] == ["b"]


def test_a_purge_reaches_the_text_in_what_undoes_another_run(repository: EntryRepository):
    add(repository, entry("gone", SECRET, 0.7), entry("b", "two", 0.6))
    lifted = repository.update(lambda e: {**e, "b": e["b"].with_score(0.9)}, who="test", why="a test").run
    assert lifted is not None
    # Where pieces repeat, a patch may hold more than what its run changed.
    first, last = repository.journal.lines()
    row = json.loads(last)
    row["patch"].append([1_000, 1_000, f"### [gone] fact | 0.70 | 2026-02-20 | 0\n{SECRET}\n"])
    repository.journal.path.write_bytes(first + b"\n" + json.dumps(row).encode() + b"\n")
    purge(repository, ["gone"], who="user")
    assert not any(SECRET.encode() in data for data in everything(repository.paths.workspace))
    undo(repository, lifted.id, who="user")
    assert repository.load().entries["b"].score == 0.6
