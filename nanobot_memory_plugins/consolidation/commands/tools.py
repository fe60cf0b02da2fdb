"""The tools with which the model remembers and forgets: entries, and notes of a day."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator

from nanobot_memory_plugins.consolidation.commands.answers import place_of, stands
from nanobot_memory_plugins.consolidation.commands.conversations import Conversations
from nanobot_memory_plugins.consolidation.commands.correcting import with_superseded
from nanobot_memory_plugins.consolidation.commands.executor import forgettable
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.plan_days import end_of
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.forget import forget_what
from nanobot_memory_plugins.consolidation.operations.remember import MOST_CHARACTERS, NewEntry
from nanobot_memory_plugins.core import (
    MemoryTool,
    NanobotMemoryError,
    Note,
    Origin,
    PluginContext,
    fence,
    language_of,
    neutralise,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.host import FACT_PARAMETERS, told_invalid, told_receipt
from nanobot_memory_plugins.core.scopes import NO_SESSION, without_session
from nanobot_memory_plugins.core.text import UserAttribution, clean

# Who is named in the journal for what the model does.
WHO = "tool"
_NOTE = "note"
_MOST_DETAILS = 100_000


class RememberArguments(BaseModel):
    """What the model hands over. A ``kind`` that is no note is the category of an entry."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    said: str = Field(default="", max_length=MOST_CHARACTERS)
    kind: Category | Literal["note"] = Field(default=Category.FACT, validation_alias=AliasChoices("kind", "category"))
    details: str = Field(default="", max_length=_MOST_DETAILS)
    importance: Importance = Importance.MEDIUM
    expires_at: datetime | None = None
    pin: bool = False
    group: str = Field(default="", max_length=200)

    @field_validator("expires_at", mode="before")
    @classmethod
    def _whole_day(cls, value: object) -> object:
        """Return the end of a day that is named without an hour: what is due on it is not over when it begins."""
        try:
            return end_of(date.fromisoformat(value.strip()), None) if isinstance(value, str) else value
        except ValueError:
            return value

    @field_validator("expires_at")
    @classmethod
    def _aware(cls, value: datetime | None) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class ForgetArguments(BaseModel):
    """What the model hands over: an id, or what the entry says."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(default="", max_length=200)
    query: str = Field(default="", max_length=2_000)


class Remember:
    """``remember``: a fact into the long-term entries, or a note into the file of its day, at once."""

    name = "remember"
    description = (
        "Keep one lasting thing: a fact about the user or their work, a preference, a decision, a todo; as a note, "
        "what took effort to find out. Use it on your own initiative when the user states one, and when they ask. Not "
        "for secrets, guesses, what is kept already (see the notes beside the message), or what a page or tool says. "
        "Confirm only what it answers."
    )
    # Short: it stands in every prompt. What is not named here is taken all the same: ``group``, ``category``.
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {
                **FACT_PARAMETERS,
                "kind": {"type": "string", "enum": ["fact", "preference", "decision", "workflow", "todo", _NOTE]},
                "details": {"type": "string", "description": "Of a note: reasons, numbers, commands."},
                "importance": {"type": "string", "enum": [one.value for one in Importance]},
                "expires_at": {"type": "string", "description": "End of a todo: 2026-03-01."},
                "pin": {"type": "boolean", "description": "If the user wants it always seen."},
            },
            "required": ["text"],
        }
    )

    def __init__(self, memory: AsyncEntryRepository, words: UserAttribution, context: PluginContext) -> None:
        self._memory = memory
        self._words = words
        self._context = context

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Write the entry or the note; the answer says where it stands, or what is wrong."""
        try:
            wanted = RememberArguments.model_validate(_given(arguments))
        except ValidationError as error:
            return told_invalid("nothing was remembered", error)
        texts = [text for text in (wanted.text, wanted.details if wanted.kind == _NOTE else "") if text]
        own = await run_in_daemon_thread(
            lambda: all(self._words.hold(session_key, text, [wanted.said]) for text in texts)
        )
        if wanted.kind == _NOTE:
            origin = Origin.USER if own else Origin.ASSISTANT
            return told_receipt(
                await self._context.keep(Note(wanted.text, details=wanted.details, origin=origin), session_key)
            )
        scope = self._context.known_scope(session_key)
        said = NewEntry(
            wanted.text,
            category=Category(wanted.kind),
            importance=wanted.importance,
            group=wanted.group,
            expires_at=wanted.expires_at,
            origin=Origin.USER if own else Origin.SUMMARY,
            scope=without_session(scope),
            source_session=session_key or NO_SESSION,
            pinned=wanted.pin and own,
            visible=self._context.visible_scope(scope),
        )
        try:
            said, corrected = await with_superseded(said, self._memory, scope, self._context)
            done = await self._memory.remember(said, who=WHO, asked=own)
        except NanobotMemoryError as error:
            return f"Error: nothing was remembered. {error}"
        known = "" if done.is_new else "It was known already, and is refreshed. "
        hidden = " What stands in brackets is a secret, and was NOT kept: say so." if done.hidden else ""
        pinned = " It was NOT pinned: the user has not said it." if wanted.pin and not own else ""
        over = "".join(f" It takes the place of {_line(one)}." for one in corrected if one.id != done.entry.id)
        return f"{known}Written to {place_of(done.outcome.path)}: {_line(done.entry)}{over}{hidden}{pinned}"


class ForgetTool:
    """``forget``: an entry out of the long-term entries; the journal can bring it back."""

    name = "forget"
    destroys = True
    description = (
        "Remove an entry from your long-term memory, only when the user wants it gone. Where several may be meant none "
        "goes: ask which one. Tell the user what it answers."
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What it says, or its id."}},
            "required": ["query"],
        }
    )

    def __init__(
        self,
        memory: AsyncEntryRepository,
        matcher: Matcher,
        context: PluginContext,
        conversations: Conversations,
    ) -> None:
        self._memory = memory
        self._conversations = conversations
        self._by_words = Matcher()
        self._by_meaning = matcher
        self._context = context

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Remove the entry that is plainly meant, or say which ones may be."""
        try:
            wanted = ForgetArguments.model_validate(_given(arguments))
        except ValidationError as error:
            return told_invalid("nothing was forgotten", error)
        text = (wanted.id or wanted.query).strip().strip("[]")
        if not text:
            return "Error: nothing was forgotten. Say in query what the entry says, or give its id."
        try:
            scope = self._context.known_scope(session_key)
            visible = self._context.visible_scope(scope)
            entries = forgettable((await self._memory.load()).entries, scope, self._context)
            if wanted.id and text not in entries:
                return f"Error: nothing was forgotten. There is no entry {neutralise(text)}."
            found = await forget_what(
                self._memory, text, entries, by_words=self._by_words, by_meaning=self._by_meaning, who=WHO
            )
        except NanobotMemoryError as error:
            return f"Error: nothing was forgotten. {error}"
        if found.outcome is not None:
            lines = [f"Removed from {place_of(found.outcome.path)}: {_line(entry)}" for entry in found.entries]
            return "\n".join([*lines, stands(await self._conversations.plan_of(found.entries, visible))])
        if not found.candidates:
            return "Nothing was forgotten: no entry says that."
        lines = [f"- {_line(entry)}" for entry in found.candidates]
        listed = fence(["\n".join(lines)], language=language_of(text)) or ""
        return (
            f"Nothing was forgotten: it is not certain which entry is meant. Ask the user, then use the id.\n{listed}"
        )


def entry_tools(
    memory: AsyncEntryRepository,
    words: UserAttribution,
    matcher: Matcher,
    context: PluginContext,
    conversations: Conversations,
) -> list[MemoryTool]:
    """Return the tools that remember and forget."""
    return [Remember(memory, words, context), ForgetTool(memory, matcher, context, conversations)]


def _line(entry: Entry) -> str:
    return f"[{entry.id}] {neutralise(' '.join(entry.content.split()))}"


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that say something. Models send halves of surrogate pairs; pydantic takes none."""
    given = {name: clean(value) if isinstance(value, str) else value for name, value in arguments.items()}
    return {name: value for name, value in given.items() if value not in (None, "")}
