"""A turn where nothing can be awaited."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nanobot_memory_plugins.core.host.fullness import FILL, history_to_cut
from nanobot_memory_plugins.core.host.telling import History, Raised, ToolExecution, asked_by
from nanobot_memory_plugins.core.values import Summary

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.host.turn import Turn


class BlockingTurn:
    """The calls of a `Turn` that are awaited, for where nothing can be. They block, also the loop that runs here."""

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn

    def received(self, text: str, history: History = (), *, spoken: bool | None = None) -> str | None:
        """Do as `Turn.received`."""
        turn = self._turn
        future = turn.begin(text, history, spoken=spoken)
        if future is None or turn._is_given_up(text, future):
            return None
        return turn._noted(text, turn._service.wait_now(future), future)

    def tool_finished(
        self,
        call_id: str,
        name: str,
        arguments: object,
        *,
        result: object = None,
        error: "BaseException | str | None" = None,
    ) -> None:
        """Do as `Turn.tool_finished`."""
        future = self._turn._note_tool(call_id, name, arguments, result, error)
        if future is not None:
            self._turn._service.wait_now(future, limit=self._turn._service.config.core.tool_limit)

    @contextmanager
    def tool(self, name: str, arguments: object, *, call_id: str = "", waits: Raised = ()) -> Iterator[ToolExecution]:
        """Do as `Turn.tool`."""
        call, call_id = ToolExecution(), call_id or f"{name}-{time.perf_counter_ns()}"
        self._turn.tool_began(call_id)
        try:
            with asked_by(self._turn.parent or self._turn.session_key):
                yield call
        except waits:
            raise
        except Exception as error:
            self.tool_finished(call_id, name, arguments, error=error)
            raise
        except BaseException as error:
            self._turn._note_tool(call_id, name, arguments, None, error)
            raise
        self.tool_finished(call_id, name, arguments, result=call.result, error=call.error)

    def compacted(self, messages: Sequence[object], *, context_window: int, fill: float = FILL) -> Summary | None:
        """Do as `Turn.compacted`."""
        turn = self._turn
        cut = history_to_cut(messages, turn._is_asked, context_window, fill)
        if cut is None:
            return None
        service = turn._service
        return service.before_compaction_now(turn.session_key, cut.messages, **cut.more, scope=turn.scope)

    def replied(self, reply: str | Sequence[object]) -> None:
        """Do as `Turn.replied`."""
        for future in self._turn.begin_reply(reply) or ():
            self._turn._service.wait_now(future)
