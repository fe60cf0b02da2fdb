"""The owners of consolidated entries, when less is shared later than when they were written."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.model.entry import is_visible
from nanobot_memory_plugins.core.scopes.scopes import Scopes, Share
from nanobot_memory_plugins.core.values import Scope, Visibility
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.core.values.scopes import OwnerFilter

from .made_entries import entry
from .nightly_days import Days, Model, answer

ANN = Scope(user="ann", channel="tg", session="tg:1")
BOB = Scope(user="bob", channel="tg", session="tg:2")
BEES, RADIOS = "Ann keeps seven bees on the roof", "Bob restores antique radios in Lisbon"
BOTH = "Ann keeps seven bees on the roof and Bob restores antique radios in Lisbon"
EVERYTHING = Visibility(owners=(OwnerFilter(),))
SESSIONS = ("tg:1", "tg:2", "tg:3")


@pytest.fixture
def world(workspace: Path) -> Days:
    return Days(workspace)


async def consolidate(world: Days, *rows: dict, share: Share = "agent") -> None:
    await world.run(Model(answer(*rows)), scopes=Scopes(share))
    assert {row["text"] for row in rows} <= world.contents()


def of(**names: str) -> Visibility:
    return Visibility(owners=(OwnerFilter(**names),))


def seen(one: Entry) -> list[str]:
    """Return the sessions that see an entry when each session sees only its own."""
    assert is_visible(one, EVERYTHING)  # as long as everything is shared
    return [name for name in SESSIONS if is_visible(one, of(session=name))]


def only(world: Days) -> Entry:
    (one,) = (entry for entry in world.entries().values() if not entry.superseded_by)
    return one


async def test_an_added_entry_belongs_to_the_session_of_its_note(world: Days):
    world.note(RADIOS, scope=BOB)
    world.note(BEES, scope=ANN)
    await consolidate(world, {"text": BEES}, {"text": RADIOS})
    assert {one.content: seen(one) for one in world.entries().values()} == {BEES: ["tg:1"], RADIOS: ["tg:2"]}
    assert not any(is_visible(one, of(user="bob", session="tg:3")) for one in world.entries().values())


async def test_statements_of_two_people_are_not_combined_into_an_entry(world: Days):
    world.note(BEES, scope=ANN)
    world.note(RADIOS, scope=BOB)
    await world.run(Model(answer({"text": BOTH})))
    assert world.entries() == {}


@pytest.mark.parametrize(("source", "sees"), [("tg:1", []), ("", ["tg:2"])])
async def test_an_update_also_belongs_to_the_session_that_it_quotes(world: Days, source, sees):
    world.add(entry("a", BEES, source_session=source))
    world.note("Ann keeps nine bees on the roof", scope=BOB)
    await consolidate(world, {"text": "Ann keeps nine bees on the roof", "ends": ["a"]})
    assert seen(only(world)) == sees


@pytest.mark.parametrize(("other", "sees"), [("tg:1", ["tg:1"]), ("tg:2", []), ("", ["tg:1"])])
async def test_a_merged_entry_is_visible_to_those_who_saw_all_of_its_sources(world: Days, other, sees):
    world.add(
        entry("a", "Ann has a dog named Bruno", 0.7, source_session="tg:1"),
        entry("b", "Bruno is the dog of Ann", 0.8, source_session=other),
    )
    await consolidate(world, {"text": "Ann has a dog, Bruno", "ends": ["a", "b"]})
    assert seen(only(world)) == sees
    world.note("Something else happened", scope=BOB)
    await consolidate(world, {"text": "Ann has the dog Bruno", "ends": [only(world).id]})
    assert seen(only(world)) == sees
