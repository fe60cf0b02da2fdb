"""The filters of a query: as SQL for the index, and as a predicate for documents that are not in it."""

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
_LIKE_WILDCARD, _ESCAPED = re.compile(r"[\\%_]"), r"\\\g<0>"
_ANY_SCOPE = Scope()
# A memory sets at least one of these fields, unless it belongs to everybody who uses its agent.
_OWNER_FIELDS = SCOPE_FIELDS[1:]


def sql_conditions(query: Query, placeholder: Callable[[Any], str], tags: str) -> list[str]:
    """Return the SQL conditions of `passes_filters`, except for ``exclude_records``.

    ``placeholder`` registers a value of the statement and returns its placeholder. ``tags`` is SQL for a table ``t`` of
    a passage's tags, each a ``value`` in lower case.
    """
    parts = list(_scope_conditions(query.scope, placeholder))
    origins = sorted(origin.value for origin in query.origins)
    for column, allowed in (("origin", origins), ("source", sorted(query.sources))):
        if allowed:
            parts.append(f"{column} IN ({', '.join(map(placeholder, allowed))})")
    if query.since is not None:
        parts.append(f'"timestamp" >= {placeholder(timestamp(query.since))}')
    if query.until is not None:
        parts.append(f'"timestamp" <= {placeholder(timestamp(query.until))}')
    if query.tags:
        tag_conditions = [
            f"t.value = {placeholder(tag)} OR t.value LIKE {placeholder(_LIKE_WILDCARD.sub(_ESCAPED, tag) + '/%')} "
            "ESCAPE '\\'"
            for tag in sorted(map(_fold_tag, query.tags))
        ]
        parts.append(f"EXISTS (SELECT 1 FROM {tags} WHERE {' OR '.join(tag_conditions)})")  # noqa: S608  # placeholders only
    return parts


def passes_filters(document: Document, query: Query) -> bool:
    """Return whether a document passes the query's filters."""
    return (
        (query.scope == _ANY_SCOPE or query.scope.allows(document.scope))
        and (not query.origins or document.origin in query.origins)
        and (not query.sources or document.source in query.sources)
        and ((query.since is None and query.until is None) or _is_between(document.time, query.since, query.until))
        and (not query.tags or _has_tag(document.tags, query.tags))
        and (not query.exclude_records or record_of(document.key) not in query.exclude_records)
    )


def record_of(key: str) -> str:
    """Return the record id in the key of any of the record's parts; it is a hash where the record has no id."""
    return key.rpartition("#")[2].partition("/")[0]


def _has_tag(tags: Sequence[str], allowed: Collection[str]) -> bool:
    own_tags = list(map(_fold_tag, tags))
    folded = list(map(_fold_tag, allowed))
    return any(tag == name or tag.startswith(f"{name}/") for tag in own_tags for name in folded)


def _fold_tag(tag: str) -> str:
    return clean_markdown(tag).translate(_LOWER)


def _is_between(time: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if time is None:
        return False
    at = timestamp(time)
    return (since is None or at >= timestamp(since)) and (until is None or at <= timestamp(until))


def _scope_conditions(scope: Scope | Visibility, placeholder: Callable[[Any], str]) -> Iterator[str]:
    """Yield the conditions of `Scope.allows` and `Visibility.allows`."""
    if isinstance(scope, Scope):
        for name in SCOPE_FIELDS:
            if value := getattr(scope, name):
                yield f'"{name}" = {placeholder(value)}'
        return
    if scope.agent or not (scope.is_everything or scope.owners_only):
        # For the other scopes this would look up every row with a word of the query, only to find that hosts name no
        # agent; where one does, `passes_filters` drops its rows.
        yield f"agent IN ('', {placeholder(scope.agent)})"
    if scope.is_everything:
        return
    alternatives = [] if scope.owners_only else [" AND ".join(f"\"{name}\" = ''" for name in _OWNER_FIELDS)]
    for owner in scope.owners:  # a field that is None matches any value
        names = {name: value for name in _OWNER_FIELDS if (value := getattr(owner, name)) is not None}
        alternatives.append(" AND ".join(f'"{name}" = {placeholder(value)}' for name, value in names.items()))
    yield f"({' OR '.join(f'({alternative})' for alternative in alternatives)})"
