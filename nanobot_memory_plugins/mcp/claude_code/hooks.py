"""Claude Code's hooks, which call a tool of the plugin's own server: what each event does, and what is answered.

Standing in no list of tools, the tool cannot be called by the host's model, and it believes only who knows the secret
that the plugin's hooks and its server share.
"""

import json
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.core import MemoryService, Scope, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.projects import project_of
from nanobot_memory_plugins.mcp.claude_code.transcript import Recorded, is_notice, read_transcript

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

HOOK_TOOL = "hook"
SECRET_VARIABLE = "NANOBOT_MEMORY_HOOK_SECRET"  # noqa: S105  # the name of a variable
USER_PROMPT, TOOL_USED, TOOL_FAILED = "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"
STOPPED, BEFORE_COMPACTION = "Stop", "PreCompact"
# The fields of each event besides those of all, by their names in the host's input.
FIELDS: Mapping[str, tuple[str, ...]] = {
    USER_PROMPT: ("prompt", "agent_id"),
    TOOL_USED: ("tool_name", "tool_input", "tool_response", "duration_ms"),
    TOOL_FAILED: ("tool_name", "tool_input", "error", "duration_ms"),
    STOPPED: ("last_assistant_message",),
    BEFORE_COMPACTION: ("trigger",),
}
# Seconds that the host waits for each at most; the memory's own bounds are smaller.
SECONDS = {USER_PROMPT: 8, TOOL_USED: 3, TOOL_FAILED: 3, STOPPED: 5, BEFORE_COMPACTION: 60}

_NOTHING = "{}"
# Tokens of the model's window, of which the host says nothing to its hooks.
_WINDOW = 200_000
# Characters that the host puts into its prompt; of more it shows a part.
_MOST_CONTEXT = 9_500
# One event as it comes in the arguments of a tool: every value is a text, empty where there is none.
Event = Mapping[str, str]

_ADVICE = "Keep in the summary what stands here; it was taken from the conversation itself:\n\n"


@dataclass(slots=True)
class _Session:
    """One session: its owner, and what was added to its prompts since the last compaction."""

    scope: Scope
    blocks: list[str] = field(default_factory=list)
    knows_the_user: bool = False
    is_taken_in: bool = False


class Hooks:
    """Answers the hooks of one plugin. ``client`` is that of the process, ``secret`` that of the plugin."""

    def __init__(self, service: MemoryService, client: Scope, secret: str) -> None:
        self._service = service
        self._own = client
        self._secret = secret
        self._project_of = lru_cache(project_of)
        # Like all that follows they belong to the memory's thread.
        self._sessions: dict[str, _Session] = {}
        # What tools were given to be asked later (a schedule, say) comes back in the user's place.
        self._prompts_of_tools: set[str] = set()
        self.client = client
        """The client, in the session that was prompted last: the host may show another one than at its start."""

    async def answer(self, arguments: Mapping[str, Any]) -> str:
        """Answer one event. Nothing that goes wrong with it is an error for the host, whose turn goes on."""
        event = defaultdict(str, {name: _text(value) for name, value in arguments.items()})
        if not self._secret or not secrets.compare_digest(event["secret"].encode(), self._secret.encode()):
            logger.warning("an event that no hook has told of is not taken in")
            return _NOTHING
        if event["event"] not in FIELDS or not event["session_id"]:
            return _NOTHING
        limit = SECONDS[event["event"]]
        return await self._service.call(lambda memory: self._answer_event(memory, event), limit=limit) or _NOTHING

    def close(self) -> None:
        """Say of every session that it has ended."""
        for key in list(self._sessions):
            self._end(key)

    async def _answer_event(self, memory: "MemoryHost", event: Event) -> str:
        key = f"claude-code:{event['session_id']}"
        project = await run_in_daemon_thread(self._project_of, event["cwd"]) if event["cwd"] else ""
        scope = replace(self._own, session=key, project=project)
        session = self._sessions.setdefault(key, _Session(scope))
        session.scope = scope  # the folder in which it works may be another one now
        self._service.touch(key, scope)
        if event["event"] == USER_PROMPT:
            self.client = scope
            return await self._prompt(memory, key, session, event)
        if event["event"] == BEFORE_COMPACTION:
            return await self._before_compaction(memory, key, session, event)
        if event["event"] == STOPPED:
            await self._stop(memory, key, session, event)
        elif memory.tool(event["tool_name"]) is None:  # what the memory's own answer is memory already
            await self._tool(memory, key, session, event)
        return _NOTHING

    async def _prompt(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> str:
        """Return what is added to a prompt: what is known of the user, once, and what is recalled."""
        for other in [other for other in self._sessions if other != key]:  # the host shows another session now
            self._end(other)
        recorded = (await run_in_daemon_thread(read_transcript, event["transcript_path"])).before(event["prompt"])
        is_hosts = is_notice(event["prompt"])
        standing = [{"role": "system", "content": block} for block in session.blocks]
        context = await memory.message_received(
            session_key=key,
            text=event["prompt"],
            history=[*recorded.live, *standing],
            scope=session.scope,
            spoken=not (is_hosts or event["agent_id"] or " ".join(event["prompt"].split()) in self._prompts_of_tools),
        )
        self._take_in_once(key, session, recorded)
        if is_hosts:
            return _NOTHING
        known = "" if session.knows_the_user else memory.prompt_entries(session_key=key, scope=session.scope).text
        if _is_in_context(known, recorded):
            session.knows_the_user, known = True, ""
        texts = fitting_texts([known.strip(), context.block or ""])
        session.knows_the_user |= bool(known) and known.strip() in texts
        session.blocks += [text for text in texts if text == context.block]
        if not texts:
            return _NOTHING
        output = {"hookEventName": USER_PROMPT, "additionalContext": "\n\n".join(texts)}
        return json.dumps({"hookSpecificOutput": output, "suppressOutput": True}, ensure_ascii=False)

    async def _tool(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> None:
        given = _value(event["tool_input"])
        arguments = given if isinstance(given, Mapping) else {"input": given}
        if isinstance(prompt := arguments.get("prompt"), str):
            self._prompts_of_tools.add(" ".join(prompt.split()))
        failed = event["event"] == TOOL_FAILED
        await memory.tool_executed(
            session_key=key,
            tool_name=event["tool_name"],
            arguments=arguments,
            result=None if failed else _result(_value(event["tool_response"])),
            error=(event["error"] or "It failed.") if failed else None,
            duration_ms=float(event["duration_ms"]) if event["duration_ms"].replace(".", "", 1).isdecimal() else 0.0,
            scope=session.scope,
        )

    async def _stop(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> None:
        if event["last_assistant_message"]:
            await memory.message_sent(session_key=key, text=event["last_assistant_message"], scope=session.scope)
        if not session.is_taken_in:  # a fork's own record is written after its first prompt
            self._take_in_once(key, session, await run_in_daemon_thread(read_transcript, event["transcript_path"]))

    async def _before_compaction(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> str:
        """Save what is about to be cut, and return what the host's summary shall hold."""
        recorded = await run_in_daemon_thread(read_transcript, event["transcript_path"])
        await _take_in(memory, key, session, recorded.live, recorded.parent)
        summary = await memory.before_compaction(
            session_key=key,
            messages=recorded.live,
            context_window=_WINDOW,
            reason=event["trigger"] or "auto",
            replaceable=False,
            scope=session.scope,
        )
        session.knows_the_user = False
        session.blocks.clear()
        return _ADVICE + summary.text[:_MOST_CONTEXT] if summary is not None and summary.text else ""

    def _take_in_once(self, key: str, session: _Session, recorded: Recorded) -> None:
        if recorded.messages and not session.is_taken_in:
            session.is_taken_in = True
            self._service.submit(lambda memory: _take_in(memory, key, session, recorded.messages, recorded.parent))

    def _end(self, key: str) -> None:
        self._service.ended(key, scope=self._sessions.pop(key).scope)


async def _take_in(memory: "MemoryHost", key: str, session: _Session, messages: Sequence[object], parent: str) -> None:
    """Take in the messages of the session that this process did not see, and those that no hook has sent."""
    parent_key = f"claude-code:{parent}" if parent else ""
    await memory.resume(session_key=key, messages=messages, parent=parent_key, scope=session.scope, precedes_turn=True)


def _is_in_context(known: str, recorded: Recorded) -> bool:
    """Return whether the live context since the last compaction contains what is known of the user."""
    heading = known.strip().partition("\n")[0]
    standing = [str(message["content"]) for message in recorded.live if message["role"] == "system"]
    return bool(heading) and any(text.lstrip().startswith(heading) for text in standing)


def fitting_texts(texts: Sequence[str], most: int = _MOST_CONTEXT) -> list[str]:
    """Return the texts for which there is room, whole or not at all: a fence has two ends."""
    shown: list[str] = []
    for text in filter(None, texts):
        if sum(len(kept) + 2 for kept in shown) + len(text) <= most:
            shown.append(text)
    return shown


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _value(text: str) -> object:
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return read


def _result(value: object) -> object:
    """Return what a tool gave back: the text that it printed or answered where it has one, else its value."""
    if isinstance(value, Mapping):
        if "stdout" in value:
            return "\n".join(str(value[name]) for name in ("stdout", "stderr") if value.get(name))
        return _result(value["content"]) if isinstance(value.get("content"), list) else value
    blocks = value if isinstance(value, list) else []
    texts = [str(block["text"]) for block in blocks if isinstance(block, Mapping) and block.get("type") == "text"]
    return "\n".join(texts) or value
