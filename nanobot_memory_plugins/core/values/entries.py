"""Scored long-term entries as the plugin that keeps them shows them to others."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import unquote

from nanobot_memory_plugins.core.values.conversation import Origin
from nanobot_memory_plugins.core.values.scopes import Scope


@dataclass(frozen=True, slots=True)
class EntryView:
    """One entry as of the moment at which it was asked for. Times are aware.

    ``score`` lies in 0..1. ``archived`` entries are kept and not used; ``gone`` ones are in no file any more and are
    known from the journal alone. ``superseded_by`` is the id of the entry that took its place. ``source_session`` is
    the session it is from, or several with commas between them.
    ``kind`` is ``instruction`` for a standing one; a ``pinned`` one is always in the prompt.
    ``quote`` is the sentence that it rests on, where that says more, said on the day ``quoted_on``.
    """

    id: str
    text: str
    category: str
    score: float
    last_used: datetime
    archived: bool = False
    gone: bool = False
    group: str = ""
    hits: int = 0
    created_at: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: str = ""
    origin: Origin = Origin.USER
    scope: Scope = Scope()
    source_session: str = ""
    kind: str = ""
    pinned: bool = False
    quote: str = ""
    quoted_on: date | None = None


@dataclass(frozen=True, slots=True)
class EntryList:
    """All entries by descending score, and the file that they are in, relative to the workspace.

    ``problems`` say what of the file cannot be read, in words.
    """

    file: str
    entries: tuple[EntryView, ...] = ()
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


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What became of one entry in a run: ``added``, ``changed``, ``archived``, ``restored``, ``removed``."""

    id: str
    action: str
    before: EntryView | None = None
    after: EntryView | None = None


@dataclass(frozen=True, slots=True)
class EntryRun:
    """Changes that were made together: when, by whom and why.

    ``undoes`` names the run that this one took back, ``undone`` says that a later run took this one back. ``by_hand``:
    somebody changed the file in an editor, which cannot be undone from here.
    """

    id: str
    time: datetime | None
    who: str
    why: str
    changes: tuple[EntryChange, ...] = ()
    undoes: str = ""
    undone: bool = False
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class EntryUpdate:
    """What other machines made of an entry: ``remote``, of what both knew before, ``base``. Empty: it did not exist.

    Both are as `ExchangedEntries.exported` gives them. ``forgotten``: nobody may have it any more, whatever was made
    of it.
    """

    id: str
    base: str
    remote: str
    forgotten: bool = False


_QUOTE = re.compile(r"(?:<!--|;) quote: ([^;]*)")


def words_of(exported: str) -> str:
    """Return what an entry that is written as `ExchangedEntries.exported` has it says: its text, and its quotation."""
    text = [line for line in exported.split("\n")[1:] if not line.startswith("<!-- ")]
    return "\n".join((*text, *map(unquote, _QUOTE.findall(exported))))
