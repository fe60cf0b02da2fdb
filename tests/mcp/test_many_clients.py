"""Many clients at once, each with a server of its own over one workspace, and servers killed amid their calls.

What was confirmed is there, once; what was not confirmed is there at most once; every answer comes within its bounds.
`NANOBOT_MEMORY_LONG=1` makes a thousand calls of eight clients with twenty kills, and not 20 of two with one.
"""

import json
import os
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.mcp.server import CALL_SECONDS
from nanobot_memory_plugins.mcp.tools import ANSWER_CHARACTERS
from tests.support.mcp_clients import LineClient, ServedWorkspace

CLIENTS, CALLS, KILLS = (8, 1_000, 20) if os.environ.get("NANOBOT_MEMORY_LONG") else (2, 20, 1)
# How often a call is made once more that was refused since others were writing, and what such an answer says.
REFUSED, LOCKED = 3, "nothing was remembered. The entries are locked by another process."
PLACES = ("attic", "barn", "cellar", "dairy", "eaves", "forge", "garage", "hall")


@dataclass
class Record:
    """What one client has done and seen."""

    calls: int = 0
    kills: int = 0
    confirmed: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0
    longest: int = 0


class BusyClient(threading.Thread):
    """Remembers and searches in turn; at some calls its server is killed before it can answer, and started again."""

    def __init__(self, served: ServedWorkspace, number: int, calls: int, kills: int) -> None:
        super().__init__(name=f"client {number}")
        self.served, self.number, self.record = served, number, Record()
        self.dice = random.Random(number)
        self.todo = [n % 2 == 0 for n in range(calls)]  # whether it remembers
        self.deadly = set(self.dice.sample(range(calls), kills))
        self.client: LineClient | None = None

    def run(self) -> None:
        try:
            for n, remembers in enumerate(self.todo):
                self.call(n, remembers)
        except Exception as error:
            self.record.failures.append(f"{type(error).__name__}: {error}")
        finally:
            if self.client is not None:
                self.client.kill()

    def call(self, n: int, remembers: bool) -> None:
        text = f"Box {self.number * 10_000 + n} of the user stands in the {PLACES[self.number]} behind shelf {n}"
        name, given = ("remember", {"text": text}) if remembers else self.question()
        client = self.connected()
        if n in self.deadly:
            client.send("tools/call", {"name": name, "arguments": given})
            time.sleep(self.dice.random() * 0.1)
            client.kill()
            self.client = None
            self.record.kills += 1
            client = self.connected()
        began = time.monotonic()
        answer = client.call(name, **given)
        for _ in range(REFUSED):  # eight at once on a busy machine: a write may be told that the others have the file
            self.record.slowest = max(self.record.slowest, time.monotonic() - began)
            said = answer["content"][0]["text"]
            if not (answer["isError"] and LOCKED in said):
                break
            began = time.monotonic()
            answer = client.call(name, **given)
        said = answer["content"][0]["text"]
        self.record.longest = max(self.record.longest, len(said))
        self.record.calls += 1
        if answer["isError"]:
            self.record.failures.append(said)
        elif remembers:
            self.record.confirmed.append(text)

    def question(self) -> tuple[str, dict[str, object]]:
        place = self.dice.choice(PLACES)
        return "memory_search", {"query": f"which box stands in the {place}?", "limit": 30}

    def connected(self) -> LineClient:
        if self.client is None:
            self.client = self.served.process()
            self.client.hello()
            self.client.ask("tools/list")  # it answers once the memory is open
        return self.client


def run_clients(served: ServedWorkspace) -> list[Record]:
    shares = [KILLS // CLIENTS + (n < KILLS % CLIENTS) for n in range(CLIENTS)]
    threads = [BusyClient(served, n, CALLS // CLIENTS, share) for n, share in enumerate(shares)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [thread.record for thread in threads]


def check(served: ServedWorkspace, records: list[Record], capsys) -> None:
    assert [one for record in records for one in record.failures] == []
    assert sum(record.calls for record in records) == CALLS
    assert sum(record.kills for record in records) == KILLS
    assert max(record.slowest for record in records) < CALL_SECONDS
    assert max(record.longest for record in records) <= ANSWER_CHARACTERS
    capsys.readouterr()
    assert run_command_line(["entries", "list", "--workspace", str(served.workspace), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert not listed["problems"]
    found = Counter(one["content"] for one in listed["entries"])
    confirmed = [text for record in records for text in record.confirmed]
    assert [text for text in confirmed if found[text] != 1] == []
    assert set(found) == set(confirmed)


def test_clients_lose_and_double_nothing_when_servers_are_killed(served, capsys):
    records = run_clients(served)
    check(served, records, capsys)
