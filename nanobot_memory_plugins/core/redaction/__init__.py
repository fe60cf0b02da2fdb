"""Redaction with the built-in rules and those of installed distributions.

Everything that is written to a file, the index or a log is redacted here.
"""

from nanobot_memory_plugins.core.redaction.installed_rules import redact_text, safe_preview

__all__ = ["redact_text", "safe_preview"]
