"""What a query asks for, as conditions on passages ``c``. Whose they are row-level security adds."""

import re
import string
from collections.abc import Iterator
from typing import Any, Final

from nanobot_memory_plugins.core import Query, Scope
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.postgres.connection import clean
from nanobot_memory_plugins.storage.filters import SCOPE_FIELDS, WHOSE_FIELDS, wanted_of
from nanobot_memory_plugins.storage.timestamps import timestamp

NO_COPIES: Final = "(c.machine = %(machine)s OR c.path <> 'memory/ENTRIES.md')"
"""Passages of entries are this machine's own: they stand in the file of each, and are the same."""
_WILD, _ESCAPED = re.compile(r"[\\%_]"), r"\\\g<0>"
_UPPER, _LOWER = string.ascii_uppercase, string.ascii_lowercase


def passing(query: Query, machine: str) -> tuple[str, dict[str, Any]]:
    """Return the conditions that passages pass a query's filters, and their values."""
    values = _Values({"machine": machine})
    parts = [NO_COPIES, *_scope(query.scope, values)]
    allowed = {
        "origin": sorted(origin.value for origin in query.origins),
        "source": sorted(map(clean, query.sources)),
    }
    parts += [f"c.{column} = ANY({values.add(wanted)})" for column, wanted in allowed.items() if wanted]
    if query.since is not None:
        parts.append(f'c."timestamp" >= {values.add(timestamp(query.since))}')
    if query.until is not None:
        parts.append(f'c."timestamp" <= {values.add(timestamp(query.until))}')
    if query.tags:
        folded = [clean(tag).translate(str.maketrans(_UPPER, _LOWER)) for tag in sorted(query.tags)]
        below = [f"{_WILD.sub(_ESCAPED, tag)}/%" for tag in folded]
        lowered = f"translate(t, '{_UPPER}', '{_LOWER}')"
        parts.append(
            "EXISTS (SELECT 1 FROM jsonb_array_elements_text(c.tags::jsonb) t "
            f"WHERE {lowered} = ANY({values.add(folded)}) OR {lowered} LIKE ANY({values.add(below)}))"
        )
    return " AND ".join(parts), values.named


class _Values:
    """The values of conditions, each under a name of its own."""

    def __init__(self, named: dict[str, Any]) -> None:
        self.named = named

    def add(self, value: Any) -> str:
        """Return the mark that stands for a value."""
        name = f"w{len(self.named)}"
        self.named[name] = value
        return f"%({name})s"


def _scope(scope: Scope | Visibility, values: _Values) -> Iterator[str]:
    """Yield what `Scope.allows` and `Visibility.allows` say."""
    if isinstance(scope, Scope):
        for name in SCOPE_FIELDS:
            if wanted := getattr(scope, name):
                yield f'c."{name}" = {values.add(clean(wanted))}'
        return
    yield f"c.agent = ANY({values.add(['', clean(scope.agent)])})"
    if scope.is_everything:
        return
    ways = [" AND ".join(f"c.\"{name}\" = ''" for name in WHOSE_FIELDS)]
    ways += [
        " AND ".join(f'c."{name}" = {values.add(clean(wanted))}' for name, wanted in wanted_of(one).items())
        for one in scope.whose
    ]
    yield f"({' OR '.join(f'({way})' for way in ways)})"
