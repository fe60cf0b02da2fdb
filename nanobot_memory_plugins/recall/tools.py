"""The memory tools for the model: search, read a profile or a timeline, and read one memory in full."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from nanobot_memory_plugins.core import (
    Hit,
    MemoryTool,
    NanobotMemoryError,
    Origin,
    PluginContext,
    Query,
    Scope,
    Store,
    fence,
    language_of,
)
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.text.days import parse_moment
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.recall.block import speaker_of
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.profile import entries_about, profile_text
from nanobot_memory_plugins.recall.timeline import timeline

NO_STORE = "Memory search is not available: no store is open. `nanobot-memory doctor` says why."
NO_QUERY = "Error: query: say what to look for"
_SNIPPET_CHARS = 360
_MAX_NAME_CHARS = 40
_MAX_NUMBER_DIGITS = 6


class SearchArguments(BaseModel):
    """The arguments of a search. A day, month or year as ``until`` means its end; times without zone are local."""

    model_config = ConfigDict(extra="ignore")

    query: str = Field(default="", max_length=10_000)
    limit: int = Field(default=8, ge=1, le=30)
    since: datetime | None = None
    until: datetime | None = None
    origin: Origin | None = None
    source: Literal["long_term", "note", "observation", "summary", "transcript", "document"] | None = None

    @field_validator("since", "until", mode="before")
    @classmethod
    def _moment(cls, value: object, info: ValidationInfo) -> object:
        try:
            return parse_moment(str(value), end=info.field_name == "until")
        except ValueError as error:
            raise ValueError(f"{error}; write a date as 2026-02-16, or a time as 2026-02-16T09:30") from error

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.since is not None and self.until is not None and self.since > self.until:
            raise ValueError("since is after until; exchange them")
        return self


class MemorySearch:
    """``memory_search``: searches the index by words and meaning. ``name`` offers it under another name."""

    reads_only = True
    description = (
        "Search earlier conversations, notes, decisions, tool results. Use it before you say you do not know, and for "
        "past dates, names and decisions. Without a query: all about the user, or what was said since..until; a name "
        "alone: all about them. Cite file and line."
    )
    # Short, since it is in every prompt. `run` also accepts ``limit``, ``origin`` and ``source``.
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "since": {"type": "string", "description": "2026-02-16"},
                "until": {"type": "string", "description": "Included."},
            },
        }
    )

    def __init__(self, context: PluginContext, *, name: str = "memory_search") -> None:
        self._context = context
        self.name = name

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Return the hits as fenced lines with id, date, file and line, or a text that there are none.

        Raises pydantic's `ValidationError` and `StoreError`.
        """
        search = SearchArguments.model_validate(arguments)
        context, store = self._context, self._context.store
        visible = context.scopes.visible(Scope(session=session_key))
        matching_entries: Sequence[Entry] = ()
        is_narrowed = search.since or search.until or search.origin or search.source
        may_mean_profile = not is_narrowed and len(search.query) <= _MAX_NAME_CHARS  # the user's, or that of a name
        is_profile_request = may_mean_profile and not search.query
        if may_mean_profile and (access := context.entries) is not None:
            matching_entries = await run_in_daemon_thread(
                lambda: entries_about(access.entries().entries, search.query, visible)
            )
        elif is_profile_request:
            return NO_QUERY
        lines: list[tuple[str, Hit]] = []
        if store is not None and not is_profile_request:
            query = Query(
                text=search.query,
                limit=search.limit,
                scope=visible,
                since=search.since,
                until=search.until,
                origins=frozenset({search.origin}) if search.origin else frozenset(),
                sources=frozenset({search.source}) if search.source else frozenset(),
                asked_at=context.clock.now().astimezone(),
            )
            is_timeline = not (search.query or search.source or search.origin)
            lines = await (_conversations(store, query) if is_timeline else self._hits(store, query, matching_entries))
        elif store is None and not matching_entries:
            return NO_STORE
        texts = [entry.content for entry in matching_entries] + [hit.text for _, hit in lines]
        language = language_of(search.query or " ".join(texts))
        excerpts = "\n".join(f"{prefix}{_hit_line(hit)}" for prefix, hit in lines)
        about = profile_text(matching_entries, search.query, language) if may_mean_profile else ""
        return fence(filter(None, [about, excerpts]), language=language) or "Nothing was found in memory."

    async def _hits(self, store: Store, query: Query, matching_entries: Sequence[Entry]) -> list[tuple[str, Hit]]:
        hits = (await store.search(query)).hits
        texts = [entry.content for entry in matching_entries]
        return [("- ", hit) for hit in hits if hit.source != "long_term" or not any(text in hit.text for text in texts)]


async def _conversations(store: Store, query: Query) -> list[tuple[str, Hit]]:
    """Return the best hit of each conversation of a period, with the start of its line. Raises `StoreError`."""
    conversations, has_more = await timeline(store, query)
    lines = [
        (f"- {conversation.session or '-'} | {conversation.count} | ", conversation.best_hit)
        for conversation in conversations
    ]
    if has_more and lines:
        before, first = lines[0]
        lines[0] = (f"(Earlier conversations are left out: narrow since and until.)\n{before}", first)
    return lines


class MemoryGet:
    """``memory_get``: one memory in full."""

    name = "memory_get"
    reads_only = True
    description = "Read a memory of memory_search in full."
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
        }
    )

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Return the fenced memory, or a text that there is none with this id."""
        store = self._context.store
        if store is None:
            return NO_STORE
        try:
            hit_id = str(arguments.get("id") or "").strip()
            if not hit_id:
                return "Error: id: name the memory to read; memory_search gives ids"
            hit = await store.read(hit_id)
        except NanobotMemoryError as error:
            return f"Error: {error}"
        visible = self._context.scopes.visible(Scope(session=session_key))
        if hit is None or not visible.allows(hit.scope):
            return "There is no memory with this id. Ids come from memory_search."
        text = f"{_source(hit)}\n{hit.text}"
        for direction, neighbour in zip(("It begins before this", "It goes on"), _neighbour_ids(hit_id), strict=True):
            neighbour_hit = await store.read(neighbour) if neighbour else None
            if neighbour_hit is not None and neighbour_hit.path == hit.path and visible.allows(neighbour_hit.scope):
                text += f"\n({direction}: id {neighbour})"
        return fence([text], language=language_of(hit.text)) or "The memory is empty."


def _neighbour_ids(hit_id: str) -> tuple[str, str]:
    """Return the ids of the parts before and after one part of a long memory (a, a/1, a/2), empty before the first."""
    base, _, number = hit_id.rpartition("/")
    if not (base and number.isascii() and number.isdecimal() and len(number) < _MAX_NUMBER_DIGITS):
        return "", f"{hit_id}/1"
    place = int(number)
    return f"{base}/{place - 1}" if place > 1 else base, f"{base}/{place + 1}"


def memory_tools(context: PluginContext) -> list[MemoryTool]:
    """Return the tools of recall, and the search also as ``recall_memory`` if the options ask for it."""
    tools: list[MemoryTool] = [MemorySearch(context), MemoryGet(context)]
    if isinstance(context.options, RecallOptions) and context.options.recall_memory_alias:
        tools.append(MemorySearch(context, name="recall_memory"))
    return tools


def _hit_line(hit: Hit) -> str:
    text = " ".join((hit.snippet or hit.text)[:_SNIPPET_CHARS].split())
    question = f"\n  (asked: {' '.join(hit.answers.split())})" if hit.answers else ""
    return f"id {hit.id} | {_source(hit)}{question}\n  {text}"


def _source(hit: Hit) -> str:
    date = f"{hit.time.astimezone():%Y-%m-%d %H:%M} | " if hit.time else ""
    kind = f" | {hit.source}" if hit.source else ""
    project = f" | project {' '.join(hit.scope.project.split())}" if hit.scope.project else ""
    return f"{date}{speaker_of(hit)}{kind}{project} | {hit.path}:{hit.line}"
