"""To whom a fact belongs that was said while a project was worked in: to that project, or to the person."""

import re
from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry
from nanobot_memory_plugins.core import Scope, Visibility
from nanobot_memory_plugins.core.text import fold

_NAMES_PROJECT = re.compile(
    r"\b(?:th(?:is|e) (?:project|repo|repository|code ?base|package|service|app)|in here)\b"
    r"|(?:本|这个?|该|此)(?:项目|工程|仓库|代码库|专案)"
)
_NAMES_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|(?:the )?user(?:'s)?)\b|我(?!们)|用户|本人")
_OF_PROJECTS = frozenset({Category.DECISION, Category.WORKFLOW, Category.SKILL_USAGE})


def belonging(scope: Scope, text: str, category: str, kind: str = "") -> Scope:
    """Return the scope of a fact that was said in ``scope``: without its project where it is about the person.

    What names the project is about it. A preference or a standing instruction is the person's, a decision or a way of
    working the project's; of the rest it is the person's where it speaks of them.
    """
    if not scope.project:
        return scope
    folded = fold(text)
    if _NAMES_PROJECT.search(folded):
        return scope
    if kind or category == Category.PREFERENCE:
        return replace(scope, project="")
    if category in _OF_PROJECTS or not _NAMES_PERSON.search(folded):
        return scope
    return replace(scope, project="")


def is_at_hand(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is about the person, or about the project that is worked in."""
    return entry.scope.project in ("", visible.project)
