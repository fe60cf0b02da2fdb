"""A file of entries that is gone is no order to forget them: it is written anew from what the machines share."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.exchange import taken_out
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core.values import Erasure
from tests.postgres.test_entries import HOME, MACHINES, TEA, Machines, machines, until  # noqa: F401  # a fixture

DOG = "The user has a dog called Elver"


def delete(entries: EntryRepository) -> None:
    entries.path.unlink()


def delete_with_copies(entries: EntryRepository) -> None:
    shutil.rmtree(entries.paths.memory)


def empty(entries: EntryRepository) -> None:
    entries.path.write_bytes(b"")


LOSSES = (delete_with_copies, empty)


@pytest.mark.parametrize("lose", LOSSES)
async def test_one_that_is_lost_while_none_runs_comes_back_beside_what_was_told_then(
    machines: Machines,  # noqa: F811
    lose: Callable[[EntryRepository], None],
):
    await machines.on(*MACHINES)
    machines.tell("laptop", HOME)
    machines.tell("laptop", TEA)
    await machines.all_have(HOME, TEA)
    await machines.off()
    lose(machines.entries("laptop"))
    machines.tell("laptop", DOG)
    await machines.on(*MACHINES)
    try:
        await machines.all_have(DOG, HOME, TEA)
    finally:
        await machines.off()


async def test_what_somebody_takes_out_by_hand_goes_on_all(machines: Machines):  # noqa: F811
    await machines.on(*MACHINES)
    try:
        id_ = machines.tell("laptop", HOME)
        machines.tell("laptop", TEA)
        await machines.all_have(HOME, TEA)
        file = machines.entries("desktop").path
        before, _, after = file.read_text(encoding="utf-8").partition(f"### [{id_}]")
        rest = after.partition("### [")
        file.write_text(before + rest[1] + rest[2], encoding="utf-8")
        await machines.all_have(TEA)
        file.write_text(file.read_text(encoding="utf-8").partition("### [")[0], encoding="utf-8")  # and the last one
        await machines.all_have()
    finally:
        await machines.off()


async def test_what_was_forgotten_for_good_does_not_come_back_with_the_rest(machines: Machines):  # noqa: F811
    laptop, _ = await machines.on(*MACHINES)
    try:
        id_ = machines.tell("laptop", HOME)
        machines.tell("laptop", TEA)
        await machines.all_have(HOME, TEA)
        await laptop.eraser.erase(Erasure(ids=(id_,), texts=(HOME,)))
        await machines.all_have(TEA)
        delete(machines.entries("laptop"))
        await until(lambda: machines.texts("laptop") == [TEA])
        assert machines.texts("desktop") == [TEA]
    finally:
        await machines.off()


def test_who_takes_an_entry_out_is_told_from_a_file_that_is_gone(tmp_path: Path):
    entries = EntryRepository(tmp_path)
    for text in (HOME, TEA, DOG):
        remember(entries, NewEntry(text), who="user")
    ids = {entry.content: id_ for id_, entry in entries.load().entries.items()}
    forget(entries, [ids[HOME]], who="user")
    assert taken_out(entries, ids.values()) == {ids[HOME]}
    delete(entries)
    assert taken_out(entries, ids.values()) == {ids[HOME]}
    remember(entries, NewEntry("The user plays the oboe"), who="user")
    assert taken_out(entries, ids.values()) == {ids[HOME]}
