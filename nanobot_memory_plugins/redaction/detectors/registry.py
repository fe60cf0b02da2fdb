"""All detectors, in the order in which they look at a window of text. `redactor` imports them at the first text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nanobot_memory_plugins.redaction.detectors.clauses import find_told
from nanobot_memory_plugins.redaction.detectors.codes import find_codes
from nanobot_memory_plugins.redaction.detectors.credentials import find_credentials
from nanobot_memory_plugins.redaction.detectors.pairs import find_pairs
from nanobot_memory_plugins.redaction.detectors.personal import find_personal_data
from nanobot_memory_plugins.redaction.detectors.rows import PERSONAL, SECRETS, TOKENS
from nanobot_memory_plugins.redaction.detectors.tables import find_in_tables
from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.values.encoded import find_encoded

__all__ = ["DETECTORS", "find_encoded"]


DETECTORS: tuple[Callable[[str, Lowered], Iterable[Span]], ...] = (
    TOKENS.find,
    find_pairs,
    find_in_tables,
    find_credentials,
    SECRETS.find,
    find_told,
    find_codes,
    PERSONAL.find,
    find_personal_data,
)
