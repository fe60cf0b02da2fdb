"""Rounds in which a forgetting for good is broken off, by Ctrl-C or kill -9, while a conversation may go on.

Run as ``python -m tests.erasure.broken_off ROUNDS SEED FOLDER``: the last line of its output is a JSON object. Every
command runs in a fork of this process, which has imported everything and started nothing.
"""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember
from nanobot_memory_plugins.consolidation.store.pending_sessions import Pending
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Query
from nanobot_memory_plugins.core.cli.main import run_command_line
from nanobot_memory_plugins.core.values import Message, Origin, Scope
from tests.support.files_of import contents_of, holders_of

NAME = "Zanzibarina"
WORDS = f"the user's therapist is {NAME} Krieger in Marzipan Alley"
NEEDLES = tuple(one.encode() for one in (NAME, NAME.lower(), NAME.upper(), "Marzipan Alley", "zanzibarin"))
PLUGINS = {"nanobot": {"enabled": False}, "storage": {"embeddingProvider": "none"}, "recall": {"recallTimeout": 30}}
CONFIG = MemoryConfig.model_validate({"plugins": PLUGINS, "core": {"messageLimit": 60}})
SESSIONS, MESSAGES, ENTRIES = 12, 8, 5
# Seconds within which a command is broken off, counted from its start, and from the moment at which it has begun.
_FROM_START, _FROM_BEGIN = 0.8, 0.4
_PATIENCE = 120.0


async def _fill(workspace: Path) -> str:
    async with MemoryHost(workspace, config=CONFIG) as host:
        for session in range(SESSIONS):
            for number in range(MESSAGES):
                text = f"Record {session}-{number}: the harbour master of pier {session * MESSAGES + number} waves."
                if number == session % MESSAGES and session % 2:
                    text += f" By the way, {WORDS}. Good night."
                await host.message_received(session_key=f"cli:{session}", text=text)
        await host.keep(Note(tldr=WORDS, details=f"- seen\n- {WORDS}", origin=Origin.USER), session_key="cli:1")
        await host.keep(Note(tldr="Kept note of the day", origin=Origin.USER), session_key="cli:1")
        repository = EntryRepository(workspace)
        Pending(repository.paths).add("cli:one", [Message("user", WORDS), Message("user", "Kept waiting.")], Scope())
        for number in range(ENTRIES):
            remember(
                repository,
                NewEntry(f"Kept entry {number}: the user collects stamps of year {1900 + number}"),
                who="user",
            )
        gone = remember(repository, NewEntry(WORDS), who="user").entry.id
        await host.flush_index()
    return gone


async def _go_on(workspace: Path) -> None:
    """Be a host whose own history holds the words, and which goes on until it is killed."""
    history = [{"role": "user", "content": f"By the way, {WORDS}."}, {"role": "assistant", "content": "I see."}]
    async with MemoryHost(workspace, config=CONFIG) as host:
        for number in range(10_000):
            text = f"Said meanwhile {number}."
            await host.message_received(session_key="cli:live", text=text, history=history)
            history.append({"role": "user", "content": text})
            if number % 3 == 1:
                await host.session_idle(session_key="cli:live", history=history)
            if number % 5 == 2:
                await host.before_compaction(
                    session_key="cli:live", messages=history, context_window=8_000, reason="token_pressure"
                )
            await asyncio.sleep(0.02)


async def _start_again(workspace: Path, answer: Path) -> None:
    """Be the next start: say what is recalled, and which entries there are."""
    async with MemoryHost(workspace, config=CONFIG) as host:
        await host.flush_index()
        hits = [hit.text for hit in (await host.search(Query(text=f"{NAME} therapist Marzipan", limit=50))).hits]
        context = await host.message_received(session_key="cli:new", text="Who is my therapist, and where?")
    recalled = [text for text in (*hits, context.block or "") if any(one in text.encode() for one in NEEDLES)]
    entries = [one.content for one in EntryRepository(workspace).load().entries.values()]
    told = json.dumps({"recalled": recalled, "entries": entries})
    await asyncio.to_thread(answer.write_text, told, encoding="utf-8")


def _forked(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return child
    status = 70
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        done = work()
        status = done if isinstance(done, int) else 0
    except KeyboardInterrupt:
        status = 130
    finally:
        os._exit(status)


def _wait(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _done(work: Callable[[], object]) -> int:
    return _wait(_forked(work))


def _is_over(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def holders(workspace: Path) -> list[str]:
    """Return the files that hold a byte of the words."""
    return holders_of(workspace, *NEEDLES)


def lost(workspace: Path, entries: list[str]) -> list[str]:
    """Return what else was there and is not any more."""
    said = b"".join(contents_of(workspace / "memory").values())
    records = [f"Record {session}-{number}: the" for session in range(SESSIONS) for number in range(MESSAGES)]
    missing = [one for one in [*records, "Kept note of the day", "Kept waiting."] if one.encode() not in said]
    return missing + [f"entry {n}" for n in range(ENTRIES) if not any(f"Kept entry {n}:" in one for one in entries)]


def one_round(template: Path, gone: str, workspace: Path, draw: random.Random) -> dict[str, object]:
    """Break one command off, start again, and return what is wrong."""
    shutil.copytree(template, workspace)
    kind = draw.choice(["id", "text", "text", "forget"])
    command = {
        "id": ["purge", gone, "--yes"],
        "text": ["purge", "--text", NAME, "--text", "Marzipan Alley", "--yes"],
        "forget": ["entries", "forget", gone],
    }[kind]
    command += ["--workspace", str(workspace), "--config", str(template.parent / "config.json")]
    live = _forked(lambda: asyncio.run(_go_on(workspace))) if draw.random() < 0.5 else 0
    record = workspace / "memory" / ".erasure" / "unfinished.json"
    child = _forked(lambda: run_command_line(command))
    if kind != "forget" and draw.random() < 0.75:
        end = time.monotonic() + _PATIENCE
        while not record.exists() and not _is_over(child) and time.monotonic() < end:
            time.sleep(0.001)
        time.sleep(draw.uniform(0, _FROM_BEGIN))
    else:
        time.sleep(draw.uniform(0, _FROM_START))
    sent = draw.choice([signal.SIGKILL, signal.SIGINT])
    os.kill(child, sent)
    status = _wait(child)
    if live:
        os.kill(live, signal.SIGKILL)
        _wait(live)
    begun = record.exists()
    answer = workspace.with_suffix(".json")
    wrong: list[object] = []
    if _done(lambda: asyncio.run(_start_again(workspace, answer))):
        wrong.append("the next start failed")
    first = json.loads(answer.read_text(encoding="utf-8"))
    if kind == "forget" or (status != 0 and not begun and holders(workspace)):
        # Nothing had begun, or nothing was to be forgotten for good: the command can be given again.
        again = ["purge", *command[1:]] if kind != "forget" else ["purge", gone, *command[3:], "--yes"]
        if _done(lambda: run_command_line(again)):
            wrong.append("the same command failed")
        _done(lambda: asyncio.run(_start_again(workspace, answer)))
    last = json.loads(answer.read_text(encoding="utf-8"))
    wrong += [f"recalled: {one}" for one in last["recalled"]]
    wrong += [f"left in {one}" for one in holders(workspace)]
    wrong += [f"lost: {one}" for one in lost(workspace, first["entries"])]
    wrong += ["not ended"] if record.exists() else []
    if not wrong:
        shutil.rmtree(workspace)
    return {"kind": kind, "signal": sent.name, "live": bool(live), "begun": begun, "status": status, "wrong": wrong}


def _warm(template: Path, folder: Path) -> None:
    """Load here what every fork would load, and end all threads again."""
    workspace = folder / "warm"
    shutil.copytree(template, workspace)
    asyncio.run(_start_again(workspace, folder / "warm.json"))
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        command = ["--yes", "--workspace", str(workspace), "--config", str(folder / "config.json")]
        run_command_line(["purge", "--text", NAME, *command])
        run_command_line(["entries", "list", *command[1:3]])
    end = time.monotonic() + _PATIENCE
    while threading.active_count() > 1 and time.monotonic() < end:
        time.sleep(0.05)


def main(rounds: int, seed: int, folder: Path) -> None:
    """Run the rounds, and print what was wrong."""
    os.environ |= {"NANOBOT_MEMORY_PLUGINS": "storage,recall,flush,consolidation", "HOME": str(folder)}
    os.chdir(folder)
    (folder / "config.json").write_text(json.dumps({"memoryPlugins": PLUGINS}), encoding="utf-8")
    template, told = folder / "template", folder / "gone"
    (template / "memory").mkdir(parents=True)
    if _done(lambda: told.write_text(asyncio.run(_fill(template))) and None):
        raise SystemExit("the workspace could not be made")
    _warm(template, folder)
    draw = random.Random(seed)
    found = [one_round(template, told.read_text(), folder / f"round-{n}", draw) for n in range(rounds)]
    begun = sum(bool(one["begun"]) for one in found)
    wrong = [one for one in found if one["wrong"]]
    sys.stdout.write(json.dumps({"rounds": rounds, "broken_off": begun, "wrong": wrong}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
