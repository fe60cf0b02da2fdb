"""The daily consolidation: what it reads, what it makes of the answer, and what it never does."""

import re
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import Section
from nanobot_memory_plugins.consolidation.operations.purge import purge
from nanobot_memory_plugins.consolidation.operations.undo import undo
from nanobot_memory_plugins.core.errors import CompletionTimeoutError
from nanobot_memory_plugins.core.scopes.scopes import Scopes
from nanobot_memory_plugins.core.text.tokens import estimate_tokens
from nanobot_memory_plugins.core.values import Origin, Scope
from tests.consolidation.made_entries import fade

from .made_entries import NOW, days, entry
from .nightly_days import Days, Model, operations

TEA = "The user drinks green tea in the morning"
COFFEE = "The user drinks coffee in the morning since March"


@pytest.fixture
def world(workspace: Path) -> Days:
    return Days(workspace)


@pytest.mark.accept("NC-06")
async def test_notes_become_operations_on_entries_in_one_run_that_can_be_undone(world: Days, workspace: Path):
    world.note("The user's sister Hanna lives in Lisbon", days_ago=2)
    world.note(COFFEE, days_ago=1)
    world.add(
        entry("tea1", TEA, 0.7, hits=2),
        entry("dog1", "The user has a dog named Bruno", 0.6, hits=3, created_at=NOW - days(9)),
        entry("dog2", "Bruno is the dog of the user", 0.8, hits=4, supersedes=("old",)),
        entry("gone", "The printer is being repaired this week", 0.5),
    )
    path = workspace / "memory" / "ENTRIES.md"
    path.write_bytes(path.read_bytes() + b"\n## Mine\n\nOffice: Paris, until 2024.\n")
    fade(world.memory.repository)
    before = path.read_bytes()
    model = Model(
        operations(
            {
                "op": "add",
                "content": "The user's sister Hanna lives in Lisbon",
                "category": "fact",
                "importance": "high",
            },
            {"op": "update", "id": "tea1", "content": COFFEE},
            {"op": "merge", "ids": ["dog1", "dog2"], "content": "The user has a dog named Bruno"},
            {"op": "archive", "id": "gone"},
            proposals=("Office: Paris, until 2024.", "Office: Rome, until 2025."),
        )
    )
    report = await world.run(model)
    assert [one.kind for one in report.done] == ["add", "update", "merge", "archive"]
    assert len(model.asked) == 1
    now = world.entries()
    new = next(one for one in now.values() if "Hanna" in one.content)
    assert (new.score, new.origin, new.category) == (0.8, Origin.USER, "fact")
    assert (now["tea1"].content, now["tea1"].hits) == (COFFEE, 2)
    assert (now["dog2"].hits, now["dog2"].created_at, now["dog2"].supersedes) == (7, NOW - days(9), ("old",))
    assert (now["dog2"].content, "dog1" in now) == ("The user has a dog named Bruno", False)
    assert now["gone"].section is Section.ARCHIVED
    (run,) = [run for run in world.memory.repository.journal.runs() if run.who == "consolidation"]
    assert run.why == "daily consolidation, 2026-02-20"
    assert b"Office: Paris, until 2024." in path.read_bytes()
    assert [one.quote for one in report.proposals] == ["Office: Paris, until 2024."]
    assert [one.file for one in world.consolidation(None).records.proposals()] == ["ENTRIES.md"]
    undo(world.memory.repository, run.id, who="user")
    assert path.read_bytes() == before


async def test_the_prompt_holds_seven_days_the_entries_and_the_rest_and_hides_secrets(world: Days, workspace: Path):
    for ago in range(9):
        world.note(f"note of day minus {ago}", days_ago=ago)
    world.note("A page says the user likes gambling", origin=Origin.WEB)
    world.note("12 gambling words were counted today", searchable=False)
    world.note("exec printed password: hunter2hunter2", origin=Origin.TOOL)
    world.add(entry("a1", TEA), entry("w1", "The web says so", origin=Origin.WEB))
    text = (workspace / "memory" / "ENTRIES.md").read_text()
    (workspace / "memory" / "ENTRIES.md").write_text(text + "\n## Mine\n\nmy password: Tr0ub4dor&3xyz\n")
    model = Model(operations())
    await world.run(model)
    (asked,) = model.asked
    assert [f"day minus {ago}" in asked for ago in range(9)] == [True] * 7 + [False] * 2
    assert asked.index("day minus 0") < asked.index("day minus 6")
    assert re.search(rf"\[a1\] \(\w+, 2026-02-20, 0\.\d\d\) {TEA}", asked)
    assert "my password" in asked
    assert "### [a1]" not in asked
    for hidden in ("gambling", "hunter2", "The web says so", "Tr0ub4dor"):
        assert hidden not in asked


@pytest.mark.parametrize("tokens", [600, 1_500, 6_000])
async def test_the_prompt_stays_inside_its_budget_and_keeps_the_newest_and_the_best(world: Days, tokens: int):
    for ago in range(7):
        for number in range(20):
            world.note(f"day {ago} number {number} " + "词" * 100, days_ago=ago)
    world.add(*(entry(f"e{number:03}", f"entry {number} " + "x" * 80, number / 100) for number in range(90)))
    model = Model(operations())
    await world.run(model, consolidation_tokens=tokens)
    assert estimate_tokens(model.asked[0]) <= tokens
    if tokens > 600:
        assert "day 0 number 19" in model.asked[0]
        assert "[e089]" in model.asked[0]
    assert "day 6 number 0 " not in model.asked[0]


async def test_a_chinese_memory_is_asked_about_in_chinese(world: Days):
    world.note("用户的妹妹住在杭州，做产品经理")
    model = Model(operations({"op": "add", "content": "用户的妹妹住在杭州", "importance": "medium"}))
    await world.run(model)
    assert "你负责整理助手的长期记忆" in model.asked[0]
    assert world.contents() == {"用户的妹妹住在杭州"}


@pytest.mark.accept("NC-06")
async def test_nothing_new_costs_no_call(world: Days):
    world.note(COFFEE)
    model = Model(operations({"op": "add", "content": COFFEE}))
    await world.run(model)
    for _ in range(9):  # the notes leave the window one after the other, and the entry fades
        world.clock.advance(86_400)
        assert (await world.run(model)).idle
    assert len(model.asked) == 1
    world.note("The user's sister Hanna lives in Lisbon")
    assert not (await world.run(model)).idle
    assert len(model.asked) == 2


async def test_a_failing_model_leaves_fading_expiry_and_the_same_words_as_one(world: Days):
    world.note(COFFEE)
    world.add(
        entry("a", TEA, 0.7, hits=1),
        entry("b", TEA + ".", 0.6, hits=2),
        entry("t", "Send the slides", 0.8, category="todo", expires_at=NOW - days(1)),
        entry("f", "Something nearly forgotten", 0.051, last_activated=NOW - days(60)),
    )
    for model in (Model(CompletionTimeoutError("late")), None, Model("I'm sorry, I cannot help with that.")):
        await world.run(model)
        now = world.entries()
        assert set(now) == {"a", "t"}
        assert (now["a"].hits, now["t"].section) == (3, Section.ARCHIVED)
    # What the model never answered to is asked again.
    model = Model(operations({"op": "add", "content": COFFEE}))
    await world.run(model)
    assert COFFEE in world.contents()


async def test_a_result_that_drops_more_than_a_quarter_is_refused_whole(world: Days):
    facts = [f"Fact number {number} about the user" for number in range(16)]
    world.add(*(entry(f"e{number}", fact) for number, fact in enumerate(facts)))
    world.note(COFFEE)
    rows = [{"op": "archive", "id": f"e{number}"} for number in range(5)]
    report = await world.run(Model(operations(*rows, {"op": "add", "content": COFFEE})))
    assert report.refused == "it would drop 5 of 16 entries"
    assert world.contents() == set(facts)
    assert all(one.section is Section.ACTIVE for one in world.entries().values())
    world.note("Something else was said today")
    report = await world.run(Model(operations(*rows[:4])))
    assert (report.refused, len(report.done)) == ("", 4)


async def test_a_dry_run_writes_nothing(world: Days):
    world.note(COFFEE)
    world.add(entry("a", TEA), entry("b", TEA))
    before = world.bytes()
    report = await world.run(Model(operations({"op": "add", "content": COFFEE})), dry_run=True)
    assert [one.text for one in report.done] == [COFFEE]
    assert world.bytes() == before


async def test_what_tools_and_the_web_said_never_becomes_a_users_fact(world: Days):
    world.note("The user likes gambling on horses", origin=Origin.WEB)
    world.note("The user's server is db7.example", origin=Origin.TOOL)
    world.note("The user reads newspapers")
    world.add(
        entry("w1", "The user owns three boats", origin=Origin.WEB),
        entry("u1", "The user reads newspapers daily", origin=Origin.USER),
    )
    report = await world.run(
        Model(
            operations(
                {"op": "add", "content": "The user likes gambling on horses"},
                {"op": "add", "content": "The user's server is db7.example"},
                {"op": "update", "id": "u1", "content": "The user owns three boats"},
                {"op": "merge", "ids": ["w1", "u1"], "content": "The user owns three boats"},
            )
        )
    )
    assert report.done == ()
    assert len(report.dropped) == 4
    assert world.contents() == {"The user owns three boats", "The user reads newspapers daily"}


async def test_an_edit_by_hand_during_the_call_wins(world: Days, workspace: Path):
    world.note(COFFEE)
    world.add(entry("tea1", TEA), entry("two2", "The user has a dog named Bruno"))
    path = workspace / "memory" / "ENTRIES.md"

    class Slow(Model):
        async def __call__(self, messages, *, max_tokens, purpose):
            path.write_bytes(path.read_bytes().replace(TEA.encode(), b"The user drinks only water"))
            return await super().__call__(messages, max_tokens=max_tokens, purpose=purpose)

    report = await world.run(Slow(operations({"op": "update", "id": "tea1", "content": COFFEE})))
    assert report.dropped == ("update: the entry tea1 is not as it was shown",)
    assert world.entries()["tea1"].content == "The user drinks only water"


async def test_each_user_is_consolidated_apart_where_memories_are_not_shared(world: Days):
    ann, bob = Scope(user="ann"), Scope(user="bob")
    world.note("Ann keeps bees on the roof", scope=ann)
    world.note("Bob restores old radios", scope=bob)
    world.add(entry("b1", "Bob likes tea", scope=bob))
    model = Model(
        operations({"op": "add", "content": "Ann keeps bees on the roof"}, {"op": "archive", "id": "b1"}),
        operations({"op": "add", "content": "Ann keeps bees on the roof"}),
    )
    model.answers.reverse()
    await world.run(model, narrow=Scopes("user").visible)
    assert len(model.asked) == 2
    assert not any("bees" in asked and "radios" in asked for asked in model.asked)
    assert {(one.content, one.scope.user) for one in world.entries().values()} == {
        ("Bob likes tea", "bob"),
        ("Ann keeps bees on the roof", "ann"),
    }
    assert world.entries()["b1"].section is Section.ACTIVE


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.accept("NC-06")
@pytest.mark.parametrize("top", [".", "memory"])
async def test_the_file_alone_is_committed_with_a_message_that_names_consolidation(world: Days, workspace: Path, top):
    git(workspace / top, "init", "--quiet")
    other = workspace / top / "other.txt"
    other.write_text("one")
    git(workspace / top, "add", ".")
    git(workspace / top, "commit", "--quiet", "-m", "start")
    other.write_text("two")
    git(workspace / top, "add", "other.txt")
    world.note(COFFEE)
    report = await world.run(Model(operations({"op": "add", "content": COFFEE})), git_commit=True)
    assert git(workspace / top, "rev-parse", "HEAD") == report.commit
    assert git(workspace / top, "log", "-1", "--format=%s") == "consolidation: 1 added (2026-02-20)"
    assert git(workspace / top, "show", "--name-only", "--format=", "HEAD").splitlines() == (
        ["memory/ENTRIES.md"] if top == "." else ["ENTRIES.md"]
    )
    assert git(workspace / top, "diff", "--cached", "--name-only") == "other.txt"
    world.note("The user's sister Hanna lives in Lisbon")
    model = Model(operations({"op": "add", "content": "The user's sister Hanna lives in Lisbon"}))
    assert (await world.run(model)).commit == ""
    assert git(workspace / top, "rev-parse", "HEAD") == report.commit


async def test_a_repository_around_the_workspace_is_left_alone(tmp_path: Path):
    git(tmp_path, "init", "--quiet")
    (tmp_path / "inner" / "memory").mkdir(parents=True)
    world = Days(tmp_path / "inner")
    world.note(COFFEE)
    report = await world.run(Model(operations({"op": "add", "content": COFFEE})), git_commit=True)
    assert (report.outcome is not None, report.commit) == (True, "")


async def test_what_was_purged_does_not_come_back(world: Days):
    world.add(entry("c", COFFEE))
    purge(world.memory.repository, ["c"], who="user")
    world.note(COFFEE)
    await world.run(Model(operations({"op": "add", "content": COFFEE})))
    assert world.entries() == {}


async def test_files_of_any_kind_are_survived(world: Days, workspace: Path):
    (workspace / "memory" / "2026-02-20.md").write_bytes(b"\xff\xfe\0" * 1000)
    (workspace / "memory" / "2026-02-19.md").mkdir()
    (workspace / "memory" / ".entries").mkdir()
    (workspace / "memory" / ".entries" / "consolidation.json").write_bytes(b"[[[")
    (workspace / "memory" / ".entries" / "proposals.json").write_text('{"a": 1}')
    world.clock.advance(timedelta(hours=1).total_seconds())
    report = await world.run(Model('\ud800 {"operations": [{"op": "add"}, 3, null]}'))
    assert report.done == ()
