"""The filters of a query: as SQL for the index, and as a test for documents that are not in it."""

import re
import string
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from nanobot_memory_plugins.core.text.markdown import clean_markdown
from nanobot_memory_plugins.core.values import Query, Scope, Visibility
from nanobot_memory_plugins.storage.documents import Document, timestamp

SCOPE_FIELDS = ("agent", "user", "channel", "session", "group_chat")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_WILD, _ESCAPED = re.compile(r"[\\%_]"), r"\\\g<0>"
_ANYBODYS = Scope()
# Of these a memory names one, unless it is everybody's of its agent.
_WHOSE_FIELDS = SCOPE_FIELDS[1:]


def sql_conditions(query: Query, mark: Callable[[Any], str], tags: str) -> list[str]:
    """Return the conditions on passages, by the names of their columns, that `passes` makes but for what is excluded.

    ``mark`` takes a value of the statement and returns its placeholder. ``tags`` is SQL for the rows ``t`` of a
    passage's tags, each a ``value`` in small letters.
    """
    parts = list(_scope_conditions(query.scope, mark))
    origins = sorted(origin.value for origin in query.origins)
    for column, allowed in (("origin", origins), ("source", sorted(query.sources))):
        if allowed:
            parts.append(f"{column} IN ({', '.join(map(mark, allowed))})")
    if query.since is not None:
        parts.append(f'"timestamp" >= {mark(timestamp(query.since))}')
    if query.until is not None:
        parts.append(f'"timestamp" <= {mark(timestamp(query.until))}')
    if query.tags:
        same = [
            f"t.value = {mark(tag)} OR t.value LIKE {mark(f'{_WILD.sub(_ESCAPED, tag)}/%')} ESCAPE '\\'"
            for tag in sorted(map(_folded, query.tags))
        ]
        parts.append(f"EXISTS (SELECT 1 FROM {tags} WHERE {' OR '.join(same)})")  # noqa: S608  # marks alone
    return parts


def passes(document: Document, query: Query) -> bool:
    """Return whether a document passes the query's filters."""
    return (
        (query.scope == _ANYBODYS or query.scope.allows(document.scope))
        and (not query.origins or document.origin in query.origins)
        and (not query.sources or document.source in query.sources)
        and ((query.since is None and query.until is None) or _is_between(document.time, query.since, query.until))
        and (not query.tags or _has_tag(document.tags, query.tags))
        and (not query.exclude_records or record_of(document.key) not in query.exclude_records)
    )


def record_of(key: str) -> str:
    """Return the id of the record that a key names, whichever part of it; of what has none, a hash."""
    return key.rpartition("#")[2].partition("/")[0]


def _has_tag(tags: Sequence[str], allowed: Collection[str]) -> bool:
    own_tags = list(map(_folded, tags))
    folded = list(map(_folded, allowed))
    return any(tag == name or tag.startswith(f"{name}/") for tag in own_tags for name in folded)


def _folded(tag: str) -> str:
    return clean_markdown(tag).translate(_LOWER)


def _is_between(time: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if time is None:
        return False
    at = timestamp(time)
    return (since is None or at >= timestamp(since)) and (until is None or at <= timestamp(until))


def _scope_conditions(scope: Scope | Visibility, mark: Callable[[Any], str]) -> Iterator[str]:
    """Yield what `Scope.allows` and `Visibility.allows` say."""
    if isinstance(scope, Scope):
        for name in SCOPE_FIELDS:
            if value := getattr(scope, name):
                yield f'"{name}" = {mark(value)}'
        return
    if scope.agent or not (scope.is_everything or scope.owners_only):
        # Without it every row that has a word of the query would be looked up, only to find that hosts name no agent;
        # where one does, `passes` drops its rows.
        yield f"agent IN ('', {mark(scope.agent)})"
    if scope.is_everything:
        return
    ways = [] if scope.owners_only else [" AND ".join(f"\"{name}\" = ''" for name in _WHOSE_FIELDS)]
    for owner in scope.owners:  # none of a name is any
        names = {name: value for name in _WHOSE_FIELDS if (value := getattr(owner, name)) is not None}
        ways.append(" AND ".join(f'"{name}" = {mark(value)}' for name, value in names.items()))
    yield f"({' OR '.join(f'({way})' for way in ways)})"
