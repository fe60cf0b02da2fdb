"""A command that is killed or edited against at each of its moments, in forks of a process that has everything loaded.

Run as ``python -m tests.behaviour.kit.breaking_off FOLDER WORD KEPT ARGUMENTS...``: FOLDER is that of a `Life`; the
last line of the output is a JSON object.
"""

import asyncio
import contextlib
import io
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import MemoryHost, load_config
from nanobot_memory_plugins.core.cli.main import run_command_line

_WRITES = {"os.rename", "os.remove", "os.link", "os.truncate"}
_PATIENCE = 60.0


def broken_off(folder: Path, word: str, kept: str, *arguments: str) -> dict[str, Any]:
    """Run a command that removes ``word`` as a test of it needs, and return what was seen."""
    command = [sys.executable, "-m", "tests.behaviour.kit.breaking_off", str(folder), word, kept, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert done.returncode == 0, done.stderr[-2_000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


class _Bench:
    def __init__(self, folder: Path, word: str, kept: str, arguments: list[str]) -> None:
        self.folder, self.word, self.kept, self.arguments = folder, word.encode(), kept.encode(), arguments
        self.workspace = folder / "copy"

    def fresh(self) -> None:
        shutil.rmtree(self.workspace, ignore_errors=True)
        shutil.copytree(self.folder / "workspace", self.workspace)

    def holders(self, word: bytes) -> list[str]:
        files = [path for path in self.workspace.rglob("*") if path.is_file()]
        names = (str(path.relative_to(self.workspace)) for path in files if word in path.read_bytes())
        # SQLite moves what it holds from its log into its file by itself.
        return sorted({name.removesuffix("-wal") for name in names})

    def warm(self) -> None:
        """Load here what every fork would load, and wait until all threads have ended."""
        self.fresh()
        self.start()
        with contextlib.redirect_stdout(io.StringIO()):
            self.run()
        for thread in threading.enumerate():
            if thread is not threading.main_thread():
                thread.join(_PATIENCE)

    def run(self) -> int:
        given = ["--workspace", str(self.workspace), "--config", str(self.folder / "config.json")]
        return run_command_line([*self.arguments, *given])

    def start(self) -> None:
        """Be the next start of a host."""

        async def start() -> None:
            async with MemoryHost(self.workspace, config=load_config(self.folder / "config.json")) as memory:
                await memory.flush_index()

        asyncio.run(start())

    def killed_at(self, moment: int) -> bool:
        """Kill the command with its own signal 9 before the change of a file with this number."""
        seen = 0

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal seen
            if _changes(event, arguments, self.workspace):
                seen += 1
                if seen > moment:
                    os.kill(os.getpid(), signal.SIGKILL)

        return _forked(lambda: (sys.addaudithook(hook), self.run())) == -signal.SIGKILL

    def edited_beside(self, file: Path) -> list[str]:
        """Let a person add lines to a file whenever it was read and the next thing is written; return what is lost.

        Of six times one is left out: who writes all the time may be told that it cannot be done.
        """
        added = self.folder / "added.txt"
        added.write_text("", encoding="utf-8")
        is_read = is_mine = False
        times = 0

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal is_read, is_mine, times
            if is_mine or times > 40:
                return
            if event == "open" and Path(os.fsdecode(arguments[0]) if _is_path(arguments[0]) else "") == file:
                is_read = True
            elif is_read and _changes(event, arguments, self.workspace) and _last(arguments).parent == file.parent:
                is_mine, times = True, times + 1
                for one in (file, added) if times % 6 else ():
                    with one.open("a", encoding="utf-8") as editor:
                        editor.write(f"Line {times} of an editor.\n")
                is_mine = is_read = False

        _forked(lambda: (sys.addaudithook(hook), self.run()))
        left = file.read_text(encoding="utf-8")
        lines = added.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line not in left] if lines else ["nothing was added"]

    def answered(self, answer: str) -> int:
        """Run the command at a terminal, where somebody types this."""
        master, terminal = pty.openpty()
        os.write(master, answer.encode())

        def work() -> int:
            sys.stdin = os.fdopen(terminal, encoding="utf-8")
            return self.run()

        return _forked(work)


def _is_path(value: object) -> bool:
    return isinstance(value, str | bytes | os.PathLike)


def _last(arguments: tuple[Any, ...]) -> Path:
    paths = [Path(os.fsdecode(one)) for one in arguments[:2] if _is_path(one) and str(one).startswith("/")]
    return paths[-1] if paths else Path()


def _changes(event: str, arguments: tuple[Any, ...], workspace: Path) -> bool:
    writes = event in _WRITES or (event == "open" and bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)))
    return writes and workspace in _last(arguments).parents and _last(arguments).suffix != ".lock"


def _forked(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 70
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(quiet, stream)
        done = work()
        status = done if isinstance(done, int) else 0
    finally:
        os._exit(status)


def main(folder: Path, word: str, kept: str, *arguments: str) -> None:
    """Try everything once, and print what was seen."""
    os.chdir(folder)
    bench = _Bench(folder, word, kept, list(arguments))
    bench.warm()
    bench.fresh()
    all_of_it = bench.holders(bench.word)
    told: dict[str, Any] = {"held": all_of_it, "killed": 0, "finished": 0, "left": [], "lost": []}
    moment = 1
    while True:
        bench.fresh()
        if not bench.killed_at(moment):
            break
        told["killed"] += 1
        begun = bench.holders(bench.word) != all_of_it
        _forked(bench.start)
        left = bench.holders(bench.word)
        if not begun and left:
            _forked(bench.run)
            left = bench.holders(bench.word)
        told["finished"] += begun and not left
        told["left"] += [f"{moment}: {one}" for one in left]
        told["lost"] += [] if bench.holders(bench.kept) else [moment]
        moment += 1 + moment
    bench.fresh()
    told["edits lost"] = bench.edited_beside(bench.workspace / "memory" / "MEMORY.md")
    told["edited"] = (bench.workspace / "memory" / "MEMORY.md").read_text(encoding="utf-8")
    bench.arguments = [one for one in arguments if one != "--yes"]
    for answer in ("n\n", "y\n"):
        bench.fresh()
        bench.answered(answer)
        told[f"answered {answer.strip()}"] = bench.holders(bench.word)
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
