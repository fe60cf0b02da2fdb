"""Answers Claude Code's hooks, which call a tool of the plugin's own server.

The tool is not listed, so that the host's model cannot call it, and it accepts only events with the secret that the
plugin's hooks share with its server.
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
from nanobot_memory_plugins.mcp.claude_code.transcript import Transcript, is_notice, read_transcript

if TYPE_CHECKING:
    from nanobot_memory_plugins.core import MemoryHost

HOOK_TOOL = "hook"
SECRET_VARIABLE = "NANOBOT_MEMORY_HOOK_SECRET"  # noqa: S105  # the name of a variable
USER_PROMPT, TOOL_USED, TOOL_FAILED = "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"
STOPPED, BEFORE_COMPACTION = "Stop", "PreCompact"
# The fields of each event besides the common ones, by their names in the host's input.
FIELDS: Mapping[str, tuple[str, ...]] = {
    USER_PROMPT: ("prompt", "agent_id"),
    TOOL_USED: ("tool_name", "tool_input", "tool_response", "duration_ms"),
    TOOL_FAILED: ("tool_name", "tool_input", "error", "duration_ms"),
    STOPPED: ("last_assistant_message",),
    BEFORE_COMPACTION: ("trigger",),
}
# How many seconds the host waits for each event at most. The memory's own limits are shorter.
SECONDS = {USER_PROMPT: 8, TOOL_USED: 3, TOOL_FAILED: 3, STOPPED: 5, BEFORE_COMPACTION: 60}

_NO_OUTPUT = "{}"
# The model's window in tokens, which the host does not tell its hooks.
_CONTEXT_WINDOW = 200_000
# How many characters the host adds to a prompt. It cuts a longer text.
_MAX_CONTEXT_CHARS = 9_500
# The fields of one event, from the tool's arguments. Every value is a text; a missing field is empty.
Event = Mapping[str, str]

_ADVICE = "Keep in the summary what stands here; it was taken from the conversation itself:\n\n"


@dataclass(slots=True)
class _Session:
    """One session: its scope, and the blocks and entries added to its prompts since the last compaction."""

    scope: Scope
    blocks: list[str] = field(default_factory=list)
    has_entries: bool = False
    is_recorded: bool = False


class Hooks:
    """Answers the hooks of one plugin. ``client`` is the scope of the process, ``secret`` belongs to the plugin."""

    def __init__(self, service: MemoryService, client: Scope, secret: str) -> None:
        self._service = service
        self._process_client = client
        self._secret = secret
        self._project_of = lru_cache(project_of)
        # This and the following attributes belong to the memory's thread.
        self._sessions: dict[str, _Session] = {}
        # Prompts in tool arguments, as of a scheduled task, which come back later in the user's role.
        self._tool_prompts: set[str] = set()
        self.client = client
        """The client in the session of the last prompt, since the host may switch sessions."""

    async def answer(self, arguments: Mapping[str, Any]) -> str:
        """Answer one event. A failure is never an error for the host, whose turn continues."""
        event = defaultdict(str, {name: _text(value) for name, value in arguments.items()})
        if not self._secret or not secrets.compare_digest(event["secret"].encode(), self._secret.encode()):
            logger.warning("an event that no hook has told of is not taken in")
            return _NO_OUTPUT
        if event["event"] not in FIELDS or not event["session_id"]:
            return _NO_OUTPUT
        limit = SECONDS[event["event"]]
        return await self._service.call(lambda memory: self._answer_event(memory, event), limit=limit) or _NO_OUTPUT

    def close(self) -> None:
        """End every session."""
        for key in list(self._sessions):
            self._end(key)

    async def _answer_event(self, memory: "MemoryHost", event: Event) -> str:
        key = f"claude-code:{event['session_id']}"
        project = await run_in_daemon_thread(self._project_of, event["cwd"]) if event["cwd"] else ""
        scope = replace(self._process_client, session=key, project=project)
        session = self._sessions.setdefault(key, _Session(scope))
        session.scope = scope  # its working folder may have changed
        self._service.touch(key, scope)
        if event["event"] == USER_PROMPT:
            self.client = scope
            return await self._answer_prompt(memory, key, session, event)
        if event["event"] == BEFORE_COMPACTION:
            return await self._before_compaction(memory, key, session, event)
        if event["event"] == STOPPED:
            await self._record_reply(memory, key, session, event)
        elif memory.tool(event["tool_name"]) is None:  # the memory's own tools are not recorded
            await self._record_tool(memory, key, session, event)
        return _NO_OUTPUT

    async def _answer_prompt(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> str:
        """Return the addition to a prompt: the entries, once, and the recalled block."""
        for other in [other for other in self._sessions if other != key]:  # the host has switched to another session
            self._end(other)
        transcript = (await run_in_daemon_thread(read_transcript, event["transcript_path"])).before(event["prompt"])
        is_host_notice = is_notice(event["prompt"])
        earlier_blocks = [{"role": "system", "content": block} for block in session.blocks]
        context = await memory.message_received(
            session_key=key,
            text=event["prompt"],
            history=[*transcript.live, *earlier_blocks],
            scope=session.scope,
            spoken=not (is_host_notice or event["agent_id"] or " ".join(event["prompt"].split()) in self._tool_prompts),
        )
        self._record_once(key, session, transcript)
        if is_host_notice:
            return _NO_OUTPUT
        entries = "" if session.has_entries else memory.prompt_entries(session_key=key, scope=session.scope).text
        if _is_in_context(entries, transcript):
            session.has_entries, entries = True, ""
        texts = fitting_texts([entries.strip(), context.block or ""])
        session.has_entries |= bool(entries) and entries.strip() in texts
        session.blocks += [text for text in texts if text == context.block]
        if not texts:
            return _NO_OUTPUT
        output = {"hookEventName": USER_PROMPT, "additionalContext": "\n\n".join(texts)}
        return json.dumps({"hookSpecificOutput": output, "suppressOutput": True}, ensure_ascii=False)

    async def _record_tool(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> None:
        tool_input = _value(event["tool_input"])
        arguments = tool_input if isinstance(tool_input, Mapping) else {"input": tool_input}
        if isinstance(prompt := arguments.get("prompt"), str):
            self._tool_prompts.add(" ".join(prompt.split()))
        failed = event["event"] == TOOL_FAILED
        await memory.tool_executed(
            session_key=key,
            tool_name=event["tool_name"],
            arguments=arguments,
            result=None if failed else _result_text(_value(event["tool_response"])),
            error=(event["error"] or "It failed.") if failed else None,
            duration_ms=float(event["duration_ms"]) if event["duration_ms"].replace(".", "", 1).isdecimal() else 0.0,
            scope=session.scope,
        )

    async def _record_reply(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> None:
        if event["last_assistant_message"]:
            await memory.message_sent(session_key=key, text=event["last_assistant_message"], scope=session.scope)
        if not session.is_recorded:  # a fork's transcript is written after its first prompt
            self._record_once(key, session, await run_in_daemon_thread(read_transcript, event["transcript_path"]))

    async def _before_compaction(self, memory: "MemoryHost", key: str, session: _Session, event: Event) -> str:
        """Store the messages that are about to be cut, and return the advice for the host's summary."""
        transcript = await run_in_daemon_thread(read_transcript, event["transcript_path"])
        await _record(memory, key, session, transcript.live, transcript.parent)
        summary = await memory.before_compaction(
            session_key=key,
            messages=transcript.live,
            context_window=_CONTEXT_WINDOW,
            reason=event["trigger"] or "auto",
            replaceable=False,
            scope=session.scope,
        )
        session.has_entries = False
        session.blocks.clear()
        return _ADVICE + summary.text[:_MAX_CONTEXT_CHARS] if summary is not None and summary.text else ""

    def _record_once(self, key: str, session: _Session, transcript: Transcript) -> None:
        if transcript.messages and not session.is_recorded:
            session.is_recorded = True
            self._service.submit(lambda memory: _record(memory, key, session, transcript.messages, transcript.parent))

    def _end(self, key: str) -> None:
        self._service.ended(key, scope=self._sessions.pop(key).scope)


async def _record(memory: "MemoryHost", key: str, session: _Session, messages: Sequence[object], parent: str) -> None:
    """Store the session's messages that are missing: from before this process, and those that no hook has sent."""
    parent_key = f"claude-code:{parent}" if parent else ""
    await memory.resume(session_key=key, messages=messages, parent=parent_key, scope=session.scope, precedes_turn=True)


def _is_in_context(entries: str, transcript: Transcript) -> bool:
    """Return whether the live context since the last compaction contains the entries, by their heading."""
    heading = entries.strip().partition("\n")[0]
    contexts = [str(message["content"]) for message in transcript.live if message["role"] == "system"]
    return bool(heading) and any(text.lstrip().startswith(heading) for text in contexts)


def fitting_texts(texts: Sequence[str], max_chars: int = _MAX_CONTEXT_CHARS) -> list[str]:
    """Return the texts that fit into ``max_chars``. None is cut, since a fence has two ends."""
    chosen: list[str] = []
    for text in filter(None, texts):
        if sum(len(kept) + 2 for kept in chosen) + len(text) <= max_chars:
            chosen.append(text)
    return chosen


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _value(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _result_text(value: object) -> object:
    """Return a tool's result: its printed or answered text if it has one, else its value."""
    if isinstance(value, Mapping):
        if "stdout" in value:
            return "\n".join(str(value[name]) for name in ("stdout", "stderr") if value.get(name))
        return _result_text(value["content"]) if isinstance(value.get("content"), list) else value
    blocks = value if isinstance(value, list) else []
    texts = [str(block["text"]) for block in blocks if isinstance(block, Mapping) and block.get("type") == "text"]
    return "\n".join(texts) or value
