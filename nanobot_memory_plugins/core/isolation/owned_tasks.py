"""Tasks that belong to somebody, who ends them with itself."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class OwnedTasks:
    """The tasks of one owner, held for as long as they run. Those of an event loop that has ended are left out."""

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
        while (tasks := self._here()) and (deadline is None or loop.time() < deadline):
            # Not gather: for tasks that have just ended it returns without yielding; their callbacks would never run.
            await asyncio.wait(tasks, timeout=deadline - loop.time() if deadline is not None else None)

    async def cancel(self) -> None:
        """Cancel what runs, and return once it has ended."""
        tasks = self._here()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _here(self) -> set[asyncio.Task[Any]]:
        """Return the tasks of the running event loop; nothing will ever end those of another one."""
        loop = asyncio.get_running_loop()
        return {task for task in self._tasks if task.get_loop() is loop}
