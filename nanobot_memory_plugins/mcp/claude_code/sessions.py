"""The sessions of Claude Code that a server hears of through hooks: what each event does, and what is answered."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nanobot_memory_plugins.core import Scope, logger
from nanobot_memory_plugins.core.host import Turn
from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.mcp.claude_code.events import (
    BEFORE_COMPACTION,
    STOPPED,
    TOOL_FAILED,
    TOOL_USED,
    USER_PROMPT,
    HookEvent,
    tool_result,
)
from nanobot_memory_plugins.mcp.claude_code.scheduled import ScheduledPrompts
from nanobot_memory_plugins.mcp.claude_code.transcript import Recorded, is_notice, read_transcript
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.own_loop import OwnLoopService

# The tools of the plugin's own server, as the host names them: what they answer is memory already.
OWN_TOOLS = "mcp__plugin_nanobot-memory_"
NOTHING = "{}"
_KEY = "claude-code:"
# Tokens of the model's window, of which the host says nothing to its hooks.
_WINDOW = 200_000
# Characters that the host puts into its prompt; of more it shows a part.
_MOST_CONTEXT = 9_500
_ADVICE = "Keep in the summary what stands here; it was taken from the conversation itself:\n\n"


def session_key(session_id: str) -> str:
    """Return the key of a session, the same for its hooks and its tools."""
    return f"{_KEY}{session_id}"


@dataclass(slots=True)
class _Session:
    """One session: whose it is, its turn, what this process has put beside its prompts since the last compaction."""

    scope: Scope
    turn: Turn | None = None
    blocks: list[str] = field(default_factory=list)
    knows_the_user: bool = False
    is_taken_in: bool = False


class HookedSessions:
    """Answers the hooks of one plugin, for one person."""

    def __init__(self, service: OwnLoopService) -> None:
        self._service = service
        self._sessions: dict[str, _Session] = {}
        self._tasks = OwnedTasks()
        self._scheduled = ScheduledPrompts()
        self.current: Client | None = None
        """The session that was prompted last."""

    async def answer(self, event: HookEvent, client: Client) -> str:
        """Do what an event of a client's session asks for, and return what the host is to read."""
        key = client.session
        session = self._sessions.setdefault(key, _Session(client.scope))
        session.scope = client.scope  # the folder in which it works may be another one now
        if event.event == USER_PROMPT:
            self.current = client
            return await self._prompt(key, session, event)
        if event.event in (TOOL_USED, TOOL_FAILED):
            await self._tool(key, session, event)
        elif event.event == STOPPED:
            await self._stop(key, session, event)
        elif event.event == BEFORE_COMPACTION:
            return await self._before_compaction(key, session, event)
        return NOTHING

    async def close(self, seconds: float) -> None:
        """Say of every session that it has ended, and finish what was begun within ``seconds``."""
        await self._tasks.cancel()
        for key in self._sessions:
            self._end(key)
        await self._service.finish(seconds)

    async def _prompt(self, key: str, session: _Session, event: HookEvent) -> str:
        """Return what stands beside a prompt: what is known of the user, once, and what is recalled."""
        for other in [one for one in self._sessions if one != key]:  # the host shows another session now
            self._end(other)
            del self._sessions[other]
        recorded = (await run_in_daemon_thread(read_transcript, event.transcript_path)).before(event.prompt)
        turn = session.turn = self._service.turn(key, scope=session.scope)
        is_hosts = is_notice(event.prompt)
        is_scheduled = await run_in_daemon_thread(self._scheduled.holds, event.prompt, event.cwd)
        spoken = not (is_hosts or is_scheduled or event.agent_id)
        standing = [{"role": "system", "content": block} for block in session.blocks]
        block = await turn.received(event.prompt, [*recorded.live, *standing], spoken=spoken)
        if recorded.messages and not session.is_taken_in:
            session.is_taken_in = True
            self._tasks.begin(self._take_in(key, session, recorded.messages, recorded.parent))
        if is_hosts:
            return NOTHING
        known = await self._known(key, session, recorded)
        shown = _within([known, block or ""])
        if known and known not in shown:
            session.knows_the_user = False  # it has not been told yet
        session.blocks += [one for one in shown if one == block]
        return _beside_prompt(shown)

    async def _known(self, key: str, session: _Session, recorded: Recorded) -> str:
        """Return what is known of the user for long, unless it stands in the live context since the last compaction."""
        if session.knows_the_user:
            return ""
        known = (await self._service.prompt_entries(session_key=key, scope=session.scope)).text.strip()
        session.knows_the_user = bool(known)
        heading = known.partition("\n")[0]
        beside = [str(one["content"]) for one in recorded.live if one["role"] == "system"]
        return "" if any(text.lstrip().startswith(heading) for text in beside) else known

    async def _take_in(self, key: str, session: _Session, messages: Sequence[object], parent: str) -> None:
        """Take in what was said while this process did not hear of the session, and what no hook has told."""
        whose = session_key(parent) if parent else ""
        await self._service.resume(key, messages, parent=whose, scope=session.scope, behind_turn=True)

    async def _tool(self, key: str, session: _Session, event: HookEvent) -> None:
        self._scheduled.hear(event.tool_name, event.tool_input)
        if event.tool_name.startswith(OWN_TOOLS):
            return
        turn = session.turn = session.turn or self._service.turn(key, scope=session.scope)
        error = (event.error or "It failed.") if event.event == TOOL_FAILED else None
        await turn.tool_finished(
            event.tool_use_id,
            event.tool_name,
            event.tool_input,
            result=tool_result(event.tool_response) if error is None else None,
            error=error,
            duration_ms=event.milliseconds,
        )

    async def _stop(self, key: str, session: _Session, event: HookEvent) -> None:
        turn = session.turn = session.turn or self._service.turn(key, scope=session.scope)
        await turn.replied(event.last_assistant_message)
        turn.finished()
        if not session.is_taken_in:  # a fork's own record is written after its first prompt
            session.is_taken_in = True
            recorded = await run_in_daemon_thread(read_transcript, event.transcript_path)
            self._tasks.begin(self._take_in(key, session, recorded.messages, recorded.parent))

    async def _before_compaction(self, key: str, session: _Session, event: HookEvent) -> str:
        """Save what is about to be cut, and return what the host's summary shall hold."""
        recorded = await run_in_daemon_thread(read_transcript, event.transcript_path)
        await self._take_in(key, session, recorded.live, recorded.parent)
        more: dict[str, Any] = {
            "known": len(recorded.live),
            "context_window": _WINDOW,
            "reason": event.trigger or "auto",
            "replaceable": False,
            "scope": session.scope,
        }
        summary = await self._service.before_compaction(key, recorded.live, **more)
        session.knows_the_user = False
        session.blocks.clear()
        logger.debug("{} messages are about to be cut", len(recorded.live))
        return _ADVICE + summary.text[:_MOST_CONTEXT] if summary is not None and summary.text else ""

    def _end(self, key: str) -> None:
        memory = self._service.thread.started
        if memory is not None:
            self._service.ended(key, memory.history(key), scope=self._sessions[key].scope)


def _within(texts: list[str]) -> list[str]:
    """Return the texts for which there is room, whole or not at all: a fence has two ends."""
    shown: list[str] = []
    for text in filter(None, texts):
        if sum(len(one) + 2 for one in shown) + len(text) <= _MOST_CONTEXT:
            shown.append(text)
    return shown


def _beside_prompt(texts: list[str]) -> str:
    if not texts:
        return NOTHING
    output = {"hookEventName": USER_PROMPT, "additionalContext": "\n\n".join(texts)}
    return json.dumps({"hookSpecificOutput": output, "suppressOutput": True}, ensure_ascii=False)
