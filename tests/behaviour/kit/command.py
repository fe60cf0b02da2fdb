"""The command `nanobot-memory`, run in this process as its console script runs it."""

import asyncio
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from nanobot_memory_plugins.core import Clock, SystemClock
from nanobot_memory_plugins.core.cli.main import run_command_line


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object of ``--json``, which is the last line."""
        return json.loads(self.out.strip().splitlines()[-1])

    @property
    def text(self) -> str:
        """All that was printed, on one line."""
        return " ".join(f"{self.out} {self.err}".split())


def option(name: str, *, config: Path | None = None) -> Any:
    """Return the value that an option has."""
    (found,) = run("config", "show", name, "--json", config=config).json["options"]
    return found["value"]


def run(
    *arguments: object,
    workspace: Path | None = None,
    config: Path | None = None,
    clock: Clock | None = None,
    answer: str = "",
) -> Done:
    """Run a command at the time of ``clock``; ``answer`` is what is typed where it asks.

    While a host is open await `run_beside`.
    """
    given = [str(argument) for argument in arguments]
    if workspace is not None:
        given += ["--workspace", str(workspace)]
    stopped = mock.patch.object(SystemClock, "now", return_value=clock.now()) if clock else contextlib.nullcontext()
    with (
        pytest.MonkeyPatch.context() as environment,
        stopped,
        _streams(answer) as (out, err),
        ThreadPoolExecutor(1) as thread,
    ):
        environment.setenv("COLUMNS", "160")
        if config is not None:
            environment.setenv("NANOBOT_MEMORY_CONFIG", str(config))
        # In a thread: a command has an event loop of its own, and an async test has one already.
        status = thread.submit(run_command_line, given).result()
    return Done(status, out.getvalue(), err.getvalue())


async def run_beside(*arguments: object, **more: Any) -> Done:
    """Run a command beside the running event loop, in a thread, as another program would run beside a host."""
    return await asyncio.to_thread(run, *arguments, **more)


@contextlib.contextmanager
def _streams(answer: str) -> Iterator[tuple[io.StringIO, io.StringIO]]:
    out, err = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.StringIO(answer)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield out, err
    finally:
        sys.stdin = before
