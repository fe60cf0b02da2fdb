"""Redaction: what stands on every way into a file, a row, a vector or a log.

Keys and tokens become ``[API_KEY]``, passwords and other named secrets ``[REDACTED]``, key blocks ``[PRIVATE_KEY]``,
personal data ``[CARD]``, ``[ID_NUMBER]`` and ``[IBAN]``, contact data ``[EMAIL]``, ``[PHONE]`` and ``[ADDRESS]``.
"""

from __future__ import annotations

from typing import Any

from nanobot_memory_plugins.core.redaction.effort import Budget
from nanobot_memory_plugins.core.redaction.installed_rules import default_redactor
from nanobot_memory_plugins.core.redaction.preview import preview
from nanobot_memory_plugins.core.redaction.redactor import Keeps, Redactor
from nanobot_memory_plugins.core.redaction.rules import UNCHECKED, Finding, Rule

__all__ = [
    "UNCHECKED",
    "Budget",
    "Finding",
    "Redactor",
    "Rule",
    "default_redactor",
    "redact_text",
    "redact_value",
    "safe_preview",
]


def redact_text(text: str, *, keeps: Keeps | None = None) -> str:
    """Give ``text`` with every secret replaced, by the built-in rules and those of the installed distributions.

    ``keeps`` tells of contact data whether it stays; without it all is hidden.
    """
    return default_redactor().redact(text, keeps=keeps)


def redact_value(value: object) -> Any:
    """Give ``value`` as JSON-ready data with every secret replaced; see :meth:`Redactor.redact_value`."""
    return default_redactor().redact_value(value)


def safe_preview(value: object, *, max_chars: int = 500, budget: Budget | None = None) -> str:
    """Give a view of ``value`` of at most ``max_chars`` characters: redacted first, then cut.

    Strings are shown as they are, everything else as JSON. A cut view ends with how many characters were left out.
    Where ``budget`` is spent, the rest is hidden as a whole.
    """
    return preview(default_redactor(), value, max_chars, budget)
