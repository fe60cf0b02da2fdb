"""Forgetting for good: taking a text out of everything that is ours, and knowing it again where a host still has it."""

from nanobot_memory_plugins.core.erasure.finding import Wanted
from nanobot_memory_plugins.core.erasure.purge import purge_texts
from nanobot_memory_plugins.core.erasure.recording import Removal, remember_forgotten

__all__ = ["Removal", "Wanted", "purge_texts", "remember_forgotten"]
