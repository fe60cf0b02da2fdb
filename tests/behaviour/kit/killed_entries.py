"""Records and entries that two processes write while people edit and forget, killed at random moments.

Run as ``python -m tests.behaviour.kit.killed_entries FOLDER ROUNDS SEED``: FOLDER is that of a `Life`; the last line of
the output is a JSON object.
"""

import asyncio
import contextlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import MemoryHost, Note, load_config
from nanobot_memory_plugins.core.cli.main import run_command_line
from tests.behaviour.kit.life import Conversation
from tests.behaviour.kit.model import forget_call, remember_call

_ROOT = Path(__file__).parents[3]
_WORD = re.compile(r"\block (\w+x\d+)\b")
_RECORD = re.compile(r"\b(?:begin|end)(\w+x\d+)\b")


def killed_entries(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """Run the rounds, and return what was seen: what was lost, doubled or came back, and how much was done."""
    command = [sys.executable, "-m", "tests.behaviour.kit.killed_entries", str(folder), str(rounds), str(seed)]
    environment = {**os.environ, "NANOBOT_MEMORY_PLUGINS": "consolidation,observation,storage"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=_ROOT, env=environment)
    assert done.returncode == 0, done.stderr[-2_000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


async def _live(folder: Path, name: str, told: int) -> None:
    """Keep records, remember, edit by hand and forget until a kill; tell of what was acknowledged."""

    def say(what: str, word: str) -> None:
        os.write(told, f"{what} {word}\n".encode())

    workspace, config = folder / "workspace", folder / "config.json"
    async with MemoryHost(workspace, config=load_config(config)) as memory:
        talk = Conversation(memory, f"cli:{name}")
        for number in range(10_000):
            word = f"{name}x{number}"
            if await _keep_record(memory, f"cli:records-{name}", number, word):
                say("recorded", word)
            said = f"My lock {word} is green."
            await talk.hear(said)
            say("begins", word)
            answer = await talk.call(remember_call(f"The user's lock {word} is green", said))
            if found := re.search(r"\[(\w+)\]", answer):
                say("remembered", word)
            if number % 4 == 1 and found:
                say("forgets", word)
                answer = await talk.call(forget_call(found[1]))
                if found[1] in answer and "Error" not in answer:
                    say("forgotten", word)
            if number % 3 == 2:
                _edit(workspace / "memory" / "ENTRIES.md", f"{name}h{number}")


async def _keep_record(memory: MemoryHost, session: str, number: int, word: str) -> bool:
    """Keep a message, an answer, a note or what a tool did, and say whether it was acknowledged."""
    text = f"begin{word} {'wind and waves ' * (number % 40)} end{word}"
    match number % 4:
        case 0:
            receipt = (await memory.message_received(session_key=session, text=text)).receipt
        case 1:
            receipt = await memory.message_sent(session_key=session, text=text)
        case 2:
            receipt = await memory.keep(Note(f"begin{word}", f"end{word}"), session_key=session)
        case _:
            result = f"{'a list of what there is, ' * 12}\n{text}"
            receipt = await memory.tool_executed(session_key=session, tool_name="exec", arguments={}, result=result)
    return receipt.stored


def _edit(file: Path, word: str) -> None:
    """Add an entry at the end, as somebody with an editor does who has just opened the file."""
    with contextlib.suppress(OSError), file.open("a", encoding="utf-8") as editor:
        editor.write(f"\n## Active Memories\n\n### [{word}] fact | 0.80 | 2026-02-16 | 0\nwritten by hand, {word}\n")


def _round(folder: Path, number: int, chance: random.Random) -> list[str]:
    """Let two processes live, kill them one after the other, and return the lines that they told."""
    ends: list[tuple[int, int]] = []
    for which in range(2):
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(reading)
            asyncio.run(_live(folder, f"r{number}p{which}", writing))
            os._exit(0)
        os.close(writing)
        ends.append((pid, reading))
    lines: list[str] = []
    for pid, reading in ends:
        with os.fdopen(reading, encoding="utf-8") as pipe:
            lines.append(pipe.readline())  # it has begun
            time.sleep(chance.uniform(0.0, 0.4))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            lines += pipe.readlines()
    return lines


def _words(folder: Path) -> tuple[Counter[str], list[str]]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        run_command_line(["entries", "list", "--json", "--workspace", str(folder / "workspace")])
    listed = json.loads(out.getvalue().splitlines()[-1])
    texts: Iterator[str] = (one["content"] for one in listed["entries"])
    return Counter(word for text in texts for word in _WORD.findall(text)), list(listed["problems"])


def _records(folder: Path) -> Counter[str]:
    """Count the words with which records begin and end, over all files that people read."""
    memory = folder / "workspace" / "memory"
    files = [*memory.glob("2*.md"), *(memory / "sessions").glob("*.jsonl")]
    return Counter(word for file in files for word in _RECORD.findall(file.read_text(encoding="utf-8")))


def main(folder: Path, rounds: int, seed: int) -> None:
    """Do all the rounds, and print what was seen."""
    chance = random.Random(seed)
    known: dict[str, set[str]] = {what: set() for what in ("recorded", "remembered", "forgets", "forgotten")}
    told: dict[str, Any] = {"lost": [], "doubled": [], "back": [], "problems": []}
    for number in range(rounds):
        for line in _round(folder, number, chance):
            what, _, word = line.strip().partition(" ")
            if what in known:
                known[what].add(word)
        there, problems = _words(folder)
        records = _records(folder)
        held = known["remembered"] - known["forgets"]
        told["lost"] += [f"{number}: {word}" for word in sorted(held) if not there[word]]
        told["lost"] += [f"{number}: record {word}" for word in sorted(known["recorded"]) if records[word] < 2]
        told["doubled"] += [f"{number}: {word}" for word, times in there.items() if times > 1]
        told["doubled"] += [f"{number}: record {word}" for word, times in records.items() if times > 2]
        told["back"] += [f"{number}: {word}" for word in sorted(known["forgotten"]) if there[word]]
        told["problems"] += problems
    told |= {"remembered": len(known["remembered"]), "recorded": sorted(known["recorded"])}
    print(json.dumps(told))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
