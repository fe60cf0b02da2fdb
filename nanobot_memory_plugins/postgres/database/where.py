"""Every condition on rows of the shared memory: the tenant first, then who may see what, then what a query asks for.

No other module compares a row's tenant with a value; only row-level security does so itself, being a second wall.
"""

import re
import string
from collections.abc import Iterator
from typing import Any

from nanobot_memory_plugins.core import Query, Scope
from nanobot_memory_plugins.core.values import Visibility
from nanobot_memory_plugins.postgres.database.connection import table
from nanobot_memory_plugins.postgres.database.tenant import Tenant
from nanobot_memory_plugins.search.filters import SCOPE_FIELDS, WHOSE_FIELDS, wanted_of
from nanobot_memory_plugins.search.indexed_text import storable
from nanobot_memory_plugins.search.timestamps import timestamp

ENTRY_FILE = "memory/ENTRIES.md"
"""Where scored entries stand."""
_WILD, _ESCAPED = re.compile(r"[\\%_]"), r"\\\g<0>"
_UPPER, _LOWER = string.ascii_uppercase, string.ascii_lowercase


def of_tenant(tenant: Tenant, alias: str) -> str:
    """Return the condition that rows are of a tenant.

    Its number is written out: behind a parameter PostgreSQL does not see that an index of this tenant's alone fits.
    """
    return f"{alias}.tenant = '{tenant.id}'::uuid"


def passing(tenant: Tenant, query: Query, alias: str = "c") -> tuple[str, dict[str, Any]]:
    """Return the conditions that passages are of a tenant and pass a query's filters, and their values."""
    parts = [of_tenant(tenant, alias)]
    values = _Values()
    parts += _scope(query.scope, alias, values)
    allowed = {
        "origin": sorted(origin.value for origin in query.origins),
        "source": sorted(map(clean, query.sources)),
    }
    parts += [f"{alias}.{column} = ANY({values.add(wanted)})" for column, wanted in allowed.items() if wanted]
    if query.since is not None:
        parts.append(f'{alias}."timestamp" >= {values.add(timestamp(query.since))}')
    if query.until is not None:
        parts.append(f'{alias}."timestamp" <= {values.add(timestamp(query.until))}')
    if query.tags:
        folded = [clean(tag).translate(str.maketrans(_UPPER, _LOWER)) for tag in sorted(query.tags)]
        below = [f"{_WILD.sub(_ESCAPED, tag)}/%" for tag in folded]
        lowered = f"translate(t, '{_UPPER}', '{_LOWER}')"
        parts.append(
            f"EXISTS (SELECT 1 FROM jsonb_array_elements_text({alias}.tags::jsonb) t "
            f"WHERE {lowered} = ANY({values.add(folded)}) OR {lowered} LIKE ANY({values.add(below)}))"
        )
    return " AND ".join(parts), values.named


def without_copies(tenant: Tenant, alias: str = "c") -> str:
    """Return the condition that passages are no other machine's copies of entries: this one (``%(machine)s``) has all.

    Entries stand in either of two files, the rest of which is somebody's own text.
    """
    return (
        f"({alias}.machine = %(machine)s OR NOT {of_entry(alias)} OR NOT EXISTS (SELECT 1 FROM "
        f"{table('entry')} copied WHERE {of_tenant(tenant, 'copied')} "
        f"AND copied.id = {entry_of(alias)}))"
    )


def of_entry(alias: str = "c") -> str:
    """Return the condition that passages are of scored entries. `entry_of` says of which."""
    return f"{alias}.path = '{ENTRY_FILE}'"


def entry_of(alias: str = "c") -> str:
    """Return the short id of the entry of which a passage is, as SQL."""
    return f"split_part(split_part(split_part({alias}.key, '#', 2), '/', 1), '~', 1)"


def clean(text: str) -> str:
    """Return a text as PostgreSQL can hold it: without lone surrogates and NUL."""
    return storable(text).replace("\0", "")


class _Values:
    """The values of conditions, each under a name of its own."""

    def __init__(self) -> None:
        self.named: dict[str, Any] = {}

    def add(self, value: Any) -> str:
        """Return the mark that stands for a value."""
        name = f"w{len(self.named)}"
        self.named[name] = value
        return f"%({name})s"


def _scope(scope: Scope | Visibility, alias: str, values: _Values) -> Iterator[str]:
    """Yield what `Scope.allows` and `Visibility.allows` say."""
    if isinstance(scope, Scope):
        for name in SCOPE_FIELDS:
            if wanted := getattr(scope, name):
                yield f'{alias}."{name}" = {values.add(clean(wanted))}'
        return
    yield f"{alias}.agent = ANY({values.add(['', clean(scope.agent)])})"
    if scope.is_everything:
        return
    ways = [" AND ".join(f"{alias}.\"{name}\" = ''" for name in WHOSE_FIELDS)]
    ways += [
        " AND ".join(f'{alias}."{name}" = {values.add(clean(wanted))}' for name, wanted in wanted_of(one).items())
        for one in scope.whose
    ]
    yield f"({' OR '.join(f'({way})' for way in ways)})"
