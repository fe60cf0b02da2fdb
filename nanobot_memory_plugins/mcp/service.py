"""The methods of the protocol over one memory, for however many clients."""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

from nanobot_memory_plugins.core import Scope, logger
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.mcp.call import INTERNAL_ERROR, INVALID_PARAMS, Call, Method, RequestError, Result
from nanobot_memory_plugins.mcp.documents import told
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.prompts import PROMPTS, get_prompt
from nanobot_memory_plugins.mcp.resources import TEMPLATES, list_resources, read_resource
from nanobot_memory_plugins.mcp.tools import list_tools, reads_only, run_tool

# Seconds until a client is told that the memory is late: less than for which the usual clients wait.
CALL_SECONDS = 25.0
# Seconds between two tellings of how far a call is.
PROGRESS_SECONDS = 1.0
# Seconds that what was begun gets to end at the close.
_CLOSING_SECONDS = 10.0
_LATE = "The memory has not answered within {seconds:g} s. "
_LATE_READING = "Ask again, or ask for less."
_LATE_WRITING = "What was asked for goes on: look with memory_search whether it was done before you ask again."
_NOT_STARTED = "The memory could not be started. `nanobot-memory doctor` says why. Answer without it, and say so."


class HiddenTool(Protocol):
    """A tool that is in no list: what a host calls by itself. It answers within a bound of its own."""

    name: str

    async def call(self, arguments: Mapping[str, Any], meta: Mapping[str, Any]) -> Result:
        """Answer a call; ``meta`` is what the client says of it."""
        ...

    async def close(self) -> None:
        """End what it has begun, before the memory is closed."""
        ...


class ProtocolService:
    """What a server answers. It begins to open the memory at once, and holds up nobody who only says hello.

    ``call_seconds`` bounds every answer, ``progress_seconds`` is how often a client that asked is told how far it is.
    """

    def __init__(
        self,
        memory: ServedMemory,
        *,
        call_seconds: float = CALL_SECONDS,
        progress_seconds: float = PROGRESS_SECONDS,
        hidden: HiddenTool | None = None,
    ) -> None:
        self.memory = memory
        self._hidden = hidden
        self._call_seconds = call_seconds
        self._progress_seconds = progress_seconds
        self._tasks = OwnedTasks()
        self._starting: asyncio.Task[None] | None = None

    @property
    def methods(self) -> Mapping[str, Method]:
        """The methods by their names in the protocol."""
        return {
            "tools/list": self.list_tools,
            "tools/call": self.call_tool,
            "resources/list": self.list_resources,
            "resources/templates/list": self.list_templates,
            "resources/read": self.read_resource,
            "prompts/list": self.list_prompts,
            "prompts/get": self.get_prompt,
        }

    def begin(self) -> None:
        """Begin to open the memory; what is asked for meanwhile waits for it."""
        self._starting = self._tasks.begin(self.memory.start())
        self._starting.add_done_callback(_note_start)

    async def close(self) -> None:
        """Finish what was begun, and close the memory."""
        if self._hidden is not None:
            await self._hidden.close()
        await self._tasks.finish(_CLOSING_SECONDS)
        await self._tasks.cancel()
        await self.memory.close()

    async def list_tools(self, call: Call) -> Result:
        """Return the tools. It waits for the plugins, which bring them."""

        async def listed(_scope: Scope) -> Result:
            return {"tools": list_tools(self.memory)}

        return await self._in_time(call, listed)

    async def call_tool(self, call: Call) -> Result:
        """Run a tool. What goes wrong with it is its answer, so that the model can read it."""
        name, arguments = call.params.get("name"), call.params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, Mapping):
            raise RequestError(INVALID_PARAMS, "A tool is called by its name, with an object of arguments.")
        if self._hidden is not None and name == self._hidden.name:
            return await self._hidden.call(arguments, call.params.get("_meta") or {})
        reads = reads_only(self.memory, name)
        late = told("Error: " + _LATE.format(seconds=self._call_seconds) + (_LATE_READING if reads else _LATE_WRITING))
        result: Result = await self._bounded(
            call,
            lambda scope: run_tool(self.memory, call.client, scope, name, arguments),
            late,
            can_be_given_up=reads,
        )
        return result

    async def list_resources(self, call: Call) -> Result:
        """Return the resources of the client's person."""

        async def listed(scope: Scope) -> Result:
            return {"resources": await list_resources(self.memory, scope)}

        return await self._in_time(call, listed)

    async def list_templates(self, call: Call) -> Result:
        """Return the addresses of further resources."""
        return {"resourceTemplates": TEMPLATES}

    async def read_resource(self, call: Call) -> Result:
        """Return what stands at an address."""
        uri = str(call.params.get("uri"))
        return await self._in_time(call, lambda scope: read_resource(self.memory, call.client, scope, uri))

    async def list_prompts(self, call: Call) -> Result:
        """Return the prompts."""
        return {"prompts": PROMPTS}

    async def get_prompt(self, call: Call) -> Result:
        """Return the messages of a prompt."""
        name, given = call.params.get("name"), call.params.get("arguments") or {}
        return await self._in_time(call, lambda _: get_prompt(self.memory, call.client, name, given))

    async def _in_time(self, call: Call, work: Callable[[Scope], Coroutine[Any, Any, Result]]) -> Result:
        """Return a result that has no other form, or raise `RequestError` where it is late."""
        result: Result | None = await self._bounded(call, work, None)
        if result is None:
            raise RequestError(INTERNAL_ERROR, _LATE.format(seconds=self._call_seconds) + _LATE_READING)
        return result

    async def _bounded(
        self,
        call: Call,
        work: Callable[[Scope], Coroutine[Any, Any, Any]],
        late: Any,
        *,
        can_be_given_up: bool = True,
    ) -> Any:
        """Return what some work of the memory returns, or ``late``.

        A client that goes away, or that loses patience, ends what only reads. What writes goes on.
        """
        task = self._tasks.begin(self._opened(call, work))
        try:
            if await self._ends(task, call):
                return task.result()
        except asyncio.CancelledError:
            if can_be_given_up:
                task.cancel()
            raise
        if can_be_given_up:
            task.cancel()
        else:
            task.add_done_callback(_read)
        return late

    async def _opened(self, call: Call, work: Callable[[Scope], Coroutine[Any, Any, Any]]) -> Any:
        try:
            await self.memory.start()
        except Exception:  # said in the log already
            raise RequestError(INTERNAL_ERROR, _NOT_STARTED) from None
        return await work(await run_in_daemon_thread(lambda: self.memory.enter(call.client)))

    async def _ends(self, task: "asyncio.Task[Any]", call: Call) -> bool:
        """Wait for a task, and tell the client meanwhile how far it is; say whether it has ended in time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._call_seconds
        for step in itertools.count(1):
            left = deadline - loop.time()
            done, _ = await asyncio.wait({task}, timeout=max(0.0, min(self._progress_seconds, left)))
            if done or left <= 0:
                return bool(done)
            await call.progress(float(step), self._activity())
        raise AssertionError("never reached")

    def _activity(self) -> str:
        if self._starting is not None and not self._starting.done():
            return "opening the memory"
        status = self.memory.store.status() if self.memory.store is not None else None
        if status is not None and status.pending_bytes:
            return f"reading the memory; {status.pending_bytes:,} bytes are not indexed yet"
        return "reading the memory"


def _read(task: "asyncio.Task[Any]") -> None:
    """Read how a task ended that nobody waits for any more."""
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("a call that came late failed: {}", type(error).__name__)


def _note_start(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        # The message is left out: it can carry values of the configuration.
        logger.warning("the memory could not be started: {}", type(error).__name__)
