"""Scored long-term entries, and the changes made to them."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from urllib.parse import unquote

from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.scopes import Scope
from nanobot_memory_plugins.core.values.session_reading import Quote

# The factor by which a score fades per unused day, and the score at which a lasting entry stops fading.
_DAILY_DECAY, _LASTING_SCORE = 0.99, 0.5
ARCHIVE_BELOW = 0.2
"""The score below which an entry is archived."""
INSTRUCTION = "instruction"
"""The kind of an entry that tells the assistant how to behave, in the user's words. Other entries have no kind."""
SESSION_BREAK = "\n"
"""The separator between the source sessions of an entry that was merged from several."""
BY_HAND = "hand"
"""The author of changes that people or other programs made to the file."""
# Decimals of a stored score: more than the two that are shown, and short enough to read.
_SCORE_DECIMALS = 6


class Section(StrEnum):
    """The two sections of the file."""

    ACTIVE = "active"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Times are aware.

    The score is stored as ``anchor``, its value when the entry was last used or the score was set, and the days of
    fading since then, so that the result does not depend on how often it is computed. ``decayed_days`` counts the days
    of fading up to the last update, ``anchor_days`` those that the anchor already includes.

    ``supersedes`` and ``superseded_by`` are ids. ``source_session`` is the session in which the entry was learned; an
    entry merged from several has one session per line. ``kind`` is `INSTRUCTION` or empty. ``pinned`` entries precede
    all others in the prompt. ``importance`` is a value of `Importance`, or empty when unknown. ``ended_at`` is the time
    at which another entry replaced it. ``quote`` is the sentence that supports it, said by the user, or by the
    assistant for its own findings; ``quoted_on`` is the day on which it was said. ``records`` are the ids of the source
    messages. ``hides`` are the ids that are hidden while the entry is forgotten, including its own. ``extra`` holds
    fields of the file that this version does not know.
    """

    id: str
    content: str
    category: str
    anchor: float
    last_activated: datetime
    hits: int = 0
    created_at: datetime | None = None
    source_session: str = ""
    expires_at: datetime | None = None
    group: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    origin: Origin = Origin.USER
    scope: Scope = Scope()
    anchor_days: int = 0
    decayed_days: int = 0
    extra: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    pinned: bool = False
    importance: str = ""
    ended_at: datetime | None = None
    quote: str = ""
    quoted_on: date | None = None
    records: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions in which the entry was learned."""
        return tuple(filter(None, self.source_session.split(SESSION_BREAK)))

    @property
    def session_scope(self) -> Scope:
        """The scope with the source session: an entry is not visible to everybody just because it names no user.

        For an entry from several sessions the session is one that does not exist.
        """
        several = SESSION_BREAK if SESSION_BREAK in self.source_session else ""
        return replace(self.scope, session=self.scope.session or several + self.source_session)

    @property
    def is_forgotten(self) -> bool:
        """Whether the entry was forgotten: it stays in the file and can be restored, but is not used any more."""
        return bool(self.hides)

    @property
    def shown_quote(self) -> str:
        """The quote, or nothing where it says the same as the content.

        A quote that contains the content is shown, since the rest of the sentence may reverse its meaning.
        """
        return "" if _letters(self.quote) == _letters(self.content) else self.quote

    @property
    def score(self) -> float:
        """How much the entry matters, 0 to 1, as of the last update."""
        score = self.anchor * _DAILY_DECAY ** max(0, self.decayed_days - self.anchor_days)
        return max(score, min(self.anchor, _LASTING_SCORE)) if self.is_lasting else score

    @property
    def is_lasting(self) -> bool:
        """Whether the score stops fading at one half: the entry is important or protected, and still valid."""
        return (
            (self.importance == "high" or self.is_protected) and not self.superseded_by and self.anchor >= ARCHIVE_BELOW
        )

    @property
    def section(self) -> Section:
        """The section of the file. An entry that only a model noted is archived until a person confirms it."""
        is_archived = self.is_forgotten or self.origin is Origin.SUMMARY or self.score < ARCHIVE_BELOW
        return Section.ARCHIVED if is_archived else Section.ACTIVE

    @property
    def is_protected(self) -> bool:
        """Whether a person wants the entry to stay: it is pinned, or a standing instruction."""
        return self.pinned or bool(self.kind)

    def with_score(self, score: float) -> "Entry":
        """Return the entry with another score, from which it continues to fade."""
        return replace(self, anchor=bounded_score(score), anchor_days=self.decayed_days)

    def with_use(self, score: float, now: datetime) -> "Entry":
        """Return the entry as used at ``now``, with the score from which it starts to fade again."""
        return replace(self, anchor=bounded_score(score), anchor_days=0, decayed_days=0, last_activated=now)

    def with_quote(self, quote: Quote | None) -> "Entry":
        """Return the entry with another supporting sentence, and with the record of that sentence added."""
        if quote is None:
            return replace(self, quote="", quoted_on=None)
        records = dict.fromkeys(filter(None, (*self.records, quote.record)))
        return replace(self, quote=quote.text, quoted_on=quote.day, records=tuple(records))


def bounded_score(score: float) -> float:
    """Return a score limited to 0 to 1 and rounded to six decimals."""
    return round(min(1.0, max(0.0, score)), _SCORE_DECIMALS)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


@dataclass(frozen=True, slots=True)
class EntryList:
    """All entries by descending score, and their file, relative to the workspace.

    ``problems`` describe the parts of the file that cannot be read.
    """

    file: str
    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryEdit:
    """A person's change to an entry. None leaves a field unchanged; an empty ``group`` removes the group.

    A ``confirmed`` entry that a model noted is true, and counts as the user's own statement from now on.
    """

    text: str | None = None
    category: str | None = None
    group: str | None = None
    score: float | None = None
    confirmed: bool = False


class Action(StrEnum):
    """What happened to an entry in a run."""

    ADDED = "added"
    CHANGED = "changed"
    ARCHIVED = "archived"
    RESTORED = "restored"
    FORGOTTEN = "forgotten"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry before and after a run. None where it did not exist."""

    id: str
    before: Entry | None
    after: Entry | None

    @property
    def action(self) -> Action:
        """What happened to the entry."""
        if self.after is None:
            return Action.REMOVED
        if self.after.is_forgotten:
            return Action.FORGOTTEN
        if self.before is None:
            return Action.ADDED
        if self.before.section is not self.after.section:
            return Action.ARCHIVED if self.after.section is Section.ARCHIVED else Action.RESTORED
        return Action.CHANGED

    @property
    def remaining(self) -> Entry | None:
        """The entry after the run, or None where it was removed or forgotten."""
        return None if self.after is None or self.after.is_forgotten else self.after


@dataclass(frozen=True, slots=True)
class EntryRun:
    """A set of changes that were made together, with their time, author and reason.

    ``undoes`` is the id of the run that this one undid. ``undone`` is True when a later run undid this one.
    """

    id: str
    time: datetime
    who: str
    why: str
    changes: tuple[EntryChange, ...] = ()
    undoes: str = ""
    undone: bool = False

    @property
    def is_undoable(self) -> bool:
        """Whether undo is offered: not for an undo, an undone run, or edits that were made in the file itself."""
        return bool(self.changes) and not (self.undone or self.undoes or self.who == BY_HAND)


@dataclass(frozen=True, slots=True)
class EntryUpdate:
    """A change that other machines made to an entry: from ``base``, the last common version, to ``remote``.

    Both have the form of `ExchangedEntries.export_entries`, and are empty where the entry did not exist. A
    ``forgotten`` entry is removed here too, whatever was changed in it.
    """

    id: str
    base: str
    remote: str
    forgotten: bool = False


_QUOTE = re.compile(r"(?:<!--|;) quote: ([^;]*)")


def exported_text(exported: str) -> str:
    """Return the content and the quote of an entry in the form of `ExchangedEntries.export_entries`."""
    text = [line for line in exported.split("\n")[1:] if not line.startswith("<!-- ")]
    return "\n".join((*text, *map(unquote, _QUOTE.findall(exported))))
