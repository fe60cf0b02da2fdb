"""Tasks that belong to somebody, who ends them with itself."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class OwnedTasks:
    """The tasks of one owner, held for as long as they run. It belongs to one event loop."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def begin(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Begin some work; the task ends with what it returns."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self, seconds: float | None = None) -> None:
        """Return once all have ended, those that are begun meanwhile included, or when ``seconds`` have passed."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds if seconds is not None else None
        while self._tasks and (deadline is None or loop.time() < deadline):
            # Not gather: for tasks that have just ended it returns without yielding; their callbacks would never run.
            await asyncio.wait(set(self._tasks), timeout=deadline - loop.time() if deadline is not None else None)

    async def cancel(self) -> None:
        """Cancel what runs, and return once it has ended."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
