"""Redaction as the set does it: by the built-in rules and those of the installed distributions.

Whatever goes into a file, a row, a vector or a log goes through here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nanobot_memory_plugins.redaction.engine.redactor import Budget, Keeps, Redactor

__all__ = ["redact_text", "safe_preview"]


def _redactor() -> Redactor:
    # The detectors are imported by who redacts something, and not by who only opens a memory.
    from nanobot_memory_plugins.core.redaction.installed_rules import default_redactor

    return default_redactor()


def redact_text(text: str, *, keeps: Keeps | None = None) -> str:
    """Give ``text`` with every secret replaced; ``keeps`` decides whether contact data stays."""
    return _redactor().redact(text, keeps=keeps)


def safe_preview(value: object, *, max_chars: int = 500, budget: Budget | None = None) -> str:
    """Give a view of ``value`` of at most ``max_chars`` characters: redacted first, then cut.

    See `Redactor.preview` of `nanobot_memory_plugins.redaction`.
    """
    return _redactor().preview(value, max_chars=max_chars, budget=budget)
