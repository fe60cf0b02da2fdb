"""The entries in the system prompt: the best few, as a text that stays the same all day unless entries change."""

import threading
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date, datetime

from nanobot_memory_plugins.consolidation.model.entry import is_in_project, is_visible
from nanobot_memory_plugins.consolidation.model.scoring import IMPORTANCES, Importance, entry_as_of, last_day
from nanobot_memory_plugins.consolidation.options import ConsolidationOptions
from nanobot_memory_plugins.consolidation.store.document import TITLE, EntryDocument, Slot, Text, parse
from nanobot_memory_plugins.consolidation.store.entry_text import shown_date, shown_score
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository, Snapshot
from nanobot_memory_plugins.core import Message, Origin, PluginContext, PromptEntries, estimate_tokens, logger
from nanobot_memory_plugins.core.errors import MemoryFileError
from nanobot_memory_plugins.core.text.conversation import dominant_language
from nanobot_memory_plugins.core.text.fence import Language, neutralise
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
from nanobot_memory_plugins.core.values.entries import INSTRUCTION, Entry, Section

_CACHED_RESULTS = 64
MOST_INSTRUCTIONS = 10
# A plan moves to the front this many days before its last day.
_DUE_WITHIN = 7
_RANKS = {importance.value: rank for rank, importance in enumerate(IMPORTANCES)}

_HEADINGS: dict[Language, tuple[str, str]] = {
    "zh": ("# 历史记忆", "关于用户的关键信息："),
    "en": ("# Memory of earlier conversations", "Key facts about the user:"),
}
# In a group chat the facts are about several users.
_GROUP_LINE: dict[Language, str] = {
    "zh": "群聊成员说过的关键信息：",
    "en": "Key facts that members of this group have told in it:",
}
_INSTRUCTIONS: dict[Language, str] = {
    "zh": "用户要求过（原话）：",
    "en": "The user has asked for, in their words:",
}
_UNTIL: dict[Language, str] = {"zh": "，到{day}为止", "en": ", until {day}"}


def prompt_text(
    entries: Iterable[Entry],
    language: Language,
    now: datetime,
    options: ConsolidationOptions,
    *,
    in_group: bool = False,
) -> str:
    """Return the text for the prompt, heading included, or the empty string when there are no entries for it.

    The newest instructions, then the best entries, are taken while they fit the options' estimated tokens; an entry
    that is too long is left out whole. A group chat shows no instructions, because several people write there. Text
    that imitates the markers of injected memories is replaced. The same entries give the same text.
    """
    entries = list(entries)
    heading, line = _HEADINGS[language]
    head = f"{heading}\n\n{_GROUP_LINE[language] if in_group else line}"
    room = options.prompt_tokens - estimate_tokens(head)
    instructions: list[str] = []
    if not in_group:
        newest_first = (_instruction_line(entry, language) for entry in reversed(_current_instructions(entries)))
        instructions = fitting_lines(newest_first, room - estimate_tokens(_INSTRUCTIONS[language]) - 2)[::-1]
        room -= sum(estimate_tokens(item) + 1 for item in instructions)
    facts = fitting_lines((_fact_line(entry, language) for entry in best_entries(entries, now, options)), room)
    below = "\n".join((_INSTRUCTIONS[language], *instructions)) if instructions else ""
    above = "\n".join((head, *facts)) if facts else heading if below else ""
    return "\n\n".join(filter(None, (above, below)))


def best_entries(entries: Iterable[Entry], now: datetime, options: ConsolidationOptions) -> list[Entry]:
    """Return the entries for the prompt: pinned entries, those due soon, then the highest scores.

    When there are too many, the most important are taken, and among those the most recently used. Replaced and
    expired entries are excluded. An entry must be active, and be pinned or have the options' score, unless it is due
    within a week. Only the user's statements and confirmed findings of the assistant are included: a model believes its
    system prompt most, and its own notes may paraphrase a web page. Recall shows the rest, inside its fence.
    The order is by the displayed score, then by id, so that a day's fading, which lowers all scores equally, does not
    move an entry.
    """
    candidates = [
        entry
        for entry in entries
        if entry.kind != INSTRUCTION
        and not entry.superseded_by
        and _is_trusted(entry)
        and (entry.expires_at is None or now < entry.expires_at)
        and (
            _is_due(entry, now)
            or (entry.section is Section.ACTIVE and (entry.pinned or entry.score >= options.prompt_min_score))
        )
    ]

    def display_order(entry: Entry) -> tuple[object, ...]:
        return not entry.pinned, not _is_due(entry, now), -float(shown_score(entry.score)), entry.id

    def selection_order(entry: Entry) -> tuple[object, ...]:
        rank = _RANKS.get(entry.importance, _RANKS[Importance.MEDIUM.value])
        return not entry.pinned, not _is_due(entry, now), rank, -entry.last_activated.toordinal()

    selected = sorted(sorted(candidates, key=display_order), key=selection_order)[: options.prompt_entries]
    return sorted(selected, key=display_order)


def _current_instructions(entries: Iterable[Entry]) -> list[Entry]:
    """Return the user's current instructions, oldest first; the newest when there are too many.

    Instructions that come from a model, a tool or a web page are excluded.
    """
    current = [
        entry
        for entry in entries
        if entry.kind == INSTRUCTION
        and entry.origin is Origin.USER
        and entry.section is Section.ACTIVE
        and not entry.superseded_by
    ]
    return sorted(current, key=lambda entry: (entry.created_at or entry.last_activated, entry.id))[-MOST_INSTRUCTIONS:]


def _is_trusted(entry: Entry) -> bool:
    """Return whether an entry is the user's own, or quotes the assistant and was confirmed by a later session."""
    return entry.origin is Origin.USER or (entry.origin is Origin.ASSISTANT and bool(entry.quote) and entry.hits > 0)


def _is_due(entry: Entry, now: datetime) -> bool:
    if entry.expires_at is None:
        return False
    return 0 <= (last_day(entry.expires_at) - now.astimezone().date()).days <= _DUE_WITHIN


def fitting_lines(lines: Iterable[str], room: int) -> list[str]:
    """Return the lines that fit into ``room`` estimated tokens; a line that does not fit is skipped."""
    chosen: list[str] = []
    for line in lines:
        cost = estimate_tokens(line) + 1
        if cost <= room:
            room -= cost
            chosen.append(line)
    return chosen


def _instruction_line(entry: Entry, language: Language) -> str:
    until = _UNTIL[language].format(day=f"{last_day(entry.expires_at):%Y-%m-%d}") if entry.expires_at else ""
    return (
        f"- {_one_line(entry.content)} ({shown_date(entry.created_at or entry.last_activated)}, id {entry.id}{until})"
    )


def _fact_line(entry: Entry, language: Language) -> str:
    return f"- {_one_line(entry.content)}{_validity(entry, language)}{_quotation(entry, language)}"


def _one_line(text: str) -> str:
    return neutralise(" ".join(text.split()))


def _quotation(entry: Entry, language: Language) -> str:
    """Return the user's own words and their day when they say more than the entry, so that distortions show."""
    if not entry.shown_quote:
        return ""
    quote = _one_line(entry.shown_quote)
    day = f"{entry.quoted_on:%Y-%m-%d}" if entry.quoted_on else ""
    return f"（{day} 原话：“{quote}”）" if language == "zh" else f' (said{" " + day if day else ""}: "{quote}")'


def _validity(entry: Entry, language: Language) -> str:
    """Return the last day of an entry, unless its text contains the day."""
    day = f"{last_day(entry.expires_at):%Y-%m-%d}" if entry.expires_at else ""
    if not day or day in entry.content:
        return ""
    return f"（{day}）" if language == "zh" else f" ({day})"


class PromptSource:
    """Builds the answer to the ``prompt_entries`` hook; thread-safe."""

    def __init__(self, repository: EntryRepository, context: PluginContext) -> None:
        self._repository = repository
        self._context = context
        self._options: ConsolidationOptions = context.options
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        # Results for the snapshot: the text by viewer and day, and the last long-term text with its stripped form.
        self._texts: BoundedDict[tuple[Visibility, date], str] = BoundedDict(_CACHED_RESULTS)
        self._stripped = ("", "")

    def answer(self, long_term: str, visible: Visibility) -> PromptEntries:
        """Return the block for a viewer who sees ``visible``, and the long-term text without the file's entries."""
        with self._lock:
            try:
                snapshot = self._repository.load_cached()
            except MemoryFileError as error:
                logger.warning("the entries in the prompt stay as they were: {}", error.cause)
                snapshot = self._snapshot or Snapshot(None, EntryDocument(()), {})
            if snapshot is not self._snapshot:
                self._snapshot, self._stripped = snapshot, ("", "")
                self._texts.clear()
            if self._stripped[0] != long_term:
                self._stripped = long_term, _without_entries(long_term, snapshot.entries)
            return PromptEntries(self._text(snapshot, visible), self._stripped[1])

    def _text(self, snapshot: Snapshot, visible: Visibility) -> str:
        now = self._context.clock.now()
        key = visible, now.astimezone().date()
        if key not in self._texts:
            entries = snapshot.displayed_entries()
            language = dominant_language([Message("user", entry.content) for entry in entries])
            # Scores as of now: the file may not have been written since they faded.
            current = (entry_as_of(entry, now) for entry in entries)
            visible_entries = [
                entry for entry in current if is_in_project(entry, visible) and is_visible(entry, visible)
            ]
            named = (
                [self._with_speaker(entry) for entry in visible_entries] if visible.is_for_group else visible_entries
            )
            text = prompt_text(named, language, now, self._options, in_group=visible.is_for_group)
            # An entry that somebody wrote by hand may contain a secret.
            self._texts[key] = self._context.redact_said(text)
        return self._texts[key]

    def _with_speaker(self, entry: Entry) -> Entry:
        owner = self._context.scopes.owner(entry.scope).user
        return replace(entry, content=f"{owner}: {entry.content}") if owner else entry


def _without_entries(long_term: str, known: Collection[str]) -> str:
    """Return a text without the entries whose ids are ``known``; other entries in it are somebody's own text."""
    document = parse(long_term.encode("utf-8", "surrogatepass"))
    has_others = not document.slots.keys() <= set(known)
    kept = [
        piece
        for piece in document.pieces
        if isinstance(piece, Text) or (has_others and not (isinstance(piece, Slot) and piece.entry.id in known))
    ]
    if len(kept) == len(document.pieces):
        return long_term
    rest = b"".join(piece.data for piece in kept).decode("utf-8", "surrogatepass").rstrip()
    rest = rest.removesuffix(TITLE).rstrip()
    return rest and f"{rest}\n"
