"""Machines, senders, connections and the server broken off in the middle of it: ``python -m tests.postgres``.

Eight writers on two machines are told something all the time. Each round breaks something: a writer, the one that
sends, all of a machine, the connections, the server, by SIGKILL, by a restart, or by standing still; of a pair of
servers also its disk, which is full, and the one for which its standby takes over. In the end what each machine has
kept must be on the server, once, and another tenant's rows must be as they were.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from nanobot_memory_plugins.core import Note
from nanobot_memory_plugins.core.testing import MemoryWorkspace
from nanobot_memory_plugins.postgres.server.launcher import OwnServer
from tests.postgres.neighbour import OWN, rows_of
from tests.postgres.opening import open_shared
from tests.postgres.server_pair import ServerPair

ROOT = Path(__file__).parents[2]
MACHINES = ("laptop", "desktop")
# Between the numbers of two lives of a writer: no life tells so much.
_LIFE = 1_000_000


@dataclass
class Writer:
    """A process that is told something all the time, in one life after another."""

    machine: str
    name: str
    folder: Path
    begin: Callable[["Writer"], subprocess.Popen[bytes]]
    lives: int = 0
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.lives += 1
        self.process = self.begin(self)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @property
    def output(self) -> Path:
        return self.folder / f"{self.name}.{self.lives}.txt"

    @property
    def is_sending(self) -> bool:
        return "sending" in self.output.read_text(encoding="utf-8")

    def kept(self) -> dict[int, str]:
        """Return the numbers that were in a file, with the ids of their records."""
        lines = [line for file in self.folder.glob(f"{self.name}.*.txt") for line in _whole_lines(file)]
        pairs = (line.split() for line in lines if line != "sending")
        return {int(number): id_ for number, id_ in pairs}


def _whole_lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split("\n")[:-1]


@dataclass
class Outcome:
    """What was broken, and what became of what was kept."""

    breaks: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unsent: int = 0
    counted_wrongly: str = ""
    neighbour: str = ""

    @property
    def is_good(self) -> bool:
        return bool(self.kept) and not (
            self.lost or self.doubled or self.unsent or self.counted_wrongly or self.neighbour
        )


class Rounds:
    """Two machines with writers, a server of their own, and what may befall them."""

    def __init__(
        self, folder: Path, server: OwnServer | ServerPair, *, writers: int = 4, seed: int = 11, rest: float = 0.25
    ) -> None:
        self.folder, self.server, self.rest = folder, server, rest
        self.tenant, self._neighbour = uuid.uuid4().hex, uuid.uuid4().hex
        self.chance = random.Random(seed)
        self.is_enough = False
        self.writers = [
            Writer(machine, f"{machine}{number}", folder, self._begin)
            for machine in MACHINES
            for number in range(writers)
        ]
        self.breaks: dict[str, Callable[[], None]] = {
            "a writer": lambda: self._kill([self.chance.choice(self.writers)]),
            "the sender": self._kill_sender,
            "a machine": lambda: self._kill(self._of(self.chance.choice(MACHINES))),
            "the connections": self._cut,
            "the server": self._kill_server,
            "the server and a machine": self._kill_both,
            "a restart": self._restart,
            "a server that stands still": self._stand_still,
        }
        if isinstance(server, ServerPair):
            self.breaks["an asynchronous standby takes over"] = lambda: server.fail_over(is_synchronous=False)
            self.breaks["a synchronous standby takes over"] = lambda: server.fail_over(is_synchronous=True)
            if server.has_disks:
                self.breaks["a full disk"] = lambda: server.fill_disk(self.chance.uniform(1, 4))

    def run(self, rounds: int, told: Callable[[str], None] = lambda line: None) -> Outcome:
        """Break something ``rounds`` times, let everything be sent, and compare."""
        outcome = Outcome()
        for machine in MACHINES:
            (self.folder / machine / "memory").mkdir(parents=True)
        before = asyncio.run(self._neighbours_rows())
        try:
            self._break_off(rounds, outcome, told)
        finally:
            self._kill(self.writers, again=False)
        for machine in MACHINES:
            outcome.unsent += asyncio.run(self._send_the_rest(machine))
        self._compare(outcome)
        after = rows_of(self.server, self._neighbour)
        outcome.neighbour = "" if after == before else "the neighbour's rows are not as they were"
        return outcome

    async def _neighbours_rows(self) -> dict[str, list[Any]]:
        """Let another tenant be told something before all, and return what is there of it."""
        workspace = MemoryWorkspace(self.folder / "neighbour")
        workspace.note(Note(OWN), str(uuid.uuid4()))
        store = await open_shared(workspace.path, self.server, self._neighbour, machine=MACHINES[0])
        try:
            await store.flush()
        finally:
            await store.close()
        before = rows_of(self.server, self._neighbour)
        assert before["chunk"]
        return before

    def _break_off(self, rounds: int, outcome: Outcome, told: Callable[[str], None]) -> None:
        for writer in self.writers:
            writer.start()
        self._wait_for_words()
        names = list(self.breaks)
        for number in range(rounds):
            if self.is_enough:
                break
            time.sleep(self.chance.uniform(0.2, 1.2))
            name = names[number % len(names)] if number < len(names) else self.chance.choice(names)
            self.breaks[name]()
            outcome.breaks[name] += 1
            if number % 20 == 19:
                told(f"{number + 1} rounds, {sum(len(one.kept()) for one in self.writers):,} kept")
        self._wait_for_words()

    def _compare(self, outcome: Outcome) -> None:
        with psycopg.connect(self.server.dsn) as connection:
            found = connection.execute(
                "SELECT c.machine, c.text FROM nanobot_memory.chunk c JOIN nanobot_memory.tenant t USING (tenant) "
                "WHERE t.name = %s",
                (self.tenant,),
            ).fetchall()
            records = connection.execute(
                "SELECT r.id::text, r.machine FROM nanobot_memory.record r JOIN nanobot_memory.tenant t USING (tenant) "
                "WHERE t.name = %s",
                (self.tenant,),
            ).fetchall()
            counted = connection.execute(
                "SELECT documents FROM nanobot_memory.tenant WHERE name = %s", (self.tenant,)
            ).fetchone()
        there = Counter((machine, text.split(" of many")[0]) for machine, text in found)
        outcome.doubled = [f"{machine}: {text}" for (machine, text), times in there.items() if times > 1]
        ids = {id_ for id_, _ in records}
        for writer in self.writers:
            kept = writer.kept()
            outcome.kept += len(kept)
            for number, id_ in kept.items():
                if (writer.machine, f"remark {writer.name} number{number}") not in there:
                    outcome.lost.append(f"{writer.name} {number}: its passage")
                if id_ not in ids:
                    outcome.lost.append(f"{writer.name} {number}: its record")
        if counted != (len(found),) or len(records) != len(found):
            outcome.counted_wrongly = f"{len(found)} passages, {len(records)} records, counted {counted}"

    def _begin(self, writer: Writer) -> subprocess.Popen[bytes]:
        arguments = [self.folder / writer.machine, self.server.dsn, self.tenant, writer.machine, writer.name]
        with writer.output.open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.support.telling", *map(str, arguments), str(writer.lives * _LIFE),
                 str(self.rest)],
                cwd=ROOT, stdout=output, stderr=subprocess.DEVNULL,
            )  # fmt: skip

    def _of(self, machine: str) -> list[Writer]:
        return [writer for writer in self.writers if writer.machine == machine]

    def _wait_for_words(self) -> None:
        end = time.monotonic() + 120
        while not all(writer.kept() and _whole_lines(writer.output) for writer in self.writers):
            if time.monotonic() > end:
                raise TimeoutError("a writer has kept nothing")
            time.sleep(0.2)

    def _kill(self, writers: list[Writer], *, again: bool = True) -> None:
        for writer in writers:
            writer.kill()
        for writer in writers if again else ():
            writer.start()

    def _kill_sender(self) -> None:
        self._kill([writer for writer in self.writers if writer.is_sending][:1] or self.writers[:1])

    def _cut(self) -> None:
        with suppress(psycopg.Error), psycopg.connect(self.server.administrator_dsn, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'memory'")

    def _kill_server(self) -> None:
        os.kill(self.server.status().process, signal.SIGKILL)
        time.sleep(0.2)
        self.server.start()

    def _kill_both(self) -> None:
        os.kill(self.server.status().process, signal.SIGKILL)
        self._kill(self._of(self.chance.choice(MACHINES)))
        time.sleep(0.2)
        self.server.start()

    def _restart(self) -> None:
        self.server.stop()
        time.sleep(self.chance.uniform(0, 1))
        self.server.start()

    def _stand_still(self) -> None:
        process = self.server.status().process
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
        stopped = [process, *map(int, children)]
        for one in stopped:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGSTOP)
        time.sleep(self.chance.uniform(0.5, 3))
        for one in stopped:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGCONT)

    async def _send_the_rest(self, machine: str) -> int:
        store = await open_shared(self.folder / machine, self.server, self.tenant, machine=machine)
        try:
            await store.flush()
            status = store.status()
            return (status.unsent_bytes or 0) + (status.kept != "shared")
        finally:
            await store.close()
