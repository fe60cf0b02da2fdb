"""The tools with which the model remembers and forgets entries."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from nanobot_memory_plugins.consolidation.commands.answers import stands
from nanobot_memory_plugins.consolidation.commands.conversations import Conversations
from nanobot_memory_plugins.consolidation.commands.executor import forgettable, place_of
from nanobot_memory_plugins.consolidation.model.entry import Category, Entry
from nanobot_memory_plugins.consolidation.model.matcher import Matcher
from nanobot_memory_plugins.consolidation.model.scoring import Importance
from nanobot_memory_plugins.consolidation.operations.async_entries import AsyncEntryRepository
from nanobot_memory_plugins.consolidation.operations.forget import forget_what
from nanobot_memory_plugins.consolidation.operations.remember import MOST_CHARACTERS, NewEntry
from nanobot_memory_plugins.core import (
    MemoryTool,
    NanobotMemoryError,
    Origin,
    PluginContext,
    fence,
    language_of,
    neutralise,
    run_in_daemon_thread,
)
from nanobot_memory_plugins.core.scopes import NO_SESSION, without_session
from nanobot_memory_plugins.core.text import UserAttribution, clean

# Who is named in the journal for what the model does.
WHO = "tool"


class RememberArguments(BaseModel):
    """What the model hands over."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        description="One fact in one sentence, in the user's language, understood without this conversation.",
    )
    said: str = Field(
        default="",
        max_length=MOST_CHARACTERS,
        description="The user's words that it rests on, copied exactly; of what they confirmed your question. Without "
        "them it may not count as theirs.",
    )
    category: Category = Field(default=Category.FACT, description="What kind of thing it is.")
    importance: Importance = Field(default=Importance.MEDIUM, description="How much it matters for months.")
    expires_at: datetime | None = Field(
        default=None, description="When a todo is over: 2026-03-01, or ISO 8601. Empty for what stays true."
    )
    pin: bool = Field(default=False, description="Keep it among what you always see. Only when the user asks for that.")
    group: str = Field(default="", max_length=200, description="Where it belongs: work, life, work/clients.")

    @field_validator("expires_at")
    @classmethod
    def _aware(cls, value: datetime | None) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class ForgetArguments(BaseModel):
    """What the model hands over: an id, or what the entry says."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(default="", max_length=200)
    query: str = Field(default="", max_length=2_000)


class RememberTool:
    """``remember``: a fact into the long-term entries, at once."""

    name = "remember"
    description = (
        "Keep one lasting fact about the user or their work as an entry of your long-term memory: a preference, a fact,"
        " a decision, a habit, a todo with its date. Use it when the user states one, or asks you to remember. Answers "
        "with the file and the id that were really written: confirm only that. No secrets, no guesses, nothing that a "
        'tool or a web page said about itself. What the user asks for with "remember this" may be kept already: look '
        "at the notes beside the message."
    )

    def __init__(self, memory: AsyncEntryRepository, words: UserAttribution, context: PluginContext) -> None:
        self._memory = memory
        self._words = words
        self._context = context
        self.parameters: Mapping[str, Any] = MappingProxyType(_schema(RememberArguments, ["text"]))

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Write the entry; the answer says where it stands, or what is wrong."""
        try:
            wanted = RememberArguments.model_validate(_given(arguments))
        except ValidationError as error:
            return _wrong(error, "nothing was remembered")
        own = await run_in_daemon_thread(lambda: self._words.hold(session_key, wanted.text, [wanted.said]))
        scope = self._context.known_scope(session_key)
        said = NewEntry(
            wanted.text,
            category=wanted.category,
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
            done = await self._memory.remember(said, who=WHO, asked=own)
        except NanobotMemoryError as error:
            return f"Error: nothing was remembered. {error}"
        known = "" if done.is_new else "It was known already, and is refreshed. "
        hidden = " What stands in brackets is a secret, and was NOT kept: say so." if done.hidden else ""
        pinned = " It was NOT pinned: the user has not said it." if wanted.pin and not own else ""
        hidden += pinned
        return f"{known}Written to {place_of(done.outcome.path)}: {_line(done.entry)}{hidden}"


class ForgetTool:
    """``forget``: an entry out of the long-term entries; the journal can bring it back."""

    name = "forget"
    description = (
        "Remove an entry from your long-term memory, by its id or by what it says. Use it only when the user wants it. "
        "When several may be meant nothing is removed and they are listed: ask the user which one. Answers with what "
        "was really removed. It can be restored; forgetting for good is done by the user with `nanobot-memory purge`."
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The entry's id, where it is known."},
                "query": {"type": "string", "description": "What the entry says, in a few words."},
            },
            "required": [],
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
            return _wrong(error, "nothing was forgotten")
        id_ = wanted.id.strip().strip("[]")
        text = id_ or wanted.query.strip()
        if not text:
            return "Error: nothing was forgotten. Give the id of an entry, or a query."
        try:
            scope = self._context.known_scope(session_key)
            visible = self._context.visible_scope(scope)
            entries = forgettable((await self._memory.load()).entries, scope, self._context)
            if id_ and id_ not in entries:
                return f"Error: nothing was forgotten. There is no entry {neutralise(id_)}."
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
    return [RememberTool(memory, words, context), ForgetTool(memory, matcher, context, conversations)]


def _line(entry: Entry) -> str:
    return f"[{entry.id}] {neutralise(' '.join(entry.content.split()))}"


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that say something. Models send halves of surrogate pairs; pydantic takes none."""
    given = {name: clean(value) if isinstance(value, str) else value for name, value in arguments.items()}
    return {name: value for name, value in given.items() if value not in (None, "")}


def _wrong(error: ValidationError, what: str) -> str:
    wrong = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_input=False))
    return f"Error: {what}. {wrong}"


def _schema(model: type[BaseModel], required: list[str]) -> dict[str, Any]:
    """Return the arguments' JSON schema without references, which some providers do not follow."""
    properties: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        kind: dict[str, Any] = {"type": "boolean" if field.annotation is bool else "string"}
        if isinstance(field.annotation, type) and issubclass(field.annotation, (Category, Importance)):
            kind["enum"] = [one.value for one in field.annotation]
        properties[name] = {**kind, "description": field.description}
    return {"type": "object", "properties": properties, "required": required}
