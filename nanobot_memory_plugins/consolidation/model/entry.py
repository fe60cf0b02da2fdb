"""An entry: one thing that is remembered for long, and how much it matters."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from uuid import uuid4

from nanobot_memory_plugins.core import Origin, Scope
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean_markdown
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.session_reading import Quote

# What a day without use leaves of a score, the scores below which an entry is archived and forgotten, and the one at
# which what matters in most conversations stops fading.
DAILY_DECAY = 0.99
ARCHIVE_BELOW = 0.2
LASTING_SCORE = 0.5
FORGET_BELOW = 0.05

_ID_DIGITS = 8
_BREAKS = re.compile(f"[{LINE_BREAKS}]")
# Between the sessions of an entry that is made of what several said, and how many of them are named.
_SESSION_BREAK = "\n"
_MOST_SESSIONS = 20
# Characters of a group's name, and groups inside each other.
_LONGEST_GROUP, _DEEPEST_GROUP = 80, 5
# Decimals of a stored score: far more than the two that are shown, and short enough to read.
_SCORE_DECIMALS = 6


class Category(StrEnum):
    """The kinds of entry. A file may hold others; they are kept as they are written."""

    PREFERENCE = "preference"
    FACT = "fact"
    EXPERIENCE = "experience"
    WORKFLOW = "workflow"
    DECISION = "decision"
    SKILL_USAGE = "skill_usage"
    TODO = "todo"


_OF_PROJECTS = frozenset({Category.DECISION, Category.WORKFLOW, Category.SKILL_USAGE, Category.EXPERIENCE})
INSTRUCTION = "instruction"
"""The kind of an entry that tells the assistant how to behave, in the user's words; others have none."""


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
        score = self.anchor * DAILY_DECAY ** max(0, self.decayed_days - self.anchor_days)
        return max(score, min(self.anchor, LASTING_SCORE)) if self.lasts else score

    @property
    def lasts(self) -> bool:
        """Whether it stops fading at one half: it is of high importance, pinned or an instruction, and holds."""
        return (self.importance == "high" or self.is_kept) and not self.superseded_by and self.anchor >= ARCHIVE_BELOW

    @property
    def section(self) -> Section:
        """The section it is in; what only a model has noted is put away until somebody says or confirms it."""
        is_put_away = self.is_forgotten or self.origin is Origin.SUMMARY or self.score < ARCHIVE_BELOW
        return Section.ARCHIVED if is_put_away else Section.ACTIVE

    @property
    def is_kept(self) -> bool:
        """Whether a person wants it to stay: it is pinned, or a standing instruction."""
        return self.pinned or bool(self.kind)

    def with_score(self, score: float) -> "Entry":
        """Return the entry with its score set; it fades on from there."""
        return replace(self, anchor=plain_score(score), anchor_days=self.decayed_days)

    def used(self, score: float, now: datetime) -> "Entry":
        """Return the entry as it is used at a moment, with a score from which it begins to fade anew."""
        return replace(self, anchor=plain_score(score), anchor_days=0, decayed_days=0, last_activated=now)

    def resting_on(self, quote: Quote | None) -> "Entry":
        """Return the entry with the sentence that it rests on now, and the message that this is from."""
        if quote is None:
            return replace(self, quote="", quoted_on=None)
        records = dict.fromkeys(filter(None, (*self.records, quote.record)))
        return replace(self, quote=quote.text, quoted_on=quote.day, records=tuple(records))


def sessions_in(source: str) -> frozenset[str]:
    """Return the sessions that a ``source_session`` names."""
    return frozenset(filter(None, source.split(_SESSION_BREAK)))


def joined_sessions(sessions: Iterable[str]) -> str:
    """Return the ``source_session`` of an entry that is made of what these sessions said; the first twenty are kept."""
    return _SESSION_BREAK.join(sorted(sessions)[:_MOST_SESSIONS])


def whole_scope(entry: Entry) -> Scope:
    """Return the scope of an entry with its session: one that was learned in a session is not everybody's.

    One that is made of what several sessions said is of none of them.
    """
    several = _SESSION_BREAK if _SESSION_BREAK in entry.source_session else ""
    return replace(entry.scope, session=entry.scope.session or several + entry.source_session)


def belonging(scope: Scope, category: str) -> Scope:
    """Return the scope of something said in ``scope``: the project's where it is of its work, else the person's."""
    return scope if category in _OF_PROJECTS else replace(scope, project="")


def is_at_hand(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is about the person, or about the project that is worked in."""
    return entry.scope.project in ("", visible.project)


def is_visible(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is among what somebody may see, or looks for."""
    return visible.allows(whole_scope(entry))


def with_replaced(ids: Iterable[str], entries: Mapping[str, Entry]) -> list[str]:
    """Return ids and those of all that these entries have replaced, which says the same, or what was so before."""
    found = list(dict.fromkeys(ids))
    for id_ in found:  # which grows meanwhile
        if id_ in entries:
            found += [before for before in entries[id_].supersedes if before in entries and before not in found]
    return found


def plain_words(text: str) -> str:
    """Return a text without what makes no difference to two entries: case, space and the full stop."""
    return " ".join(text.split()).casefold().rstrip(".。!！")


def alike(one: str, other: str) -> bool:
    """Return whether two texts are the same but for case, space and the full stop."""
    return plain_words(one) == plain_words(other)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def plain_score(score: float) -> float:
    """Return a score inside 0 to 1, to six decimals."""
    return round(min(1.0, max(0.0, score)), _SCORE_DECIMALS)


def new_id(taken: Iterable[str] = ()) -> str:
    """Return a short random id that is not among ``taken``."""
    used = set(taken)
    while True:
        made = uuid4().hex[:_ID_DIGITS]
        if made not in used:
            return made


def content_of(text: object) -> str:
    """Return any text as an entry can hold it: on one line, without NUL and lone surrogates."""
    return " ".join(_BREAKS.sub(" ", clean_markdown(text)).split())


def plain_group(group: str) -> str:
    """Return the name of a group in its one form, ``work/clients``: lower case, single slashes, tokens replaced."""
    text = redact_key(content_of(group[: 4 * _LONGEST_GROUP])).replace("\\", "/").replace("／", "/").casefold()
    parts = [part.strip(" .") for part in text.split("/")]
    return "/".join([part for part in parts if part][:_DEEPEST_GROUP])[:_LONGEST_GROUP].strip("/ ")


def in_group(entry: Entry, group: str) -> bool:
    """Return whether an entry lies in a group or in one inside it. The empty group holds everything."""
    outer, inner = plain_group(group), plain_group(entry.group)
    return not outer or inner == outer or inner.startswith(f"{outer}/")


def group_sizes(entries: Iterable[Entry]) -> dict[str, int]:
    """Return each group with the number of entries in it and in those inside it, by name; ``""`` holds the rest."""
    counts: Counter[str] = Counter()
    for entry in entries:
        parts = plain_group(entry.group).split("/")
        counts.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))
    return dict(sorted(counts.items()))
