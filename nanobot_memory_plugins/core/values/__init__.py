"""The frozen values that pass between host, core and plugins."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.values.bounded import bounded_copy
    from nanobot_memory_plugins.core.values.conversation import (
        Message,
        Origin,
        freeze,
        messages_from_chat,
    )
    from nanobot_memory_plugins.core.values.entries import (
        EntryChange,
        EntryEdit,
        EntryList,
        EntryRun,
        EntryUpdate,
        EntryView,
        KnownEntry,
        Profile,
    )
    from nanobot_memory_plugins.core.values.explanation import Explanation, ScorePart, Weighed
    from nanobot_memory_plugins.core.values.notes import (
        ContextBlock,
        Destination,
        Note,
        NoteType,
        PromptEntries,
        Receipt,
        Summary,
    )
    from nanobot_memory_plugins.core.values.purging import Erasure, HeldLine, Trace
    from nanobot_memory_plugins.core.values.scopes import Scope, Visibility, Whose
    from nanobot_memory_plugins.core.values.search import (
        Hit,
        Level,
        Query,
        SearchResult,
        StoreStatus,
        Tier,
    )

__getattr__ = lazy_names(
    __name__,
    {
        "bounded": ("bounded_copy",),
        "conversation": ("Message", "Origin", "freeze", "messages_from_chat"),
        "entries": (
            "EntryChange",
            "EntryEdit",
            "EntryList",
            "EntryRun",
            "EntryUpdate",
            "EntryView",
            "KnownEntry",
            "Profile",
        ),
        "explanation": ("Explanation", "ScorePart", "Weighed"),
        "notes": ("ContextBlock", "Destination", "Note", "NoteType", "PromptEntries", "Receipt", "Summary"),
        "purging": ("Erasure", "HeldLine", "Trace"),
        "scopes": ("Scope", "Visibility", "Whose"),
        "search": ("Hit", "Level", "Query", "SearchResult", "StoreStatus", "Tier"),
    },
)

__all__ = [
    "ContextBlock",
    "Destination",
    "EntryChange",
    "EntryEdit",
    "EntryList",
    "EntryRun",
    "EntryUpdate",
    "EntryView",
    "Erasure",
    "Explanation",
    "HeldLine",
    "Hit",
    "KnownEntry",
    "Level",
    "Message",
    "Note",
    "NoteType",
    "Origin",
    "Profile",
    "PromptEntries",
    "Query",
    "Receipt",
    "Scope",
    "ScorePart",
    "SearchResult",
    "StoreStatus",
    "Summary",
    "Tier",
    "Trace",
    "Visibility",
    "Weighed",
    "Whose",
    "bounded_copy",
    "freeze",
    "messages_from_chat",
]
