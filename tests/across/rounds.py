"""Rounds of several hosts over one workspace: all are told, some are killed, each is asked what others were told."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

from tests.across.facts import Fact, numbers_in
from tests.across.hosts import Host

# Seconds within which a host finds what another was told; whoever held the index may just have been killed.
FOUND_WITHIN = 30.0
# A kill comes so many seconds after the message, at most.
_LATEST_KILL = 0.6
_FIRST_NUMBER = 10_000
_HOSTS_NUMBERS = 10_000


@dataclass(slots=True)
class Told:
    """What one host was told."""

    facts: list[Fact] = field(default_factory=list)
    confirmed: list[Fact] = field(default_factory=list)
    kills: int = 0


@dataclass(slots=True)
class Outcome:
    """How the rounds went. ``lost`` says in words what should not have happened."""

    rounds: int = 0
    told: int = 0
    confirmed: int = 0
    kills: int = 0
    asked: int = 0
    slowest: float = 0.0
    lost: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """Return it in a line."""
        return (
            f"{self.rounds} rounds, {self.told} facts told, {self.confirmed} acknowledged, {self.kills} kills; "
            f"{self.asked} asked of another host, the slowest found after {self.slowest:.1f} s; "
            f"{len(self.lost)} lost or doubled"
        )


def run_rounds(hosts: Sequence[Host], workspace: Path, *, rounds: int, told: int = 4, seed: int = 1) -> Outcome:
    """Tell each host ``told`` facts in each round, all hosts at once, and kill one or two of them amid one."""
    outcome, draw = Outcome(rounds), random.Random(seed)
    logs = [Told() for _ in hosts]
    for _ in range(rounds):
        doomed = set(draw.sample(range(len(hosts)), draw.randint(1, min(2, len(hosts)))))
        threads = [
            _Teller(host, number, logs[number], told, random.Random(draw.random()) if number in doomed else None)
            for number, host in enumerate(hosts)
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        outcome.lost += [one.failure for one in threads if one.failure]
        if outcome.lost:
            break
        _ask_each_other(hosts, logs, outcome)
    for host in hosts:
        host.settle()
        host.close()
    for host, log in zip(hosts, logs, strict=True):
        outcome.told += len(log.facts)
        outcome.confirmed += len(log.confirmed)
        outcome.kills += log.kills
        outcome.lost += [f"{host.name}: {what}" for what in _faults(host, log, workspace)]
    return outcome


class _Teller(threading.Thread):
    """Tells one host its facts of a round; with ``dice`` it is killed amid one of them."""

    def __init__(self, host: Host, number: int, log: Told, count: int, dice: random.Random | None) -> None:
        super().__init__(name=host.name)
        self._host, self._log, self._count, self._dice = host, log, count, dice
        self._first = _FIRST_NUMBER + number * _HOSTS_NUMBERS + len(log.facts)
        self.failure = ""

    def run(self) -> None:
        deadly = self._dice.randrange(self._count) if self._dice else None
        try:
            for n in range(self._count):
                fact = Fact(self._first + n, is_order=self._host.takes_orders and n % 2 == 1)
                self._log.facts.append(fact)
                after = self._dice.uniform(0, _LATEST_KILL) if self._dice and n == deadly else None
                self._log.kills += after is not None
                if self._host.tell(fact, after):
                    self._log.confirmed.append(fact)
                elif after is None:
                    raise AssertionError(f"no answer to {fact.told!r}")
        except Exception as error:
            self.failure = f"{self._host.name}: {type(error).__name__}: {error}"


def _ask_each_other(hosts: Sequence[Host], logs: Sequence[Told], outcome: Outcome) -> None:
    """Ask each host for the newest that each other was told."""
    for (teller, log), (asker, _) in permutations(list(zip(hosts, logs, strict=True)), 2):
        if not log.confirmed:
            continue
        fact, began = log.confirmed[-1], time.monotonic()
        while not (is_found := fact.stands_in(asker.ask(fact))) and time.monotonic() - began < FOUND_WITHIN:
            time.sleep(0.2)
        outcome.asked += 1
        outcome.slowest = max(outcome.slowest, time.monotonic() - began)
        if not is_found:
            outcome.lost.append(f"{asker.name} does not find what {teller.name} was told: {fact.fact}")


def _faults(host: Host, log: Told, workspace: Path) -> Iterable[str]:
    """Say what of a host's facts is not in the files, or is there twice."""
    records = [
        json.loads(line)
        for file in sorted(workspace.glob("memory/sessions/*.jsonl"))
        for line in file.read_text(encoding="utf-8").split("\n")
        if line
    ]
    said = Counter(record["text"] for record in records)
    # What was taken in from a host's own record is kept, and no order in it is carried out: others may have followed.
    resumed = {record["text"] for record in records if record.get("resumed")}
    entries = numbers_in((workspace / "memory" / "ENTRIES.md").read_text(encoding="utf-8").splitlines())
    for fact in log.facts:
        places = {"answer": said[fact.answer], "message": said[fact.told]} if host.takes_orders else {}
        if fact.is_order or not host.takes_orders:
            places["entry"] = entries[fact.number]
        for what, times in places.items():
            is_excused = what == "entry" and fact.told in resumed
            if times > 1 or (times == 0 and fact in log.confirmed and not is_excused):
                yield f"the {what} of {fact.told!r} is there {times} times"
