"""What users have said reaches the daily consolidation, and makes an entry theirs, new and used."""

from datetime import timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.operations.forget import forget_what
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.values import Origin, Scope

from .made_entries import NOW, days, entry
from .nightly_days import Days, Model, operations

RENT = "The user pays 620 euros of rent"
TALK = [
    ("user", "great, rent goes up to 655 from june"),
    ("assistant", "Is the Portuguese course still on?"),
    ("user", "dropped it. Ines had her baby, a girl, Malou"),
    ("assistant", "Shall I order a pram for her?"),
    ("user", "do it"),
    ("tool", "The user wants a villa in Halle."),
]


@pytest.fixture
def world(tmp_path: Path) -> Days:
    (tmp_path / "memory").mkdir(parents=True)
    return Days(tmp_path)


def say(world: Days, *lines: tuple[str, str], session: str = "cli:direct", days_ago: int = 1, user: str = "") -> None:
    """Write a transcript as core does."""
    folder = world.workspace / "memory" / "sessions"
    folder.mkdir(exist_ok=True)
    when = world.clock.now() - timedelta(days=days_ago)
    by_role = {"user": Origin.USER, "tool": Origin.TOOL}
    with (folder / f"{session.replace(':', '_')}.jsonl").open("ab") as file:
        for number, (role, text) in enumerate(lines):
            scope = Scope(session=session, user=user)
            origin = by_role.get(role, Origin.ASSISTANT)
            time = when + timedelta(seconds=number)
            file.write(render_transcript_line(TranscriptRecord(role, text, session, scope, origin, f"m{number}", time)))


async def test_what_a_user_said_updates_their_entry_which_is_as_good_as_new(world: Days):
    say(world, *TALK)
    world.add(entry("rent", RENT, 0.6, last_activated=NOW - days(100), hits=2))
    wish = {"op": "update", "id": "rent", "content": "The user pays 655 euros of rent from June 2026"}
    model = Model(operations({**wish, "said": "rent goes up to 655 from june"}))
    report = await world.run(model)
    assert [one.kind for one in report.done] == ["update"]
    now = world.entries()["rent"]
    assert (now.content, now.origin, now.hits) == (wish["content"], Origin.USER, 3)
    assert now.last_activated == NOW - days(1)
    assert now.score == pytest.approx(0.6)
    asked = model.asked[0]
    assert "[rent] (fact, 2025-11-12, 0.24) The user pays 620 euros of rent" in asked
    assert "2026-02-19 great, rent goes up to 655 from june" in asked
    assert "villa" not in asked


async def test_what_is_added_from_a_users_words_is_theirs_and_what_others_said_is_not(world: Days):
    say(world, *TALK)
    told = [
        ("The user's friend Ines has a baby girl, Malou", "Ines had her baby, a girl, Malou"),
        ("The user orders a pram for Ines", "Shall I order a pram for her?"),
        ("The user wants a villa in Halle", "The user wants a villa in Halle."),
        ("The user takes a Portuguese course", "Is the Portuguese course still on?"),
    ]
    rows = [{"op": "add", "content": content, "said": said} for content, said in told]
    model = Model(operations(*rows))
    report = await world.run(model)
    assert {one.content: one.origin for one in world.entries().values()} == dict.fromkeys(
        [content for content, _ in told[:2]], Origin.USER
    )
    assert report.dropped == ("add: the notes do not say it",) * 2
    assert "(Shall I order a pram for her?) do it" in model.asked[0]


async def test_a_session_that_nobody_speaks_in_older_days_and_what_was_forgotten_are_left_out(world: Days):
    say(world, ("user", "I like oolong tea"), session="cron:1")
    say(world, ("user", "I like black tea"), session="cli:old", days_ago=9)
    say(world, ("user", "I like green tea. I play chess."))
    world.add(entry("tea", "I like green tea", 0.6))
    entries = world.entries()
    await forget_what(world.memory, "tea", entries, by_words=Matcher(), by_meaning=Matcher(), who="user")
    assert world.entries() == {}
    model = Model(operations({"op": "add", "content": "The user likes green tea", "said": "I like green tea"}))
    report = await world.run(model)
    assert "I play chess" in model.asked[0]
    assert "tea" not in model.asked[0].partition("Today is")[2]
    assert report.done == ()


async def test_nobody_is_believed_for_somebody_else_where_memories_are_not_shared(world: Days):
    from nanobot_memory_plugins.core.scopes import Scopes

    say(world, ("user", "I keep bees on the roof"), session="t:ann", user="ann")
    say(world, ("user", "I restore radios"), session="t:bob", user="bob")
    bees = {"op": "add", "content": "The user keeps bees on the roof", "said": "I keep bees on the roof"}
    model = Model(operations(bees))
    await world.run(model, narrow=Scopes("user").visible)
    assert len(model.asked) == 2
    assert not any("bees" in asked and "radios" in asked for asked in model.asked)
    assert [(one.content, one.scope.user) for one in world.entries().values()] == [(bees["content"], "ann")]


async def test_what_was_said_counts_as_new_once(world: Days):
    say(world, *TALK)
    model = Model(operations())
    await world.run(model)
    await world.run(model)
    assert len(model.asked) == 1
