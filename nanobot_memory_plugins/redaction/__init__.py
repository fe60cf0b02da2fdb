"""Redaction: hides secrets and personal data in any text. It works without an agent.

Keys and tokens become ``[API_KEY]``, passwords and other named secrets ``[REDACTED]``, key blocks ``[PRIVATE_KEY]``,
personal data ``[CARD]``, ``[ID_NUMBER]`` and ``[IBAN]``, contact data ``[EMAIL]`` and ``[PHONE]``.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.redaction.lazy import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.redaction.engine.redactor import Budget, ContactPolicy, Redactor
    from nanobot_memory_plugins.redaction.rules.rule import UNCHECKED, Rule, SecretFinding

# Importing only the character functions does not load the detectors.
__getattr__ = lazy_names(
    __name__,
    {
        "engine.redactor": ("Budget", "Redactor"),
        "rules.rule": ("UNCHECKED", "SecretFinding", "Rule"),
    },
)

__all__ = [
    "UNCHECKED",
    "Budget",
    "Redactor",
    "Rule",
    "SecretFinding",
    "redact_text",
    "redact_value",
    "safe_preview",
]


@cache
def _built_in_redactor() -> "Redactor":
    from nanobot_memory_plugins.redaction.engine.redactor import Redactor

    return Redactor()


def redact_text(text: str, *, keeps: "ContactPolicy | None" = None) -> str:
    """Return ``text`` with every secret replaced, according to the built-in rules.

    ``keeps`` decides which contact data stays visible; without it all contact data is hidden. The first call loads the
    detectors, which takes some hundredths of a second.
    """
    return _built_in_redactor().redact(text, keeps=keeps)


def redact_value(value: object) -> Any:
    """Return ``value`` as JSON-ready data with every secret replaced; see :meth:`Redactor.redact_value`."""
    return _built_in_redactor().redact_value(value)


def safe_preview(value: object, *, max_chars: int = 500, budget: "Budget | None" = None) -> str:
    """Return a short redacted text of ``value``; see :meth:`Redactor.preview`."""
    return _built_in_redactor().preview(value, max_chars=max_chars, budget=budget)
