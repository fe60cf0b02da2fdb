"""All detectors, in the order in which they look at a window of text. `redactor` imports them at the first text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from nanobot_memory_plugins.core.redaction.announced_lines import find_announced
from nanobot_memory_plugins.core.redaction.chinese import find_told_in_chinese
from nanobot_memory_plugins.core.redaction.code_contexts import find_codes_in_context
from nanobot_memory_plugins.core.redaction.codes import find_codes
from nanobot_memory_plugins.core.redaction.credentials import find_credentials
from nanobot_memory_plugins.core.redaction.cues import Lowered
from nanobot_memory_plugins.core.redaction.declarations import find_declared
from nanobot_memory_plugins.core.redaction.encoded import find_encoded
from nanobot_memory_plugins.core.redaction.english import find_told_in_english
from nanobot_memory_plugins.core.redaction.further_tokens import FURTHER_RULES
from nanobot_memory_plugins.core.redaction.given import find_given
from nanobot_memory_plugins.core.redaction.lone_answers import find_lone_answers
from nanobot_memory_plugins.core.redaction.nearby import find_nearby
from nanobot_memory_plugins.core.redaction.other_languages import find_told_in_other_languages
from nanobot_memory_plugins.core.redaction.pairs import find_pairs, may_hold_pairs
from nanobot_memory_plugins.core.redaction.password_contexts import find_passwords_in_context
from nanobot_memory_plugins.core.redaction.personal import find_personal_data
from nanobot_memory_plugins.core.redaction.rule_index import RuleIndex
from nanobot_memory_plugins.core.redaction.rules import Span
from nanobot_memory_plugins.core.redaction.spoken_numbers import find_spoken
from nanobot_memory_plugins.core.redaction.tables import find_in_tables
from nanobot_memory_plugins.core.redaction.typed_secrets import find_typed
from nanobot_memory_plugins.core.redaction.vendor_tokens import JWT_RULES, VENDOR_RULES

__all__ = ["DETECTORS", "TOKENS", "find_encoded"]

TOKENS = RuleIndex((*VENDOR_RULES, *FURTHER_RULES, *JWT_RULES))
"""The shapes of tokens of known issuers."""


def _find_pairs(text: str, lower: Lowered) -> Iterator[Span]:
    if may_hold_pairs(text, lower):
        yield from find_pairs(text, lower)
        yield from find_declared(text, lower)


DETECTORS: tuple[Callable[[str, Lowered], Iterable[Span]], ...] = (
    _find_pairs,
    find_in_tables,
    find_given,
    find_credentials,
    find_told_in_english,
    find_told_in_chinese,
    find_told_in_other_languages,
    find_typed,
    find_codes,
    find_nearby,
    find_codes_in_context,
    find_passwords_in_context,
    find_announced,
    find_lone_answers,
    find_spoken,
    find_personal_data,
)
