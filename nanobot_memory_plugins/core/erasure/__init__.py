"""Forgetting for good, and taking out secrets: what is found and removed in our files."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.matching import Wanted, is_short
    from nanobot_memory_plugins.core.erasure.plan import ErasurePlan, held_line, trace_of, unopened
    from nanobot_memory_plugins.core.erasure.purge_files import FilePurge
    from nanobot_memory_plugins.core.erasure.scrub import Scrubbed, clean_notes, total

__getattr__ = lazy_names(
    __name__,
    {
        "matching": ("Wanted", "is_short"),
        "plan": ("ErasurePlan", "held_line", "trace_of", "unopened"),
        "purge_files": ("FilePurge",),
        "scrub": ("Scrubbed", "clean_notes", "total"),
    },
)

__all__ = [
    "ErasurePlan",
    "FilePurge",
    "Scrubbed",
    "Wanted",
    "clean_notes",
    "held_line",
    "is_short",
    "total",
    "trace_of",
    "unopened",
]
