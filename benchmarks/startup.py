"""The cost of a start: the bridge compared to nanobot, and commands compared to the packages of every command line.

For the bridge, the seconds to import it with nanobot minus the seconds to import nanobot. For commands, the processor
time of a process compared to one that only imports typer, rich and pydantic, with all modules compiled, as an installer
leaves them. Compared processes take turns, so that load affects all of them.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import report
from nanobot_memory_plugins.storage.embedding.installation import CACHE_VARIABLE, cache_directory
from nanobot_memory_plugins.tools.demo.scenario import recalled_blocks
from nanobot_memory_plugins.tools.scripted_model import ScriptedServer
from tests.support.nanobot import Installation

REPETITIONS = 9
HOST = "import nanobot.agent.loop, nanobot.cli.commands"
BRIDGE = f"{HOST}; import nanobot_memory_plugins.bridge.connection"
BARE = ("-c", "import typer, rich, pydantic")
COMMAND = ("-m", "nanobot_memory_plugins.core.cli")
QUESTION = "where does the tea grow?"
# A fact from an earlier process, and a question that shares no word with it.
SAID, MEANT = "My daughter is allergic to peanuts.", "我女儿对什么过敏？"
# The arguments of a command, and its bound as a multiple of the bare processor time. A command that loads the model has
# no bound, since the model's library alone takes as long as a whole search by words.
COMMANDS = {
    ("--version",): 3.0,
    ("--help",): 3.0,
    ("entries", "list"): 3.0,
    ("search", QUESTION, "--no-embeddings"): 5.5,
    ("why", QUESTION, "--no-embeddings"): 6.0,
    ("search", QUESTION): None,
    ("why", QUESTION): None,
}


def _seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    return time.perf_counter() - started


def _processor_seconds(compiled: Path, *arguments: str) -> float:
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(compiled), "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report_bridge() -> None:
    """Print the median of the time that the bridge adds to nanobot's start."""
    _seconds(BRIDGE)
    differences, hosts = [], []
    for _ in range(REPETITIONS):
        host = _seconds(HOST)
        hosts.append(host)
        differences.append(_seconds(BRIDGE) - host)
    report("import of nanobot alone", statistics.median(hosts) * 1000, "ms")
    report("the bridge adds", statistics.median(differences) * 1000, "ms", limit=300)


def report_commands(folder: Path) -> None:
    """Print the median processor time of each command in a small workspace, compared to the bare one."""
    workspace, compiled = folder / "workspace", folder / "compiled"
    (workspace / "memory").mkdir(parents=True)
    said = "### 2026-02-16 10:00\ntype: fact\n\nThe tea grows on the northern slope.\n"
    (workspace / "memory" / "2026-02-16.md").write_text(said, encoding="utf-8")
    runs = {("bare",): BARE} | {
        given: (*COMMAND, *given, *(() if given[0].startswith("-") else ("--workspace", str(workspace))))
        for given in COMMANDS
    }
    for run in runs.values():
        _processor_seconds(compiled, *run)
    taken: dict[tuple[str, ...], list[float]] = {given: [] for given in runs}
    for _ in range(REPETITIONS):
        for given, run in runs.items():
            taken[given].append(_processor_seconds(compiled, *run))
    bare = statistics.median(taken["bare",])
    report("importing typer, rich and pydantic", bare * 1000, "ms")
    for given, most in COMMANDS.items():
        report(f"{' '.join(given)}, beside that", statistics.median(taken[given]) / bare, "x", limit=most)


def report_first_message(folder: Path) -> None:
    """Print the processor time of ``nanobot agent -m`` with the memory, compared to the same with the bridge off.

    The question is in another language than the fact, so that a recalled block proves that vectors were used.
    """
    taken: dict[str, list[float]] = {"with": [], "without": []}
    recalled, cache = 0, {CACHE_VARIABLE: str(cache_directory())}
    with ScriptedServer(default="Noted.") as server:
        places = {
            "with": Installation(folder / "with", server, {}),
            "without": Installation(folder / "without", server, {"nanobot": {"enabled": False}}),
        }
        places["with"].agent(SAID, session="cli:before", **cache)
        index = ("index", "--workspace", str(places["with"].workspace))
        subprocess.run([sys.executable, *COMMAND, *index], check=True, capture_output=True)
        for round_ in range(REPETITIONS):
            for name, nanobot in places.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                nanobot.agent(MEANT, session=f"cli:{round_}", **cache)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                taken[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                blocks = recalled_blocks(server.requests[-1])
                recalled += name == "with" and any(SAID in block for block in blocks)
    alone = statistics.median(taken["without"])
    report("nanobot agent -m without the set", alone * 1000, "ms")
    report("nanobot agent -m with it, beside that", statistics.median(taken["with"]) / alone, "x", limit=1.25)
    report("first messages recalled by meaning", recalled / REPETITIONS, "", limit=None)


def main() -> None:
    """Print all of it."""
    report_bridge()
    with tempfile.TemporaryDirectory() as folder:
        report_commands(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        report_first_message(Path(folder))


if __name__ == "__main__":
    main()
