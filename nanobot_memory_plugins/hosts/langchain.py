"""The memory as a middleware of LangChain's agents: ``create_agent(..., middleware=[MemoryMiddleware(memory)])``."""

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
# The node in which an agent's tools run: what is asked inside of it was asked by a model.
_TOOLS = "tools:"
# Marks a message that is our summary.
_SUMMARY = "memory_summary"


class MemoryState(AgentState):
    """The state of an agent with memory: what belongs to a turn goes with its checkpoint, so that it can go on."""

    memory_turn: Annotated[dict[str, Any], PrivateStateAttr]


class MemoryMiddleware(AgentMiddleware):
    """Recalls for each message of the user's, keeps what is said, notes tools, and shortens what fills the window.

    ``memory`` may be shared by agents and threads. A session is the ``thread_id`` of the run, or what ``session_key``
    makes of its configuration; a run without either is a session of its own. ``scope`` says whose it is: by default
    that of the configuration's ``user_id``, where there is one. ``context_window`` is the model's in tokens; where it
    is given, history is shortened. What an agent inside another graph is asked is no word of the user's, unless
    ``nested_is_user`` says that its graph hands the user's words on; inside a tool it never is.
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
        self._session_key = session_key or _thread
        self._scope = scope or _user
        self._nested_is_user = nested_is_user
        self.tools = list(map(_offered, memory.tools()))

    # --- the turn begins --------------------------------------------------------------------------------------

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Keep the user's message, and recall for it."""
        turn, text, known = self._begun(state)
        return _turn_state(turn, text, await known)

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as `abefore_agent`."""
        turn, text, known = self._begun(state)
        return _turn_state(turn, text, known.now())

    # --- the model is asked -----------------------------------------------------------------------------------

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Replace the history before the user's message by a summary, once it fills the window."""
        made = await self._turn(state).compact(_chat(state["messages"]), context_window=self.context_window)
        return _shortened(state["messages"], made)

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as `abefore_model`."""
        made = self._turn(state).compact(_chat(state["messages"]), context_window=self.context_window).now()
        return _shortened(state["messages"], made)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Add what was recalled to the user's message, in this request alone."""
        return await handler(self._with_memory(request))

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Do as `awrap_model_call`."""
        return handler(self._with_memory(request))

    # --- a tool runs ------------------------------------------------------------------------------------------

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Note the tool. Unknown ones and bad arguments come as messages that say so; an interrupt is no failure."""
        async with self._execution(request) as call:
            answer = await handler(request)
            call.result, call.error = _outcome(answer, request.tool_call["id"])
        return answer

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Do as `awrap_tool_call`."""
        with self._execution(request) as call:
            answer = handler(request)
            call.result, call.error = _outcome(answer, request.tool_call["id"])
        return answer

    # --- the turn ends ----------------------------------------------------------------------------------------

    async def aafter_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Keep the answer."""
        turn, chat = self._turn(state), _chat(state["messages"])
        await turn.replied(chat)
        return self._end_turn(turn, chat, state)

    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as `aafter_agent`."""
        turn, chat = self._turn(state), _chat(state["messages"])
        turn.replied(chat).now()
        return self._end_turn(turn, chat, state)

    # --- what the hooks have in common ------------------------------------------------------------------------

    def _begun(self, state: Any) -> tuple[Turn, str, Answer[str]]:
        """Return a new turn, the user's message, and what is known for long once that was recalled for."""
        turn, chat = self._new_turn(), _chat(state["messages"])
        if not chat or not isinstance(state["messages"][-1], HumanMessage):
            return turn, "", self.memory.open_turn(turn, "", chat)
        text = spoken_text(chat[-1])
        unknown = "memory_turn" not in state and bool(self._session_key(get_config()))
        return turn, text, self.memory.open_turn(turn, text, chat[:-1], unknown=unknown)

    def _new_turn(self) -> Turn:
        config = get_config()
        outer = str(config["configurable"].get("checkpoint_ns") or "").rpartition("|")[0]
        asking = calling_session()
        is_user = not asking and (not outer or (self._nested_is_user and _TOOLS not in outer))
        session = self._session_key(config) or f"langchain:{uuid.uuid4()}"
        parent = "" if is_user else asking or session
        scope = None if asking else self._scope(config)  # the asking session says who owns a sub-agent's
        return self.memory.turn(session if is_user else f"{session}/{outer}", scope=scope, parent=parent)

    def _turn(self, state: Any) -> Turn:
        """Return the turn of a run that goes on, perhaps in another process than it began in."""
        kept = state.get("memory_turn")
        if not kept:  # the run began before there was a memory
            return self._new_turn()
        scope = None if calling_session() else self._scope(get_config())
        turn = self.memory.turn(kept["session"], scope=scope, parent=kept["parent"])
        return turn.restore(kept["text"], kept["block"])

    def _with_memory(self, request: Any) -> Any:
        """Return a request with the block in the user's message, and what is known for long after the prompt."""
        turn, kept = self._turn(request.state), request.state.get("memory_turn") or {}
        chat = [{"role": message.type, "content": message.content} for message in request.messages]
        messages = [
            message if made is given else message.model_copy(update={"content": made["content"]})
            for message, given, made in zip(request.messages, chat, turn.with_block(chat), strict=True)
        ]
        system = _system_with(request, kept["known"]) if kept.get("known") else request.system_message
        return request.override(messages=messages, system_message=system)

    def _execution(self, request: Any) -> ToolExecution:
        call = request.tool_call
        return self._turn(request.state).tool(call["name"], call["args"], call_id=call["id"] or "", waits=GraphBubbleUp)

    def _end_turn(self, turn: Turn, chat: list[dict[str, Any]], state: Any) -> dict[str, Any]:
        last = next((message for message in reversed(state["messages"]) if isinstance(message, AIMessage)), None)
        used = last.usage_metadata["total_tokens"] if last is not None and last.usage_metadata else None
        turn.finished(chat, context_window=self.context_window, context_tokens=used)
        return _turn_state(turn, "", "")  # what was recalled is not needed any more


def _offered(tool: ServiceTool) -> BaseTool:
    def run(**arguments: Any) -> str:  # where an event loop runs, LangChain calls it in a thread
        return tool.run(arguments).now()

    return StructuredTool.from_function(
        run, name=tool.name, description=tool.description, args_schema=dict(tool.parameters), infer_schema=False
    )


def _turn_state(turn: Turn, text: str, known: str) -> dict[str, Any]:
    """Return the change of state that lets the turn go on in other hooks, and in other processes."""
    owner = {"session": turn.session_key, "parent": turn.parent}
    return {"memory_turn": {**owner, "text": text, "block": turn.block if text else None, "known": known}}


def _thread(config: Config) -> str | None:
    thread = config["configurable"].get("thread_id")
    return None if thread is None else f"langchain:{thread}"


def _user(config: Config) -> Mapping[str, str] | None:
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
    role = "system" if message.additional_kwargs.get(_SUMMARY) else message.type
    return {"role": role, "content": message.content}


def _system_with(request: Any, known: str) -> SystemMessage:
    """Return the system prompt with what is known after it."""
    content = request.system_message.content if request.system_message is not None else ""
    if isinstance(content, str):
        return SystemMessage(content=f"{content}\n\n{known}".lstrip())
    return SystemMessage(content=[*content, {"type": "text", "text": known}])


def _shortened(messages: Sequence[BaseMessage], summary: Summary | None) -> dict[str, Any] | None:
    """Return the change of state that puts a summary in the place of the messages that it replaces."""
    if summary is None or summary.keep_from <= 0:
        return None
    # Providers want a user's message first; the mark says that no user wrote it.
    first = HumanMessage(summary.text, additional_kwargs={_SUMMARY: True})
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), first, *messages[summary.keep_from :]]}


def _outcome(answer: Any, call_id: str | None) -> tuple[str | None, str | None]:
    """Return the result and the error of a tool, whichever there is."""
    if not isinstance(answer, ToolMessage):  # a command, which may carry the tool's message
        update = getattr(answer, "update", None)
        found = update.get("messages", ()) if isinstance(update, Mapping) else ()
        answer = next((message for message in found if getattr(message, "tool_call_id", None) == call_id), None)
    if answer is None:
        return None, None
    text = str(answer.text)
    return (None, text) if answer.status == "error" else (text, None)
