"""Machines and server are killed in the middle of it: what a machine has kept reaches everybody, and once."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psycopg
import pytest

from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.opening import open_shared

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MACHINES = ("laptop", "desktop")
ROUNDS = int(os.environ.get("NANOBOT_MEMORY_ROUNDS", "6"))


def begin(folder: Path, server: OwnServer, tenant: str, machine: str, number: int) -> subprocess.Popen[bytes]:
    arguments = [str(folder / machine), server.dsn, tenant, machine, str(number)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.telling", *arguments],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


async def send_the_rest(folder: Path, server: OwnServer, tenant: str, machine: str) -> None:
    store = await open_shared(folder, server, tenant, machine=machine)
    await store.flush()
    await store.close()


def test_nothing_that_was_kept_is_lost_or_doubled(binaries: Path, short_folder: Path, tmp_path: Path):
    chance, tenant = random.Random(11), uuid.uuid4().hex
    server = OwnServer(short_folder / "s")  # a safe one: what it has confirmed survives
    kept: dict[str, set[int]] = {machine: set() for machine in MACHINES}
    for machine in MACHINES:
        (tmp_path / machine / "memory").mkdir(parents=True)
    with server.running():
        for _ in range(ROUNDS):
            running = {
                machine: begin(tmp_path, server, tenant, machine, max(kept[machine], default=-1) + 1000)
                for machine in MACHINES
            }
            for process in running.values():
                assert process.stdout is not None
                process.stdout.readline()
            time.sleep(chance.uniform(0.3, 1.5))
            victims = chance.choice([("server",), ("laptop",), ("server", "desktop"), ("laptop", "desktop")])
            if "server" in victims:
                os.kill(server.status().process, signal.SIGKILL)
                time.sleep(0.2)
                server.start()
                time.sleep(chance.uniform(0.1, 1.0))
            for machine, process in running.items():
                process.kill()
                printed, _ = process.communicate()
                kept[machine] |= {int(line) for line in printed.split(b"\n")[:-1] if line}
        for machine in MACHINES:
            asyncio.run(send_the_rest(tmp_path / machine, server, tenant, machine))
        with psycopg.connect(server.dsn) as connection:
            sql = "SELECT c.machine, c.text FROM nanobot_memory.chunk c JOIN nanobot_memory.tenant t USING (tenant)"
            found = [(m, text) for m, text in connection.execute(sql) if text.startswith("remark ")]
            counted = connection.execute("SELECT documents FROM nanobot_memory.tenant").fetchone()
    assert len(found) == len(set(found))
    assert counted == (len(found),)
    for machine in MACHINES:
        there = {int(text.split("number")[1].split()[0]) for m, text in found if m == machine}
        assert len(kept[machine]) > ROUNDS
        assert kept[machine] <= there
