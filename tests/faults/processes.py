"""Writers as processes of their own: started, watched, stopped, killed by their id."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.faults.orders import Kept, Order, kept, said

ROOT = Path(__file__).parents[2]
# Seconds after which a writer that does not get on is a fault of its own.
LONGEST = 120.0


class Writer:
    """One writer."""

    def __init__(self, order: Order, pid: int, wait: Callable[[int], int]) -> None:
        self.order = order
        self.pid = pid
        self._wait = wait
        self._status: int | None = None

    @property
    def kept(self) -> list[Kept]:
        """The receipts that it was given so far."""
        return kept(self.order.says)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless its end has been noted."""
        if self._status is None:
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Wait for its end and return its exit status; minus the signal's number where one ended it."""
        if self._status is None:
            self._status = self._wait(self.pid)
        return self._status

    def until(self, what: str, least: int = 1) -> None:
        """Wait until it has said ``what`` often enough. Raises `TimeoutError`."""
        deadline = time.monotonic() + LONGEST
        while sum(what in line for line in said(self.order.says)) < least:
            if any("failed" in line for line in said(self.order.says)):
                raise AssertionError(said(self.order.says)[-1])
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.order.name} never said {what}")
            time.sleep(0.005)

    def has_said(self, what: str) -> bool:
        """Tell whether it has said ``what``."""
        return any(what in line for line in said(self.order.says))


class Writers:
    """The process that forks the writers, and those that it made. What still runs at the end is killed."""

    def __init__(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.writer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self._started: list[Writer] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._started:
            if writer._status is None:
                writer.signal(signal.SIGKILL)
                writer.wait()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(LONGEST)
        self._process.stdout.close()

    def start(self, order: Order) -> Writer:
        """Start a writer."""
        writer = Writer(order, int(self._ask(order.encoded())), lambda pid: int(self._ask(f"wait {pid}")))
        self._started.append(writer)
        return writer

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def held_up(writer: Writer) -> Iterator[None]:
    """Suspend a writer."""
    writer.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        writer.signal(signal.SIGCONT)
