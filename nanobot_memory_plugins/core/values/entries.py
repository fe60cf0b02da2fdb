"""Scored long-term entries, and what is done to them: as they are kept, shown and changed."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from urllib.parse import unquote

from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.scopes import Scope
from nanobot_memory_plugins.core.values.session_reading import Quote

# What a day without use leaves of a score, and the one at which what matters in most conversations stops fading.
_DAILY_DECAY, _LASTING_SCORE = 0.99, 0.5
ARCHIVE_BELOW = 0.2
"""The score below which an entry is archived."""
INSTRUCTION = "instruction"
"""The kind of an entry that tells the assistant how to behave, in the user's words; others have none."""
SESSION_BREAK = "\n"
"""What stands between the sessions of an entry that is made of what several said."""
BY_HAND = "hand"
"""Who is named for what others did to the file."""
# Decimals of a stored score: far more than the two that are shown, and short enough to read.
_SCORE_DECIMALS = 6


class Section(StrEnum):
    """The two sections of the file."""

    ACTIVE = "active"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. Times are aware.

    The score is kept as ``anchor``, what it was when the entry was last used or somebody set it, and the days by which
    it has faded since: so that fading depends on the moment alone, and not on how often it is worked out.
    ``decayed_days`` counts the days of fading up to the last look, ``anchor_days`` those that the anchor contains.
    ``supersedes`` and ``superseded_by`` are ids. ``source_session`` is the session it was learned in, or, for one
    made of what several said, those on a line each. ``kind`` is `INSTRUCTION` or empty. A ``pinned`` entry comes in
    the prompt before all others. ``importance`` is that of `Importance`, or empty where nobody has said it.
    ``ended_at`` is when another one took its place. ``quote`` is the sentence that it rests on, the user's or, of
    what the assistant found out, its own, and ``quoted_on`` the day on which that was said; ``records`` are the ids
    of the messages that it is from. ``hides`` are those that are hidden with it once it is forgotten, its own id
    among them. ``extra`` holds fields of the file that this version does not know.
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
        """The sessions that it was learned in."""
        return tuple(filter(None, self.source_session.split(SESSION_BREAK)))

    @property
    def session_scope(self) -> Scope:
        """The scope with the session: what was learned in one is not everybody's; what several said is of none."""
        several = SESSION_BREAK if SESSION_BREAK in self.source_session else ""
        return replace(self.scope, session=self.scope.session or several + self.source_session)

    @property
    def is_forgotten(self) -> bool:
        """Whether somebody wants it forgotten: it stays in the file, can be restored, and is shown to nobody else."""
        return bool(self.hides)

    @property
    def shown_quote(self) -> str:
        """The quote, where it is not the text itself: a part of what was said may be its opposite."""
        return "" if _plain(self.quote) == _plain(self.content) else self.quote

    @property
    def score(self) -> float:
        """How much it matters, 0 to 1, as of the last look."""
        score = self.anchor * _DAILY_DECAY ** max(0, self.decayed_days - self.anchor_days)
        return max(score, min(self.anchor, _LASTING_SCORE)) if self.is_lasting else score

    @property
    def is_lasting(self) -> bool:
        """Whether it stops fading at one half: it is of high importance, pinned or an instruction, and holds."""
        return (
            (self.importance == "high" or self.is_protected) and not self.superseded_by and self.anchor >= ARCHIVE_BELOW
        )

    @property
    def section(self) -> Section:
        """The section it is in; what only a model has noted is put away until somebody says or confirms it."""
        is_put_away = self.is_forgotten or self.origin is Origin.SUMMARY or self.score < ARCHIVE_BELOW
        return Section.ARCHIVED if is_put_away else Section.ACTIVE

    @property
    def is_protected(self) -> bool:
        """Whether a person wants it to stay: it is pinned, or a standing instruction."""
        return self.pinned or bool(self.kind)

    def with_score(self, score: float) -> "Entry":
        """Return the entry with its score set; it fades on from there."""
        return replace(self, anchor=bounded_score(score), anchor_days=self.decayed_days)

    def with_use(self, score: float, now: datetime) -> "Entry":
        """Return the entry as it is used at a moment, with a score from which it begins to fade anew."""
        return replace(self, anchor=bounded_score(score), anchor_days=0, decayed_days=0, last_activated=now)

    def with_quote(self, quote: Quote | None) -> "Entry":
        """Return the entry with the sentence that it rests on now, and the message that this is from."""
        if quote is None:
            return replace(self, quote="", quoted_on=None)
        records = dict.fromkeys(filter(None, (*self.records, quote.record)))
        return replace(self, quote=quote.text, quoted_on=quote.day, records=tuple(records))


def bounded_score(score: float) -> float:
    """Return a score inside 0 to 1, to six decimals."""
    return round(min(1.0, max(0.0, score)), _SCORE_DECIMALS)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


@dataclass(frozen=True, slots=True)
class EntryList:
    """All entries by descending score, and the file that they are in, relative to the workspace.

    ``problems`` say what of the file cannot be read, in words.
    """

    file: str
    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryEdit:
    """What a person makes of an entry; None leaves a field as it is. An empty ``group`` is no group.

    ``confirmed``: what a model noted is so, and counts as the user's own word from now on.
    """

    text: str | None = None
    category: str | None = None
    group: str | None = None
    score: float | None = None
    confirmed: bool = False


class Action(StrEnum):
    """What became of an entry in a run."""

    ADDED = "added"
    CHANGED = "changed"
    ARCHIVED = "archived"
    RESTORED = "restored"
    FORGOTTEN = "forgotten"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry before and after a run; None where it was not there."""

    id: str
    before: Entry | None
    after: Entry | None

    @property
    def action(self) -> Action:
        """What became of the entry, in a word."""
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
        """What the run left of the entry: nothing where it was forgotten."""
        return None if self.after is None or self.after.is_forgotten else self.after


@dataclass(frozen=True, slots=True)
class EntryRun:
    """Changes that were made together: when, by whom and why.

    ``undoes`` is the id of the run that this one took back, ``undone`` says that a later run took this one back.
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
        """Whether undoing it is offered: what somebody did to the file by hand is theirs to take back."""
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
