"""To whom a fact belongs that was said while a project was worked in: to that project, or to the person."""

from dataclasses import replace

from nanobot_memory_plugins.consolidation.model.entry import Category, Entry
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.values import Visibility

_OF_PROJECTS = frozenset({Category.DECISION, Category.WORKFLOW, Category.SKILL_USAGE, Category.EXPERIENCE})


def belonging(scope: Scope, category: str, kind: str = "") -> Scope:
    """Return the scope of something said in ``scope``: the project's where it is of its work, else the person's."""
    return scope if category in _OF_PROJECTS and not kind else replace(scope, project="")


def is_at_hand(entry: Entry, visible: Scope | Visibility) -> bool:
    """Return whether an entry is about the person, or about the project that is worked in."""
    return entry.scope.project in ("", visible.project)
