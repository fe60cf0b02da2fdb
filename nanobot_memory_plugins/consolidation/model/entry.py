"""Categories, owners, texts and groups of entries."""

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
# Sessions that are recorded for an entry that several sessions contributed to.
_MOST_SESSIONS = 20
# Characters of a group's name, and levels of nested groups.
_LONGEST_GROUP, _DEEPEST_GROUP = 80, 5


class Category(StrEnum):
    """The known categories of entries. A file may contain others, which are kept as they are written."""

    PREFERENCE = "preference"
    FACT = "fact"
    EXPERIENCE = "experience"
    WORKFLOW = "workflow"
    DECISION = "decision"
    SKILL_USAGE = "skill_usage"
    TODO = "todo"


_PROJECT_CATEGORIES = frozenset({Category.DECISION, Category.WORKFLOW, Category.SKILL_USAGE, Category.EXPERIENCE})


def join_sessions(sessions: Iterable[str]) -> str:
    """Return the ``source_session`` of an entry that several sessions contributed to; the first twenty are kept."""
    return SESSION_BREAK.join(sorted(sessions)[:_MOST_SESSIONS])


def owner_scope(scope: Scope, category: str) -> Scope:
    """Return the scope that owns something said in ``scope``: the project for categories of work, else the person."""
    return scope if category in _PROJECT_CATEGORIES else replace(scope, project="")


def is_in_project(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry belongs to the person or to the current project."""
    return entry.scope.project in ("", visible.project)


def is_visible(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is visible in a scope."""
    return visible.allows(entry.session_scope)


def with_replaced(ids: Iterable[str], entries: Mapping[str, Entry]) -> list[str]:
    """Return ``ids`` and the ids of all entries that these have replaced, directly or through others.

    A replaced entry that was restored is excluded.
    """
    found = list(dict.fromkeys(ids))
    for id_ in found:  # the list grows during the loop
        before = entries[id_].supersedes if id_ in entries else ()
        found += [one for one in before if one not in found and one in entries and entries[one].superseded_by == id_]
    return found


def normalised_text(text: str) -> str:
    """Return a text without the differences that are ignored between entries: case, space and the full stop."""
    return " ".join(text.split()).casefold().rstrip(".。!！")


def is_same_text(one: str, other: str) -> bool:
    """Return whether two texts are equal except for case, space and the full stop."""
    return normalised_text(one) == normalised_text(other)


def contains_words(text: str, words: str) -> bool:
    """Return whether a text contains all of ``words``, in any case, width and Chinese script."""
    folded = fold_text(text)
    return all(word in folded for word in fold_text(words).split())


def new_id(taken: Iterable[str] = ()) -> str:
    """Return a short random id that is not in ``taken``."""
    used = set(taken)
    while True:
        id_ = uuid4().hex[:_ID_DIGITS]
        if id_ not in used:
            return id_


def content_of(text: object) -> str:
    """Return a text in the form that an entry can contain: one line, without NUL and lone surrogates."""
    return " ".join(_BREAKS.sub(" ", clean_markdown(text)).split())


def canonical_group(group: str) -> str:
    """Return the canonical name of a group, like ``work/clients``: lower case, single slashes, secrets replaced."""
    text = redact_key(content_of(group[: 4 * _LONGEST_GROUP])).replace("\\", "/").replace("／", "/").casefold()
    parts = [part.strip(" .") for part in text.split("/")]
    return "/".join([part for part in parts if part][:_DEEPEST_GROUP])[:_LONGEST_GROUP].strip("/ ")


def in_group(entry: Entry, group: str) -> bool:
    """Return whether an entry is in a group or one nested in it. The empty group contains everything."""
    outer, inner = canonical_group(group), canonical_group(entry.group)
    return not outer or inner == outer or inner.startswith(f"{outer}/")


def group_sizes(entries: Iterable[Entry]) -> dict[str, int]:
    """Return the number of entries by group, nested groups included; ``""`` counts entries without a group."""
    counts: Counter[str] = Counter()
    for entry in entries:
        parts = canonical_group(entry.group).split("/")
        counts.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))
    return dict(sorted(counts.items()))
