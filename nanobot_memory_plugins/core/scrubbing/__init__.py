"""Taking secrets out of what was stored before: by an older redactor, by hand, or with other rules."""

from nanobot_memory_plugins.core.scrubbing.cleaning import Cleaned, Cleaner, clean_notes, clean_rows, redacted
from nanobot_memory_plugins.core.scrubbing.scrub import scrub_workspace
from nanobot_memory_plugins.core.scrubbing.values import Scrubbed

__all__ = ["Cleaned", "Cleaner", "Scrubbed", "clean_notes", "clean_rows", "redacted", "scrub_workspace"]
