"""Forgetting for good, and taking out secrets: what is found and removed in our files, and known again later."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.erasure.cleaning import clean_notes, lines_nearly_with
    from nanobot_memory_plugins.core.erasure.file_search import plan_in_files
    from nanobot_memory_plugins.core.erasure.letters import Letters, plain
    from nanobot_memory_plugins.core.erasure.matching import is_short
    from nanobot_memory_plugins.core.erasure.plan import ErasurePlan, held_line, nearly_traces, trace_of
    from nanobot_memory_plugins.core.erasure.rewriting import leftovers
    from nanobot_memory_plugins.core.erasure.scrubbed import Scrubbed
    from nanobot_memory_plugins.core.erasure.secret_files import total
    from nanobot_memory_plugins.core.erasure.unopened_files import unopened

__getattr__ = lazy_names(
    __name__,
    {
        "cleaning": ("clean_notes", "lines_nearly_with"),
        "file_search": ("plan_in_files",),
        "letters": ("Letters", "plain"),
        "matching": ("is_short",),
        "plan": ("ErasurePlan", "held_line", "nearly_traces", "trace_of"),
        "rewriting": ("leftovers",),
        "scrubbed": ("Scrubbed",),
        "secret_files": ("total",),
        "unopened_files": ("unopened",),
    },
)

__all__ = [
    "ErasurePlan",
    "Letters",
    "Scrubbed",
    "clean_notes",
    "held_line",
    "is_short",
    "leftovers",
    "lines_nearly_with",
    "nearly_traces",
    "plain",
    "plan_in_files",
    "total",
    "trace_of",
    "unopened",
]
