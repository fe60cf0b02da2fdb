"""A file of entries that is put back as it had been takes no newer entry away, and brings nothing purged back.

`NANOBOT_MEMORY_LONG=1` puts back every state instead of every third.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from loguru import logger

from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.scoring import activated
from nanobot_memory_plugins.consolidation.operations.merge_entries import tidied
from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.operations.undo import restore, undo
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.journal import BY_HAND
from nanobot_memory_plugins.consolidation.store.repair import repair_file
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.errors import MemoryFileError
from tests.consolidation.made_entries import fade
from tests.support.files_of import holders_of

from .made_entries import NOW, added, entry

SECRET = "her locker opens with seven plums"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def repository(workspace: Path, clock: ManualClock) -> EntryRepository:
    return EntryRepository(workspace, clock=clock, sleep=lambda _: None)


@pytest.fixture
def warnings():
    told: list[str] = []
    handler = logger.add(lambda message: told.append(message.record["message"]), level="WARNING")
    yield told
    logger.remove(handler)


def texts(repository: EntryRepository) -> set[str]:
    return {one.content for one in repository.load().entries.values()}


@dataclass
class Life:
    """A memory in which every kind of write happens, with the file as each of them left it, as git would keep it."""

    repository: EntryRepository
    clock: ManualClock
    step: float
    states: list[bytes] = field(default_factory=list)

    def live(self) -> None:
        acts: list[Callable[[], object]] = [
            lambda: self.repository.path.write_bytes(b"# Mine\n\nwritten before there was an entry\n"),
            *[lambda n=n: self.say(f"fact {n}") for n in range(4)],
            lambda: self.repository.update(self.hit("fact 0"), who="test", why="used"),
            lambda: forget(self.repository, [self.id_of("fact 1")], who="test"),
            lambda: self.by_hand(),
            lambda: self.say("fact 4"),
            lambda: undo(self.repository, who="test"),
            lambda: restore(self.repository, self.id_of("fact 1"), now=self.clock.now(), who="test"),
            lambda: (self.clock.advance(30 * 86_400), fade(self.repository)),
            lambda: self.repository.update(lambda e: tidied(e, self.clock.now()), who="consolidation", why="daily"),
            lambda: self.repository.update(added(entry("imported", "came along")), who="import", why="archive"),
            lambda: self.say(SECRET),
            lambda: purge(self.repository, [self.id_of(SECRET)], who="test"),
            lambda: (self.clock.advance(-900 * 86_400), self.say("said while the clock was behind")),
            lambda: (self.clock.advance(2_000 * 86_400), self.say("said while the clock was ahead")),
            lambda: (self.clock.advance(-1_130 * 86_400), self.say("said with the clock right again")),
            lambda: self.say("fact 5"),
        ]
        for act in acts:
            act()
            self.clock.advance(self.step)
            self.states.append(self.repository.path.read_bytes())

    def say(self, text: str) -> None:
        remember(self.repository, NewEntry(text), who="test")

    def id_of(self, text: str) -> str:
        runs = self.repository.journal.runs()
        return next(c.id for run in runs for c in run.changes if (c.after or c.before).content == text)  # type: ignore[union-attr]

    def hit(self, text: str) -> Callable[[dict[str, Entry]], dict[str, Entry]]:
        id_ = self.id_of(text)
        return lambda entries: {**entries, id_: activated(entries[id_], self.clock.now())}

    def by_hand(self) -> None:
        path = self.repository.path
        data = path.read_bytes().replace(b"fact 2", b"fact two")
        head = b"## Active Memories\n\n"
        path.write_bytes(data.replace(head, head + b"### [byhand] fact | 0.70 | 2026-02-20 | 0\nadded by hand\n\n"))
        self.repository.update(dict, who="test", why="a look")


@pytest.fixture(params=[0.0, 3.0], ids=["same_instant", "later"])
def life(request: pytest.FixtureRequest, repository: EntryRepository, clock: ManualClock) -> Life:
    made = Life(repository, clock, request.param)
    made.live()
    assert len(made.states) == 20
    return made


EDITS: dict[str, Callable[[bytes], bytes]] = {
    "as_it_was": lambda data: data,
    "with_a_line": lambda data: data + b"\nmine\n",
    "with_an_entry": lambda data: (
        data + b"\n## Active Memories\n\n### [late] fact | 0.60 | 2026-02-20 | 0\nadded late\n"
        if b"## Active" not in data
        else data.replace(
            b"## Active Memories\n\n",
            b"## Active Memories\n\n### [late] fact | 0.60 | 2026-02-20 | 0\nadded late\n\n",
        )
    ),
}


@pytest.mark.parametrize("how", EDITS)
def test_no_earlier_state_takes_an_entry_away_or_brings_a_purged_one_back(life: Life, how: str):
    repository = life.repository
    seen_runs = len(repository.journal.runs())
    every = 1 if os.environ.get("NANOBOT_MEMORY_LONG") else 3
    for number, state in list(enumerate(life.states[:-1]))[::every]:
        before = repository.load().entries
        path = repository.path
        path.write_bytes(EDITS[how](state))
        seen_at_once = repository.load().entries
        life.say(f"said after state {number} was put back")
        after = repository.load().entries
        if how != "as_it_was" and number == 0:
            # Without a time of ours and without an entry: whoever edited that wants it so, and it can be taken back.
            run = next(run for run in reversed(repository.journal.runs()) if run.who == BY_HAND)
            assert {change.id for change in run.changes if change.after is None} == before.keys()
            undo(repository, run.id, who="test")
            assert before.keys() <= repository.load().entries.keys()
            continue
        assert before.keys() <= after.keys(), number
        assert before.keys() <= seen_at_once.keys(), number
        assert parse(path.read_bytes()).entries.keys() == after.keys(), number
        assert all(before[id_].content == after[id_].content for id_ in before), number
        assert not {id_ for id_, one in after.items() if one.content == SECRET}, number
        assert holders_of(path.parent, SECRET) == [], number
        if how == "with_an_entry":
            assert after["late"].content == "added late"
            forget(repository, ["late"], who="test")
        assert how != "with_a_line" or b"\nmine\n" in path.read_bytes(), number
    runs = repository.journal.runs()
    assert how != "as_it_was" or BY_HAND not in {run.who for run in runs[seen_runs:]}


def test_what_came_after_an_earlier_state_stays_used_forgotten_and_reworded(
    repository: EntryRepository, clock: ManualClock
):
    repository.update(added(*(entry(f"e{n}", f"text {n}") for n in range(4))), who="test", why="a test")
    old = repository.path.read_bytes()
    repository.update(lambda e: {**e, "e0": activated(e["e0"], clock.now())}, who="test", why="used")
    forget(repository, ["e1"], who="test")
    repository.update(lambda e: {**e, "e2": replace(e["e2"], content="reworded")}, who="test", why="edit")
    repository.path.write_bytes(old.replace(b"text 3", b"text three"))
    repository.update(dict, who="test", why="a look")
    after = repository.load().entries
    assert (after["e0"].hits, after["e2"].content, after["e3"].content) == (1, "reworded", "text three")
    assert "e1" not in after


def test_an_entry_taken_out_of_an_earlier_state_is_gone_with_a_record_that_brings_it_back(
    repository: EntryRepository, warnings: list[str]
):
    repository.update(added(entry("a", "likes tea"), entry("b", "has a dog")), who="test", why="a test")
    old = repository.path.read_bytes()
    repository.update(added(entry("c", "plays chess")), who="test", why="a test")
    repository.path.write_bytes(old.replace(parse(old).slots["b"].data, b""))
    repository.update(dict, who="test", why="a look")
    assert texts(repository) == {"likes tea", "plays chess"}
    run = next(run for run in repository.journal.runs() if run.who == BY_HAND)
    assert [(change.id, change.action.value) for change in run.changes] == [("b", "removed")]
    assert [f"entries undo {run.id}" in told for told in warnings] == [True]
    undo(repository, run.id, who="test")
    assert texts(repository) == {"likes tea", "has a dog", "plays chess"}


def test_undoing_on_top_of_an_earlier_state_takes_back_no_more_than_its_run(repository: EntryRepository):
    first = repository.update(added(entry("a", "likes tea")), who="test", why="a test").run
    assert first is not None
    old = repository.path.read_bytes()
    repository.update(added(entry("b", "has a dog")), who="test", why="a test")
    repository.path.write_bytes(old)
    undo(repository, first.id, who="test")
    assert texts(repository) == {"has a dog"}


def test_a_file_put_back_gets_what_is_newer_as_soon_as_somebody_looks_and_says_so_once(repository: EntryRepository):
    repository.update(added(entry("a", "likes tea")), who="test", why="a test")
    old = repository.path.read_bytes()
    repository.update(added(entry("b", "has a dog")), who="test", why="a test")
    repository.path.write_bytes(old)
    said = repair_file(repository)
    assert "ENTRIES.md was put back as it had been before: the entry that came since then stays in it (b;" in said
    assert parse(repository.path.read_bytes()).entries.keys() == {"a", "b"}
    assert repair_file(repository) == ""
    assert [run.who for run in repository.journal.runs()] == ["test", "test", "mend"]


def test_a_file_put_back_between_two_commands_loses_nothing_and_the_next_command_says_so(
    workspace: Path, capsys: pytest.CaptureFixture[str]
):
    def call(*arguments: str) -> tuple[str, str]:
        assert run_command_line([*arguments, "--workspace", str(workspace)]) == 0
        said = capsys.readouterr()
        return said.out, said.err

    file = workspace / "memory" / "ENTRIES.md"
    call("entries", "remember", "Likes tea.")
    old = file.read_bytes()
    call("entries", "remember", "Has a dog.")
    file.write_bytes(old)
    out, said = call("entries", "list")
    assert "Has a dog." in out
    assert said.count("ENTRIES.md was put back as it had been before") == 1
    assert "put back" not in call("entries", "remember", "Plays chess.")[1]
    assert {one.content for one in EntryRepository(workspace).load().entries.values()} == {
        "Likes tea.", "Has a dog.", "Plays chess.",
    }  # fmt: skip
    assert "an earlier state of the file had been put back" in call("entries", "history")[0]


def test_a_purged_entry_that_an_old_file_brings_back_goes_again_and_is_said(repository: EntryRepository):
    repository.update(added(entry("a", "likes tea"), entry("gone", SECRET)), who="test", why="a test")
    old = repository.path.read_bytes()
    purge(repository, ["gone"], who="test")
    repository.path.write_bytes(old)
    assert texts(repository) == {"likes tea"}
    assert "had been forgotten for good, and went again" in repair_file(repository)

    def undone() -> None:
        undo(repository, who="test")

    for change in (lambda: None, lambda: repository.update(added(entry("b", "has a dog")), who="t", why="t"), undone):
        change()
        assert holders_of(repository.paths.memory, SECRET) == []


def test_a_write_that_fails_is_not_done_later(repository: EntryRepository, monkeypatch: pytest.MonkeyPatch):
    repository.update(added(entry("a", "likes tea")), who="test", why="a test")
    broken = EntryRepository(repository.paths.workspace, at=lambda point: _fail(point))
    with pytest.raises(MemoryFileError):
        broken.update(added(entry("b", "has a dog")), who="test", why="a test")
    repository.update(added(entry("c", "plays chess")), who="test", why="a test")
    assert texts(repository) == {"likes tea", "plays chess"}


def _fail(point: str) -> None:
    if point == "after seen":
        raise MemoryFileError("The disk is full.")


@pytest.mark.parametrize("seed", range(40 if os.environ.get("NANOBOT_MEMORY_LONG") else 2))
def test_no_order_of_writes_and_old_states_loses_an_entry_unseen(
    repository: EntryRepository, clock: ManualClock, seed: int
):
    draw, states, known = random.Random(seed), [], set()
    for step in range(25):
        clock.advance(draw.choice([0, 0, 0.5, 3_600, -7_200]))
        repository.update(added(entry(f"s{step}", f"text {step}")), who="test", why="a test")
        known.add(f"s{step}")
        states.append(repository.path.read_bytes())
        for _ in range(draw.choice([0, 1, 1, 2])):
            state = draw.choice(states)
            if draw.random() < 0.3:
                state += b"\nmine\n"
            if draw.random() < 0.2 and (slots := parse(state).slots):
                state = state.replace(draw.choice(list(slots.values())).data, b"", 1)
            repository.path.write_bytes(state)
            if draw.random() < 0.5:
                repository.update(dict, who="test", why="a look")
        entries = repository.update(dict, who="test", why="a look").entries
        runs = repository.journal.runs()
        removed = {c.id for run in runs if run.who == BY_HAND for c in run.changes if c.after is None}
        assert known - entries.keys() <= removed
