"""Forgetting for good: taking a text out of everything that is ours, and knowing it again where a host still has it."""

from nanobot_memory_plugins.core.erasure.erasing import Eraser, purge_texts
from nanobot_memory_plugins.core.erasure.looking import plan_in_files
from nanobot_memory_plugins.core.erasure.matching import Stretch, Wanted, is_short
from nanobot_memory_plugins.core.erasure.plan import ErasurePlan, held_line, trace_of
from nanobot_memory_plugins.core.erasure.recording import Removal, remember_forgotten
from nanobot_memory_plugins.core.erasure.unopened import unopened

__all__ = [
    "Eraser",
    "ErasurePlan",
    "Removal",
    "Stretch",
    "Wanted",
    "held_line",
    "is_short",
    "plan_in_files",
    "purge_texts",
    "remember_forgotten",
    "trace_of",
    "unopened",
]
