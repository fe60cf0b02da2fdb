"""Forgetting a text for good: finding it in everything that is ours, and taking it out."""

from nanobot_memory_plugins.core.erasure.finding import Wanted
from nanobot_memory_plugins.core.erasure.purge import purge_texts

__all__ = ["Wanted", "purge_texts"]
