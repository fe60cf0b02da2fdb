"""Machines and server are broken off in the middle of it: what a machine has kept reaches everybody, and once."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.fault_rounds import Rounds

pytestmark = pytest.mark.slow

ROUNDS = 8


def test_nothing_that_was_kept_is_lost_or_doubled(binaries: Path, short_folder: Path, tmp_path: Path):
    server = OwnServer(short_folder / "s")  # a safe one: what it has confirmed survives
    with server.running():
        outcome = Rounds(tmp_path, server, writers=2).run(ROUNDS)
    assert outcome.is_good, outcome
    assert len(outcome.breaks) == ROUNDS
