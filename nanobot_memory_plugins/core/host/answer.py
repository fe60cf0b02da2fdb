"""What a call of the memory will answer, for who can await and for who cannot."""

from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.memory_thread import MemoryThread

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that is waited for, ``limit`` seconds at most; its answer is None when it failed or is late."""

    thread: "MemoryThread"
    future: "Future[Any]"
    limit: float


# The steps of a call: each yields what it waits for, and is sent the answer.
Steps = Generator[Waiting, Any, _T]


class Answer(Coroutine[Any, Any, _T], Generic[_T]):
    """Awaited in any event loop, or waited for by `now` where nothing can be awaited. The call begins only then.

    ``steps`` are there for another call that consists of it.
    """

    def __init__(self, steps: Steps[_T]) -> None:
        self.steps = steps
        self._coroutine: Coroutine[Any, Any, _T] | None = None

    def now(self) -> _T:
        """Wait for the answer in this thread. It blocks, also the event loop that runs here."""
        given: object = None
        while True:
            try:
                step = self.steps.send(given)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            given = step.thread.wait_now(step.future, limit=step.limit)

    def __await__(self) -> Generator[Any, Any, _T]:
        return self._awaited().__await__()

    def send(self, value: Any) -> Any:
        """Go on, as a coroutine does: so that it can be a task."""
        self._coroutine = self._coroutine or self._awaited()
        return self._coroutine.send(value)

    def throw(self, error: Any, value: Any = None, traceback: Any = None) -> Any:
        """Raise an exception in it, as in a coroutine."""
        self._coroutine = self._coroutine or self._awaited()
        return self._coroutine.throw(error)

    def close(self) -> None:
        """End it, as a coroutine ends."""
        if self._coroutine is not None:
            self._coroutine.close()

    async def _awaited(self) -> _T:
        given: object = None
        while True:
            try:
                step = self.steps.send(given)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            given = await step.thread.wait(step.future, limit=step.limit)


def answers(steps: Callable[_P, Steps[_T]]) -> Callable[_P, Answer[_T]]:
    """Make of a function that yields what it waits for one that returns an `Answer`."""

    @wraps(steps)
    def call(*arguments: _P.args, **named: _P.kwargs) -> Answer[_T]:
        return Answer(steps(*arguments, **named))

    return call
