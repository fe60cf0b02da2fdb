"""Redaction as the set does it: by the built-in rules and those of the installed distributions.

Whatever goes into a file, a row, a vector or a log goes through here.
"""

from nanobot_memory_plugins.core.redaction.installed_rules import redact_text, safe_preview

__all__ = ["redact_text", "safe_preview"]
