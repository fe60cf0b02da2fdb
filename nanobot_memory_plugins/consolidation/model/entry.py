"""The kinds of entries, whose they are, what they say, and their groups."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from uuid import uuid4

from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
from nanobot_memory_plugins.core.text.folding import fold_text
from nanobot_memory_plugins.core.text.markdown import LINE_BREAKS, clean_markdown
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.core.values.entries import SESSION_BREAK, Entry

_ID_DIGITS = 8
_BREAKS = re.compile(f"[{LINE_BREAKS}]")
# Sessions that are named of an entry that is made of what several said.
_MOST_SESSIONS = 20
# Characters of a group's name, and groups inside each other.
_LONGEST_GROUP, _DEEPEST_GROUP = 80, 5


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


def joined_sessions(sessions: Iterable[str]) -> str:
    """Return the ``source_session`` of an entry that is made of what these sessions said; the first twenty are kept."""
    return SESSION_BREAK.join(sorted(sessions)[:_MOST_SESSIONS])


def belonging(scope: Scope, category: str) -> Scope:
    """Return the scope of something said in ``scope``: the project's where it is of its work, else the person's."""
    return scope if category in _OF_PROJECTS else replace(scope, project="")


def is_at_hand(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is about the person, or about the project that is worked in."""
    return entry.scope.project in ("", visible.project)


def is_visible(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is among what somebody may see, or looks for."""
    return visible.allows(entry.session_scope)


def with_replaced(ids: Iterable[str], entries: Mapping[str, Entry]) -> list[str]:
    """Return ids and those of all that these entries have replaced, which says the same, or what was so before.

    What holds again on its own is not among them.
    """
    found = list(dict.fromkeys(ids))
    for id_ in found:  # which grows meanwhile
        before = entries[id_].supersedes if id_ in entries else ()
        found += [one for one in before if one not in found and one in entries and entries[one].superseded_by == id_]
    return found


def plain_words(text: str) -> str:
    """Return a text without what makes no difference to two entries: case, space and the full stop."""
    return " ".join(text.split()).casefold().rstrip(".。!！")


def alike(one: str, other: str) -> bool:
    """Return whether two texts are the same but for case, space and the full stop."""
    return plain_words(one) == plain_words(other)


def holds_words(text: str, words: str) -> bool:
    """Return whether a text holds all of some words, in any case, width and script."""
    folded = fold_text(text)
    return all(word in folded for word in fold_text(words).split())


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
