"""What Google's Agent Development Kit asks for beside its plugins: summaries of events, and a memory service."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core import MemoryHost, MemoryService, Query, fence, find_earlier_summary, language_of
from nanobot_memory_plugins.core.host import guarded
from nanobot_memory_plugins.core.values import messages_from_chat
from nanobot_memory_plugins.hosts.adk import MemoryPlugin, WhoseSession, of_user, session_key
from nanobot_memory_plugins.hosts.adk_contents import event_messages
from nanobot_memory_plugins.hosts.framework import framework

with framework("adk"):
    from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
    from google.adk.events.event import Event
    from google.adk.events.event_actions import EventActions, EventCompaction
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai import types

# Where the plugin was told of no window: a small one, so that the summary is short.
_WINDOW = 32_000
_RESULTS = 10
# Nobody withholds anything under this name: what any plugin withholds is left out.
_NO_PLUGIN = ""


class MemorySummarizer(BaseEventsSummarizer):
    """The memory's summary in the place of old events: ``EventsCompactionConfig(summarizer=MemorySummarizer(plugin))``.

    Of the events that it is given the last may stay as they are.
    """

    def __init__(self, plugin: MemoryPlugin) -> None:
        self._plugin = plugin

    @guarded
    async def maybe_summarize_events(self, *, events: Sequence[Any]) -> Any:
        """Return the summary, or None: then the events stay."""
        session = self._plugin.session_of(events)
        told = [(event, message) for event in events for message in event_messages(event)]
        if session is None or not told:
            return None
        messages = [message for _, message in told]
        earlier = find_earlier_summary(messages_from_chat(messages))
        key, whose = session
        summary = await self._plugin.memory.before_compaction(
            key,
            messages,
            context_window=self._plugin.context_window or _WINDOW,
            reason="token_pressure",
            known=0 if earlier is None else earlier + 1,
            scope=whose,
        )
        if summary is None or not summary.text.strip() or not summary.keep_from:
            return None
        compaction = EventCompaction(
            start_timestamp=events[0].timestamp,
            end_timestamp=told[summary.keep_from - 1][0].timestamp,
            compacted_content=types.Content(role="model", parts=[types.Part(text=summary.text)]),
        )
        return Event(author="user", actions=EventActions(compaction=compaction), invocation_id=Event.new_id())


class NanobotMemoryService(BaseMemoryService):
    """The memory behind the kit's own tools, ``load_memory`` and ``preload_memory``.

    A plugin does more: it recalls by itself, notes tools, and knows who said what when.
    """

    def __init__(self, memory: MemoryService, *, whose: WhoseSession = of_user) -> None:
        self._memory = memory
        self._whose = whose

    async def add_session_to_memory(self, session: Any) -> None:
        """Keep what of a session is not known yet."""
        messages = [message for event in session.events for message in event_messages(event)]
        await self._memory.resume(session_key(session), messages, scope=self._whose(session))

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep what of some events is not known yet."""
        session = Session(id=session_id or "?", app_name=app_name, user_id=user_id, events=list(events))
        await self.add_session_to_memory(session)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> Any:
        """Return the best memories, each fenced as a reference, the best first."""
        scope = self._whose(Session(id="", app_name=app_name, user_id=user_id))

        async def search(memory: MemoryHost) -> list[Any]:
            visible = memory.visible_scope(scope)
            hits = (await memory.search(Query(text=query, limit=_RESULTS, scope=visible))).hits
            return list(await memory.plugins.withholding.hits(_NO_PLUGIN, scope, list(hits)))

        limit = self._memory.tool_limit
        found = await self._memory.call(search, limit=limit) if query.strip() else None
        return SearchMemoryResponse(memories=[_entry(hit) for hit in found or ()])


def _entry(hit: Any) -> Any:
    text = fence([hit.text], language=language_of(hit.text)) or ""
    when = hit.time.isoformat() if hit.time is not None else None
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return MemoryEntry(id=hit.id, content=content, author=hit.speaker or hit.origin.value, timestamp=when)
