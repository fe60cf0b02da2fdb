"""All detectors, in the order in which they look at a window of text. `redactor` imports them at the first text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from nanobot_memory_plugins.redaction.detectors.access_codes import find_codes
from nanobot_memory_plugins.redaction.detectors.announced_lines import find_announced
from nanobot_memory_plugins.redaction.detectors.call_arguments import find_given
from nanobot_memory_plugins.redaction.detectors.chinese import find_told_in_chinese
from nanobot_memory_plugins.redaction.detectors.code_contexts import find_codes_in_context
from nanobot_memory_plugins.redaction.detectors.credentials import find_credentials
from nanobot_memory_plugins.redaction.detectors.declarations import find_declared
from nanobot_memory_plugins.redaction.detectors.further_tokens import FURTHER_RULES
from nanobot_memory_plugins.redaction.detectors.interactive_input import find_typed
from nanobot_memory_plugins.redaction.detectors.key_values import find_pairs, may_hold_pairs
from nanobot_memory_plugins.redaction.detectors.lone_answers import find_lone_answers
from nanobot_memory_plugins.redaction.detectors.other_languages import find_told_in_other_languages
from nanobot_memory_plugins.redaction.detectors.password_contexts import find_passwords_in_context
from nanobot_memory_plugins.redaction.detectors.personal import find_personal_data
from nanobot_memory_plugins.redaction.detectors.proximity import find_nearby
from nanobot_memory_plugins.redaction.detectors.spoken_numbers import find_spoken
from nanobot_memory_plugins.redaction.detectors.tables import find_in_tables
from nanobot_memory_plugins.redaction.detectors.vendor_tokens import JWT_RULES, VENDOR_RULES
from nanobot_memory_plugins.redaction.rules.keyword_index import Lowered
from nanobot_memory_plugins.redaction.rules.rule import Span
from nanobot_memory_plugins.redaction.rules.rule_index import RuleIndex
from nanobot_memory_plugins.redaction.values.encoded import find_encoded

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
