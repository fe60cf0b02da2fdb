"""The frozen values that host, core and plugins exchange. The most used ones can be imported from here."""

from nanobot_memory_plugins.core.values.conversation import Message, Origin
from nanobot_memory_plugins.core.values.notes import (
    ContextBlock,
    Note,
    NoteType,
    PromptEntries,
    Receipt,
    Summary,
)
from nanobot_memory_plugins.core.values.purging import Erasure, Trace
from nanobot_memory_plugins.core.values.scopes import Scope, Visibility
from nanobot_memory_plugins.core.values.search import Hit, Level, Query, SearchResult, StoreStatus, Tier

__all__ = [
    "ContextBlock",
    "Erasure",
    "Hit",
    "Level",
    "Message",
    "Note",
    "NoteType",
    "Origin",
    "PromptEntries",
    "Query",
    "Receipt",
    "Scope",
    "SearchResult",
    "StoreStatus",
    "Summary",
    "Tier",
    "Trace",
    "Visibility",
]
