"""The tool that Claude Code calls for the plugin's hooks. Its model does not see it, and is not believed through it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nanobot_memory_plugins.core import InputError, logger
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes import project_of
from nanobot_memory_plugins.mcp.call import Result
from nanobot_memory_plugins.mcp.claude_code.events import HookEvent, read_event
from nanobot_memory_plugins.mcp.claude_code.guard import HOOK_TOOL, is_from_hook
from nanobot_memory_plugins.mcp.claude_code.sessions import NOTHING, HookedSessions, session_key
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.documents import told
from nanobot_memory_plugins.mcp.memory import ServedMemory
from nanobot_memory_plugins.mcp.own_loop import OwnLoopService

# Seconds that a first prompt waits for a memory that is just being opened.
_START_SECONDS = 5.0
# Seconds for what is left at the end. The host kills the process after half of one.
_CLOSING_SECONDS = 3.0


class HookTool:
    """Answers the hooks of one plugin. ``client`` is that of the process, ``secret`` that of the plugin."""

    name = HOOK_TOOL

    def __init__(self, memory: ServedMemory, client: Client, secret: str) -> None:
        self._memory = memory
        memory.hears_user = True
        self._client = client
        self._secret = secret
        self._sessions = HookedSessions(OwnLoopService(memory, start_limit=_START_SECONDS))

    @property
    def client(self) -> Client:
        """The client, in the session that was prompted last: the host may show another one than at its start."""
        return self._sessions.current or self._client

    async def call(self, arguments: Mapping[str, Any], meta: Mapping[str, Any]) -> Result:
        """Answer one event. Nothing that goes wrong with it is an error for the host."""
        try:
            event = read_event(arguments)
        except InputError:
            return told(NOTHING)
        if not is_from_hook(event, meta, self._secret):
            return told(NOTHING)
        try:
            client = await run_in_daemon_thread(self._enter, event)
            return told(await self._sessions.answer(event, client))
        except Exception as error:  # a turn goes on without its memory
            logger.warning("a hook could not be answered: {}", type(error).__name__)
            return told(NOTHING)

    def _enter(self, event: HookEvent) -> Client:
        """Return whose session an event is of, in which project, and let the memory know it."""
        scope = replace(self._client.scope, project=project_of(event.cwd) if event.cwd else "")
        client = Client(session_key(event.session_id), scope)
        self._memory.enter(client)
        return client

    async def close(self) -> None:
        """Say that the sessions have ended."""
        await self._sessions.close(_CLOSING_SECONDS)
