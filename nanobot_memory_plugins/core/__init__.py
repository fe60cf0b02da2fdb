"""Hook contract, plugin host, memory files and command line.

All that entry_points.md shows comes from here. What a framework needs is `MemoryHost` and `MemoryConfig`; what a plugin
needs is `hookimpl`, `PluginContext` and the values. A name is imported when it is first used: who wants a value does
not wait for the host.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import Clock
    from nanobot_memory_plugins.core.config import MemoryConfig, load_config
    from nanobot_memory_plugins.core.context import PluginContext
    from nanobot_memory_plugins.core.diagnosis import Finding, Health
    from nanobot_memory_plugins.core.entries_access import EntryAccess
    from nanobot_memory_plugins.core.erasure import Wanted, purge_texts
    from nanobot_memory_plugins.core.errors import InputError, StoreError
    from nanobot_memory_plugins.core.files import (
        MemoryPaths,
        NoteEntry,
        Passage,
        TranscriptRecord,
        parse_notes,
        parse_transcript_line,
    )
    from nanobot_memory_plugins.core.hook_markers import hookimpl
    from nanobot_memory_plugins.core.inspection import Inspection
    from nanobot_memory_plugins.core.memory_host import MemoryHost
    from nanobot_memory_plugins.core.message_context import MessageContext
    from nanobot_memory_plugins.core.people import Senders
    from nanobot_memory_plugins.core.protocols import Complete, MemoryTool, Store
    from nanobot_memory_plugins.core.redaction.rules import Rule
    from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Item, Left, Part
    from nanobot_memory_plugins.core.transfer.entries import EntriesJoiner
    from nanobot_memory_plugins.core.values import (
        ContextBlock,
        EntryEdit,
        EntryList,
        EntryRun,
        EntryView,
        Explanation,
        Hit,
        Level,
        Message,
        Note,
        NoteType,
        Origin,
        PromptEntries,
        Query,
        Receipt,
        Scope,
        ScorePoint,
        SearchResult,
        StoreStatus,
        Summary,
        Trace,
        Visibility,
        Withheld,
    )

# Where each name comes from; type checkers read the imports above, and a test compares both.
_MODULES = {
    "clock": ("Clock",),
    "config": ("MemoryConfig", "load_config"),
    "context": ("PluginContext",),
    "diagnosis": ("Finding", "Health"),
    "entries_access": ("EntryAccess",),
    "erasure": ("Wanted", "purge_texts"),
    "errors": ("InputError", "StoreError"),
    "files": (
        "MemoryPaths", "NoteEntry", "Passage", "TranscriptRecord", "parse_notes", "parse_transcript_line",
    ),
    "hook_markers": ("hookimpl",),
    "inspection": ("Inspection",),
    "memory_host": ("MemoryHost",),
    "message_context": ("MessageContext",),
    "people": ("Senders",),
    "protocols": ("Complete", "MemoryTool", "Store"),
    "redaction.rules": ("Rule",),
    "transfer": ("ImportedMessage", "ImportedNote", "Item", "Left", "Part"),
    "transfer.entries": ("EntriesJoiner",),
    "values": (
        "ContextBlock", "EntryEdit", "EntryList", "EntryRun", "EntryView", "Explanation", "Hit", "Level", "Message",
        "Note", "NoteType", "Origin", "PromptEntries", "Query", "Receipt", "Scope", "ScorePoint", "SearchResult",
        "StoreStatus", "Summary", "Trace", "Visibility", "Withheld",
    ),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Clock",
    "Complete",
    "ContextBlock",
    "EntriesJoiner",
    "EntryAccess",
    "EntryEdit",
    "EntryList",
    "EntryRun",
    "EntryView",
    "Explanation",
    "Finding",
    "Health",
    "Hit",
    "ImportedMessage",
    "ImportedNote",
    "InputError",
    "Inspection",
    "Item",
    "Left",
    "Level",
    "MemoryConfig",
    "MemoryHost",
    "MemoryPaths",
    "MemoryTool",
    "Message",
    "MessageContext",
    "Note",
    "NoteEntry",
    "NoteType",
    "Origin",
    "Part",
    "Passage",
    "PluginContext",
    "PromptEntries",
    "Query",
    "Receipt",
    "Rule",
    "Scope",
    "ScorePoint",
    "SearchResult",
    "Senders",
    "Store",
    "StoreError",
    "StoreStatus",
    "Summary",
    "Trace",
    "TranscriptRecord",
    "Visibility",
    "Wanted",
    "Withheld",
    "hookimpl",
    "load_config",
    "parse_notes",
    "parse_transcript_line",
    "purge_texts",
]


def __getattr__(name: str) -> Any:
    """Import the module of a public name at its first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted({*globals(), *_MODULE_OF})
