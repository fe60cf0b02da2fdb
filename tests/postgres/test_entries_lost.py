"""A file of entries that is gone is no order to forget them: it is written anew from what the machines share."""

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from nanobot_memory_plugins.consolidation.operations.exchange import taken_out
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, forget, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import Erasure
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.test_entries import HOME, MACHINES, TEA, Machines, machines, until  # noqa: F401  # a fixture

DOG = "The user has a dog called Elver"


def delete(entries: EntryRepository) -> None:
    entries.path.unlink()


def delete_with_copies(entries: EntryRepository) -> None:
    shutil.rmtree(entries.paths.memory)


def empty(entries: EntryRepository) -> None:
    entries.path.write_bytes(b"")


def empty_with_copies(entries: EntryRepository) -> None:
    path = entries.path
    shutil.rmtree(entries.paths.memory / ".entries")
    path.with_name(f"{path.name}.bak").unlink(missing_ok=True)
    path.write_bytes(b"")


LOSSES = (delete, delete_with_copies, empty, empty_with_copies)


@pytest.mark.parametrize("lose", LOSSES)
async def test_a_file_that_is_lost_while_an_agent_runs_comes_back(
    machines: Machines,  # noqa: F811
    lose: Callable[[EntryRepository], None],
):
    laptop, _ = await machines.on(*MACHINES)
    try:
        machines.tell("laptop", HOME)
        machines.tell("laptop", TEA)
        await machines.all_have(HOME, TEA)
        lose(machines.entries("laptop"))
        machines.tell("desktop", DOG)
        await machines.all_have(DOG, HOME, TEA)
        if lose is not empty:  # the exchange notes it a moment after the file is whole again
            await until(lambda: "rebuilt" in machines.agreed("laptop"))
        told = [one.state for one in await laptop.diagnose() if one.subject == "shared memory: entries"]
        assert bool(told) == (lose is not empty)  # an empty file is mended from its copy beside it
        assert all(one.startswith("2 that were gone from this machine's file came back") for one in told)
    finally:
        await machines.off()


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


async def test_doctor_tells_of_a_loss_that_nothing_has_mended_yet(server: OwnServer, tmp_path: Path):
    from nanobot_memory_plugins.core.host.inspection import Inspection

    machines = Machines(tmp_path, server, uuid.uuid4().hex)  # noqa: F811
    await machines.on("laptop")
    id_ = machines.tell("laptop", HOME)
    try:
        await until(lambda: id_ in machines.agreed("laptop"))
    finally:
        await machines.off()
    delete(machines.entries("laptop"))
    async with Inspection(tmp_path / "laptop", config=machines.host("laptop").config) as seen:
        told = [one for one in await seen.findings() if one.subject == "shared memory: entries"]
    assert [one.state for one in told] == ["1 are gone from this machine's file, and nobody took them out"]
    assert "nanobot-memory postgres send" in told[0].hint


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
