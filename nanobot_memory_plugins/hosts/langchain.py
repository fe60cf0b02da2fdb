"""Adapter for LangChain: ``create_agent(..., middleware=[MemoryMiddleware(memory)])`` gives an agent a memory."""

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

from nanobot_memory_plugins.core import MemoryService, Scope, Summary
from nanobot_memory_plugins.core.host.framework_calls import calling_session
from nanobot_memory_plugins.core.host.history import spoken_text
from nanobot_memory_plugins.core.host.memory_service import ServiceTool
from nanobot_memory_plugins.core.host.memory_thread import Answer
from nanobot_memory_plugins.core.host.turn import ToolExecution, Turn
from nanobot_memory_plugins.hosts.framework import framework

with framework("langchain"):
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.config import get_config
    from langgraph.errors import GraphBubbleUp
    from langgraph.graph.message import REMOVE_ALL_MESSAGES

Config = Mapping[str, Any]
# The node in which an agent's tools run. Messages to an agent inside it come from a model.
_TOOL_NODE = "tools:"
# Marks a message that holds our summary.
_SUMMARY_MARK = "memory_summary"


class MemoryState(AgentState):
    """The state of an agent with memory. The turn is part of the checkpoint, which another process may continue."""

    memory_turn: Annotated[dict[str, Any], PrivateStateAttr]


class MemoryMiddleware(AgentMiddleware):
    """Recalls for each user message, stores messages and tool calls, and shortens a history that fills the window.

    Agents and threads may share ``memory``. A session is the ``thread_id`` of the run, or the result of
    ``session_key`` for its configuration; a run without either is its own session. ``scope`` returns the owner, by
    default the configuration's ``user_id``. ``context_window`` is the model's, in tokens; without it history is never
    shortened. Messages to an agent inside another graph do not count as the user's, unless ``nested_is_user`` says that
    the graph passes on the user's words. Inside a tool they never do.
    """

    state_schema = MemoryState

    def __init__(
        self,
        memory: MemoryService,
        *,
        session_key: Callable[[Config], str | None] | None = None,
        scope: Callable[[Config], Scope | Mapping[str, str] | None] | None = None,
        context_window: int = 0,
        nested_is_user: bool = False,
    ) -> None:
        super().__init__()
        self.memory = memory
        self.context_window = context_window
        self._session_key = session_key or _thread_session
        self._scope = scope or _user_scope
        self._nested_is_user = nested_is_user
        self.tools = list(map(_structured_tool, memory.tools()))

    # --- start of the turn ------------------------------------------------------------------------------------

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Store the user's message, and recall for it."""
        turn, text, entries = self._begin_turn(state)
        return _turn_state(turn, text, await entries)

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as `abefore_agent`."""
        turn, text, entries = self._begin_turn(state)
        return _turn_state(turn, text, entries.now())

    # --- model calls ------------------------------------------------------------------------------------------

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Replace the history before the user's message by a summary, once it fills the window."""
        made = await self._turn(state).compact(_chat(state["messages"]), context_window=self.context_window)
        return _replace_history(state["messages"], made)

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as `abefore_model`."""
        made = self._turn(state).compact(_chat(state["messages"]), context_window=self.context_window).now()
        return _replace_history(state["messages"], made)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Add the recalled block to the user's message, in this request only."""
        return await handler(self._with_memory(request))

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Do as `awrap_model_call`."""
        return handler(self._with_memory(request))

    # --- tool calls -------------------------------------------------------------------------------------------

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Report the tool. An unknown tool or bad arguments arrive as an error message; an interrupt is no failure."""
        async with self._execution(request) as call:
            answer = await handler(request)
            call.result, call.error = _tool_result(answer, request.tool_call["id"])
        return answer

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Do as `awrap_tool_call`."""
        with self._execution(request) as call:
            answer = handler(request)
            call.result, call.error = _tool_result(answer, request.tool_call["id"])
        return answer

    # --- end of the turn --------------------------------------------------------------------------------------

    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Store the answer, and end the turn."""
        turn, chat = self._turn(state), _chat(state["messages"])
        await turn.replied(chat)
        return self._end_turn(turn, chat, state)

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as `aafter_agent`."""
        turn, chat = self._turn(state), _chat(state["messages"])
        turn.replied(chat).now()
        return self._end_turn(turn, chat, state)

    # --- helpers of the hooks ---------------------------------------------------------------------------------

    def _begin_turn(self, state: Any) -> tuple[Turn, str, Answer[str]]:
        """Return a new turn, the user's message, and the pending recall, which yields the entries for the prompt."""
        turn, chat = self._new_turn(), _chat(state["messages"])
        if not chat or not isinstance(state["messages"][-1], HumanMessage):
            return turn, "", self.memory.open_turn(turn, "", chat)
        text = spoken_text(chat[-1])
        unknown = "memory_turn" not in state and bool(self._session_key(get_config()))
        return turn, text, self.memory.open_turn(turn, text, chat[:-1], unknown=unknown)

    def _new_turn(self) -> Turn:
        config = get_config()
        outer = str(config["configurable"].get("checkpoint_ns") or "").rpartition("|")[0]
        caller = calling_session()
        is_user = not caller and (not outer or (self._nested_is_user and _TOOL_NODE not in outer))
        session = self._session_key(config) or f"langchain:{uuid.uuid4()}"
        parent = "" if is_user else caller or session
        scope = None if caller else self._scope(config)  # a sub-agent belongs to the calling session's owner
        return self.memory.turn(session if is_user else f"{session}/{outer}", scope=scope, parent=parent)

    def _turn(self, state: Any) -> Turn:
        """Return the turn of a run that began earlier, perhaps in another process."""
        kept = state.get("memory_turn")
        if not kept:  # the run began without a memory
            return self._new_turn()
        scope = None if calling_session() else self._scope(get_config())
        turn = self.memory.turn(kept["session"], scope=scope, parent=kept["parent"])
        return turn.restore(kept["text"], kept["block"])

    def _with_memory(self, request: Any) -> Any:
        """Return the request with the block in the user's message, and the entries after the system prompt."""
        turn, kept = self._turn(request.state), request.state.get("memory_turn") or {}
        chat = [{"role": message.type, "content": message.content} for message in request.messages]
        messages = [
            message if new is old else message.model_copy(update={"content": new["content"]})
            for message, old, new in zip(request.messages, chat, turn.with_block(chat), strict=True)
        ]
        system = _system_with(request, kept["known"]) if kept.get("known") else request.system_message
        return request.override(messages=messages, system_message=system)

    def _execution(self, request: Any) -> ToolExecution:
        call = request.tool_call
        return self._turn(request.state).tool(
            call["name"], call["args"], call_id=call["id"] or "", suspensions=GraphBubbleUp
        )

    def _end_turn(self, turn: Turn, chat: list[dict[str, Any]], state: Any) -> dict[str, Any]:
        last = next((message for message in reversed(state["messages"]) if isinstance(message, AIMessage)), None)
        context_tokens = last.usage_metadata["total_tokens"] if last is not None and last.usage_metadata else None
        turn.finished(chat, context_window=self.context_window, context_tokens=context_tokens)
        return _turn_state(turn, "", "")  # the block is no longer needed


def _structured_tool(tool: ServiceTool) -> BaseTool:
    def run(**arguments: Any) -> str:  # LangChain calls it in a thread when an event loop runs
        return tool.run(arguments).now()

    return StructuredTool.from_function(
        run, name=tool.name, description=tool.description, args_schema=dict(tool.parameters), infer_schema=False
    )


def _turn_state(turn: Turn, text: str, entries: str) -> dict[str, Any]:
    """Return the state update with which other hooks and other processes continue the turn."""
    owner = {"session": turn.session_key, "parent": turn.parent}
    return {"memory_turn": {**owner, "text": text, "block": turn.block if text else None, "known": entries}}


def _thread_session(config: Config) -> str | None:
    thread = config["configurable"].get("thread_id")
    return None if thread is None else f"langchain:{thread}"


def _user_scope(config: Config) -> Mapping[str, str] | None:
    user = config["configurable"].get("user_id")
    return None if user is None else {"user": str(user)}


def _chat(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    return [_chat_message(message) for message in messages]


def _chat_message(message: BaseMessage) -> dict[str, Any]:
    if isinstance(message, AIMessage):
        called = [(call["id"], call["name"], call["args"]) for call in message.tool_calls]
        calls = [{"id": id_, "type": "function", "function": {"name": n, "arguments": a}} for id_, n, a in called]
        return {"role": "assistant", "content": str(message.text), "tool_calls": calls}
    if isinstance(message, ToolMessage):
        content, call_id = str(message.text), message.tool_call_id
        return {"role": "tool", "content": content, "tool_call_id": call_id, "name": message.name}
    role = "system" if message.additional_kwargs.get(_SUMMARY_MARK) else message.type
    return {"role": role, "content": message.content}


def _system_with(request: Any, entries: str) -> SystemMessage:
    """Return the system prompt with the entries after it."""
    content = request.system_message.content if request.system_message is not None else ""
    if isinstance(content, str):
        return SystemMessage(content=f"{content}\n\n{entries}".lstrip())
    return SystemMessage(content=[*content, {"type": "text", "text": entries}])


def _replace_history(messages: Sequence[BaseMessage], summary: Summary | None) -> dict[str, Any] | None:
    """Return the state update that replaces messages by their summary, or None without a summary."""
    if summary is None or summary.keep_from <= 0:
        return None
    # Providers require a user's message first. The mark tells it from a real one.
    first = HumanMessage(summary.text, additional_kwargs={_SUMMARY_MARK: True})
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), first, *messages[summary.keep_from :]]}


def _tool_result(answer: Any, call_id: str | None) -> tuple[str | None, str | None]:
    """Return the result and the error of a tool; one of them, or both, are None."""
    if not isinstance(answer, ToolMessage):  # a command, which may contain the tool's message
        update = getattr(answer, "update", None)
        found = update.get("messages", ()) if isinstance(update, Mapping) else ()
        answer = next((message for message in found if getattr(message, "tool_call_id", None) == call_id), None)
    if answer is None:
        return None, None
    text = str(answer.text)
    return (None, text) if answer.status == "error" else (text, None)
