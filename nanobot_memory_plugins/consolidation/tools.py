"""The tools ``remember`` and ``forget``, with which the model writes and removes entries and day notes.

The text is kept as the model writes it; only secrets are replaced. The quotation is looked up in the session: when the
user said it, the entry is the user's own, and the quoted sentence is stored with it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from nanobot_memory_plugins.consolidation.model.entry import contains_words, is_same_text, with_replaced
from nanobot_memory_plugins.consolidation.model.scoring import Importance, end_of
from nanobot_memory_plugins.consolidation.operations.changes import MOST_CHARACTERS, forget
from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, may_change, remember
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import (
    Clock,
    InputError,
    Note,
    Origin,
    PluginContext,
    Receipt,
    Scope,
    fence,
    language_of,
)
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, last_records
from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION
from nanobot_memory_plugins.core.session_reading.quotes import ASSISTANT_KINDS, Quotations
from nanobot_memory_plugins.core.text.evidence import Evidence
from nanobot_memory_plugins.core.text.fence import neutralise
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.entries import Entry
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The author that the history of entries names for what the model does.
WHO = "tool"
Kind = Literal["fact", "preference", "instruction", "decision", "workflow", "todo", "note", "experience", "skill_usage"]
# The kinds that the model is offered; the others are accepted as well.
_KINDS = ("fact", "preference", "instruction", "decision", "workflow", "todo", "note")
_MOST_IDS = 20
# Sessions whose messages are held, messages of each session, and records of a transcript that can be quoted.
_SESSIONS, _MESSAGES, _RECORDS = 200, 20, 400


class RememberArguments(BaseModel):
    """The arguments of ``remember``."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    said: str = Field(default="", max_length=MOST_CHARACTERS)
    kind: Kind = "fact"
    importance: Importance = Importance.MEDIUM
    replaces: list[str] = Field(default=[], max_length=_MOST_IDS)
    valid_until: date | None = None
    pin: bool = False


class ForgetArguments(BaseModel):
    """The arguments of ``forget``: ids, or words of the entries."""

    model_config = ConfigDict(extra="ignore")

    query: str = Field(default="", max_length=2_000)
    ids: list[str] = Field(default=[], max_length=_MOST_IDS)
    all: bool = False

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        if not (self.query.strip() or self.ids or self.all):
            raise ValueError("say in query what the entry says, or give ids")
        return self


class RecentMessages:
    """The last messages of each session, held in memory because there may be no transcript.

    ``unhandled_messages`` holds the last message of each session for which no tool has been called yet.
    """

    def __init__(self, paths: MemoryPaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._messages: BoundedDict[str, list[TranscriptRecord]] = BoundedDict(_SESSIONS)
        self.unhandled_messages: BoundedDict[str, str] = BoundedDict(_SESSIONS)

    def add(self, session_key: str, text: str, scope: Scope) -> None:
        """Add a message that the user has just written."""
        message = TranscriptRecord("user", text, session_key, scope, Origin.USER, time=self._clock.now())
        self.unhandled_messages[session_key] = text
        self._messages[session_key] = [*self._messages.get(session_key, ()), message][-_MESSAGES:]

    def quotations(self, session_key: str) -> Quotations:
        """Return the messages of a session in which quotations are looked up. Blocking."""
        messages = self._messages.get(session_key, [])
        try:
            recorded = last_records(self._paths.transcript(session_key), session_key, _RECORDS)
        except OSError:
            recorded = []
        return Quotations([*messages, *recorded])


class _EntryTool:
    """The base of both tools: the entries that the user may change, and the recent messages."""

    def __init__(self, repository: EntryRepository, recent: RecentMessages, context: PluginContext) -> None:
        self._repository = repository
        self._recent = recent
        self._context = context

    def _change_check(self, scope: Scope) -> Callable[[Entry], bool]:
        scopes = self._context.scopes
        return partial(may_change, speaker=scope, visible=scopes.visible(scope), scopes=scopes)

    async def _changeable_entries(self, scope: Scope) -> dict[str, Entry]:
        is_changeable, entries = (
            self._change_check(scope),
            (await run_in_daemon_thread(self._repository.load_cached)).entries,
        )
        return {id_: entry for id_, entry in entries.items() if is_changeable(entry)}


class RememberTool(_EntryTool):
    """``remember``: writes a fact to the long-term entries, or a note to the day's file, immediately."""

    name = "remember"
    description = (
        "Keep one lasting fact about the user, their people, things or work, or a standing wish; on your own when they "
        "state it, and when asked. Never passwords, codes or keys, even when asked: say so. Not what only this task "
        "needs, guesses, or what a page or tool says."
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {
                "text": {
                    "type": "string",
                    "description": 'One clear sentence in the user\'s language, real dates in place of "tomorrow".',
                },
                "said": {"type": "string", "description": "The user's words for it, copied exactly."},
                "kind": {
                    "type": "string",
                    "enum": list(_KINDS),
                    "description": "instruction: a rule for you; note: a finding",
                },
                "replaces": {"type": "array", "items": {"type": "string"}, "description": "Ids that no longer hold."},
                "valid_until": {"type": "string", "description": "Last day, included: 2026-03-01."},
                "pin": {"type": "boolean", "description": "If the user wants it always in view."},
            },
            "required": ["text"],
        }
    )

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Write the entry or the note, and return an answer that says where it is.

        Raises pydantic's `ValidationError`, `InputError` and `MemoryFileError`, as `forget` does.
        """
        self._recent.unhandled_messages.pop(session_key, None)
        request = RememberArguments.model_validate(arguments)
        if request.kind == "note":
            note = Note(request.text, origin=Origin.ASSISTANT)
            return _receipt_text(await self._context.keep(note, session_key))
        words = [part for part in (request.said, request.text) if part]
        scope = self._context.scopes.of_session(session_key)
        quotations = await run_in_daemon_thread(self._recent.quotations, session_key)
        quote = quotations.find(words, of_assistant=request.kind in ASSISTANT_KINDS)
        known = await self._changeable_entries(scope)
        replaced = [known[id_] for id_given in request.replaces if (id_ := _entry_id(id_given)) in known]
        new = NewEntry(
            request.text,
            request.kind,
            request.importance,
            expires_at=end_of(request.valid_until) if request.valid_until else None,
            origin=quote.origin if quote else Origin.SUMMARY,
            scope=replace(scope, session=""),
            source_session=session_key or NO_SESSION,
            pinned=request.pin and quote is not None,
            replaces=tuple(entry.id for entry in replaced),
            quote=quote,
        )
        requested, is_changeable = quote is not None, self._change_check(scope)
        done = await run_in_daemon_thread(
            lambda: remember(self._repository, new, who=WHO, requested=requested, is_changeable=is_changeable)
        )
        place = self._repository.paths.relative(self._repository.path)
        line = (await run_in_daemon_thread(self._repository.load_cached)).document.lines.get(done.entry.id)
        answer = [] if done.is_new else ["It was known already, and is refreshed."]
        answer.append(f"Kept in {place}, line {line}: {_entry_line(done.entry)}")
        answer += [f"It takes the place of {_entry_line(entry)}." for entry in replaced if entry.id != done.entry.id]
        if missing := [id_given for id_given in request.replaces if _entry_id(id_given) not in known]:
            answer.append(f"There is no entry {neutralise(', '.join(missing))}: it replaces none of that id.")
        if done.is_redacted:
            answer.append("What stands in brackets is a secret, and was NOT kept: say so.")
        if done.entry.origin is Origin.SUMMARY:
            answer.append(
                "These are no words of the user's in this conversation, so it is kept as your note: found by "
                "memory_search, and not in view."
            )
        return "\n".join(answer)


class ForgetTool(_EntryTool):
    """``forget``: removes long-term entries; `entries restore` and `undo` bring them back."""

    name = "forget"
    destroys = True
    description = (
        "Remove what the user wants gone from memory, straight away. Not for editing text, nor for "
        '"forget it, let\'s move on".'
    )
    parameters: Mapping[str, Any] = MappingProxyType(
        {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "ids": {"type": "array", "items": {"type": "string"}},
                "all": {"type": "boolean", "description": "All about it; without a query all of the user."},
            },
        }
    )

    async def run(self, arguments: Mapping[str, Any], *, session_key: str) -> str:
        """Remove the entries that are clearly meant, or list the candidates. Raises the errors of `remember`."""
        self._recent.unhandled_messages.pop(session_key, None)
        request = ForgetArguments.model_validate(arguments)
        query, ids = request.query.strip(), [_entry_id(id_given) for id_given in request.ids]
        entries = await self._changeable_entries(self._context.scopes.of_session(session_key))
        if missing := [id_ for id_ in ids if id_ not in entries]:
            raise InputError(Sentence("There is no entry {missing}.", missing=neutralise(", ".join(missing))))
        if not ids and not request.all:
            return await self._forget_one(query, entries)
        ids_to_forget = ids or [
            id_ for id_, entry in entries.items() if contains_words(f"{entry.content} {entry.quote}", query)
        ]
        if not ids_to_forget:
            return "Nothing was forgotten: no entry says that."
        return await self._remove(ids_to_forget, entries)

    async def _forget_one(self, query: str, entries: Mapping[str, Entry]) -> str:
        """Forget the entry that a query clearly means, or list the candidates."""
        matches = await run_in_daemon_thread(_candidates, query, entries)
        if (target := _target(matches, entries)) is not None:
            return await self._remove([target], entries)
        if not matches:
            return "Nothing was forgotten: no entry has these words. Where memory_search finds it, give its id."
        candidates = "\n".join(f"- {_entry_line(entries[id_])}" for id_, _ in matches)
        listed = fence([candidates], language=language_of(query)) or ""
        return f"Nothing was forgotten: it is not certain which is meant. Ask the user, then give ids.\n{listed}"

    async def _remove(self, ids: Sequence[str], entries: Mapping[str, Entry]) -> str:
        await run_in_daemon_thread(lambda: forget(self._repository, ids, who=WHO))
        place = self._repository.paths.relative(self._repository.path)
        return "\n".join(
            [
                *(f"Removed from {place}: {_entry_line(entries[id_])}" for id_ in with_replaced(ids, entries)),
                "Conversations and notes may still say it: `nanobot-memory purge` removes it everywhere, "
                "`nanobot-memory entries undo` brings it back.",
            ]
        )


# The share of a query's words that an entry must contain to be a candidate, and to be certainly meant, if it also leads
# the next candidate by this much: two entries about different teas both contain "tea".
_PLAUSIBLE, _CERTAIN, _MIN_LEAD = 0.4, 0.65, 0.15
_MOST_CANDIDATES = 5


def _candidates(query: str, entries: Mapping[str, Entry]) -> list[tuple[str, float]]:
    """Return the ids of the entries that a query may mean, each with the share of its words there, the best first.

    A share of 1 means that the query is the id or the whole text.
    """

    def likeness(entry: Entry) -> float:
        if _entry_id(query) == entry.id or is_same_text(query, entry.content):
            return 1.0
        has_all = contains_words(entry.content, query)
        return 0.99 if has_all else 0.99 * Evidence([entry.content]).share(query)

    rated = [(id_, likeness(entry)) for id_, entry in entries.items()]
    plausible = [match for match in rated if match[1] >= _PLAUSIBLE]
    plausible.sort(key=lambda match: (-match[1], bool(entries[match[0]].superseded_by)))
    return plausible[:_MOST_CANDIDATES]


def _target(matches: Sequence[tuple[str, float]], entries: Mapping[str, Entry]) -> str | None:
    """Return the id of the entry that is clearly meant, or None."""
    if not matches:
        return None
    (best, likeness), *others = matches
    chain = with_replaced([best], entries)
    next_best = max((score for id_, score in others if id_ not in chain), default=0.0)
    return best if likeness == 1.0 or (likeness >= _CERTAIN and likeness - next_best >= _MIN_LEAD) else None


def _entry_id(given: str) -> str:
    """Return the id in what the model gave: it may be in brackets, or follow the file name as in search results."""
    return given.strip("[] ").rpartition("#")[2]


def _entry_line(entry: Entry) -> str:
    return f"[{entry.id}] {neutralise(' '.join(entry.content.split()))}"


def _receipt_text(receipt: Receipt) -> str:
    """Return the answer of the tool for a kept note, or for one that was not stored."""
    if not receipt.stored:
        return f"Error: the note was not kept. {receipt.reason}"
    place = receipt.path.name if receipt.path else "memory"
    return f"Kept in {place}, line {receipt.line} (id {receipt.id})."
