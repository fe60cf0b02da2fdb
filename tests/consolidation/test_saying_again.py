"""What is said again counts as a use, and what a model says of known entries acts on those that it was shown."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.clock import ManualClock
from tests.support.chinese import in_both_scripts

from .learning import Model, chat, host, item, stored
from .made_entries import NOW, added, days, entry

TEXTS = ["The user has a dog called Rex", "用户对花生过敏", "The port of the database is 5432"]


async def idle(
    workspace: Path, *texts: str, at: datetime, times: int = 1, model: Model | None = None, **options
) -> None:
    history = [{**one, "timestamp": at.isoformat()} for one in chat(*texts)]
    async with host(workspace, model, clock=ManualClock(at), **options) as memory:
        for _ in range(times):
            await memory.session_idle(session_key="cli:a", history=history, ended=True)


@pytest.mark.parametrize(
    ("said", "known"),
    in_both_scripts(
        [
            ("My dog Rex is called a good dog by everybody", 0),
            ("我对花生过敏，泰国菜里要避开哪些？", 1),
            ("The database has the port 5432, as always", 2),
            ("My cat is called Rex", None),
            ("我没有对花生过敏", None),
            ("The port of the database is 5433", None),
            ("Is the port of the database 5432?", None),
        ]
    ),
)
async def test_without_a_model_what_is_said_again_in_the_same_words_is_used(
    workspace: Path, said: str, known: int | None
):
    known_ones = [entry(f"e{n}", text, 0.6, last_activated=NOW) for n, text in enumerate(TEXTS)]
    EntryRepository(workspace).update(added(*known_ones), who="test", why="add")
    await idle(workspace, said, "Ok.", at=NOW + days(3), times=3)
    hits = {one.id: one.hits for one in stored(workspace).values()}
    assert hits == {f"e{n}": int(n == known) for n in range(3)}


async def test_messages_that_still_wait_days_later_are_not_counted_again(workspace: Path):
    one = entry("dog", TEXTS[0], 0.6, last_activated=NOW)
    EntryRepository(workspace).update(added(one), who="test", why="add")
    for later in (3, 5, 9):
        history = [{**row, "timestamp": (NOW + days(3)).isoformat()} for row in chat("My dog is called Rex.", "Ok.")]
        async with host(workspace, clock=ManualClock(NOW + days(later))) as memory:
            await memory.session_idle(session_key="cli:a", history=history, ended=True)
    (dog,) = stored(workspace).values()
    assert (dog.hits, dog.last_activated) == (1, NOW + days(3))


async def test_what_is_confirmed_is_used_and_what_was_not_shown_is_not_ended(workspace: Path):
    dog, old = entry("dog", TEXTS[0], 0.6), entry("old", "The user lives in Bonn", 0.1)
    EntryRepository(workspace).update(added(dog, old), who="test", why="add")
    answer = [
        item("Rex is the user's dog", said="Rex still sleeps in the kitchen", confirms="dog"),
        item("The user lives in Kiel", said="we live in Kiel now", ends=["old"]),
    ]
    await idle(
        workspace,
        "Rex still sleeps in the kitchen, and we live in Kiel now.",
        "Nice.",
        at=NOW + timedelta(hours=2),
        model=Model(answer),
        extractionQuotes="always",
    )
    entries = stored(workspace)
    assert entries[TEXTS[0]].hits == 1
    assert "Rex is the user's dog" not in entries
    assert entries["The user lives in Bonn"].superseded_by == ""


async def test_what_ends_an_entry_and_says_too_much_is_kept_in_the_users_own_words(workspace: Path):
    teaches = entry("job", "The user teaches chemistry", 0.8)
    EntryRepository(workspace).update(added(teaches), who="test", why="add")
    said = "I'm finishing at the school, I've taken a job as science editor with Ballast."
    told = "The user leaves teaching to become a remote editor at the renowned publisher Ballast in spring"
    answer = [item(told, said=said, ends=["job"])]
    await idle(workspace, said, "Ok.", at=NOW, model=Model(answer), extractionQuotes="always")
    entries = stored(workspace)
    assert entries["The user teaches chemistry"].superseded_by == entries[f"The user said: {said}"].id


@pytest.mark.parametrize(
    ("said", "told"),
    in_both_scripts(
        [
            ("My sister lives in Rome.", "The user lives in Rome"),
            ("I never eat meat in Bonn.", "The user eats meat in Bonn"),
            ("We have 12 chairs in Bonn.", "The user has 14 chairs in Bonn"),
            ("我姐姐住在罗马。", "用户住在罗马"),
        ]
    ),
)
async def test_what_says_something_else_than_its_quote_ends_and_confirms_nothing(workspace: Path, said: str, told: str):
    known = [entry("home", "The user lives in Bonn", 0.8), entry("food", "用户住在波恩", 0.8)]
    EntryRepository(workspace).update(added(*known), who="test", why="add")
    answer = [item(told, said=said, ends=["home"]), item(told, said=said, confirms="food")]
    await idle(workspace, said, "Ok.", at=NOW, model=Model(answer), extractionQuotes="always")
    entries = stored(workspace)
    assert entries["The user lives in Bonn"].superseded_by == ""
    assert entries["用户住在波恩"].hits == 0
    assert told not in entries


async def test_a_verdict_that_changes_nothing_may_still_say_something_new(workspace: Path):
    swims = entry("swim", "The user swims every Tuesday and Thursday morning", 0.8)
    EntryRepository(workspace).update(added(swims), who="test", why="add")
    said = "I swim on Thursday mornings now with my sister Olga, who lives next door. I was in the pool early today."
    answer = [{"id": "swim", "now": "The user swims on Thursday mornings with the sister Olga"}]
    await idle(workspace, said, "Nice.", at=NOW, model=Model(answer), extractionQuotes="never")
    assert any("Olga" in text for text in stored(workspace))
