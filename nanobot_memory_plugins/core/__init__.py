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
    from nanobot_memory_plugins.core.erasure.matching import Wanted
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
    from nanobot_memory_plugins.core.host.eraser import purge_texts
    from nanobot_memory_plugins.core.host.inspection import Inspection
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost
    from nanobot_memory_plugins.core.protocols import (
        Complete,
        EntryAccess,
        LocalModel,
        MemoryTool,
        OpenLocalModel,
        Store,
    )
    from nanobot_memory_plugins.core.scopes.people import Senders
    from nanobot_memory_plugins.core.text.acts import Act
    from nanobot_memory_plugins.core.text.reading import Reading
    from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Item, Part, Skipped
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
    from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
    from nanobot_memory_plugins.core.values.message_context import MessageContext
    from nanobot_memory_plugins.redaction.rules.rule import Rule

# Where each name comes from; type checkers read the imports above, and a test compares both.
_MODULES = {
    "core.clock": ("Clock",),
    "core.config": ("MemoryConfig", "load_config"),
    "core.context": ("PluginContext",),
    "core.erasure.matching": ("Wanted",),
    "core.errors": ("InputError", "StoreError"),
    "core.files": ("MemoryPaths", "NoteEntry", "Passage", "TranscriptRecord", "parse_notes", "parse_transcript_line"),
    "core.hook_markers": ("hookimpl",),
    "core.host.eraser": ("purge_texts",),
    "core.host.inspection": ("Inspection",),
    "core.host.memory_host": ("MemoryHost",),
    "core.protocols": ("Complete", "EntryAccess", "LocalModel", "MemoryTool", "OpenLocalModel", "Store"),
    "core.scopes.people": ("Senders",),
    "core.text.acts": ("Act",),
    "core.text.reading": ("Reading",),
    "core.transfer": ("ImportedMessage", "ImportedNote", "Item", "Skipped", "Part"),
    "core.transfer.entries": ("EntriesJoiner",),
    "core.values": (
        "ContextBlock", "EntryEdit", "EntryList", "EntryRun", "EntryView", "Explanation", "Hit", "Level",
        "Message", "Note", "NoteType", "Origin", "PromptEntries", "Query", "Receipt", "Scope", "ScorePoint",
        "SearchResult", "StoreStatus", "Summary", "Trace", "Visibility", "Withheld",
    ),
    "core.values.diagnosis": ("Finding", "Health"),
    "core.values.message_context": ("MessageContext",),
    "redaction.rules.rule": ("Rule",),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Act",
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
    "Level",
    "LocalModel",
    "MemoryConfig",
    "MemoryHost",
    "MemoryPaths",
    "MemoryTool",
    "Message",
    "MessageContext",
    "Note",
    "NoteEntry",
    "NoteType",
    "OpenLocalModel",
    "Origin",
    "Part",
    "Passage",
    "PluginContext",
    "PromptEntries",
    "Query",
    "Reading",
    "Receipt",
    "Rule",
    "Scope",
    "ScorePoint",
    "SearchResult",
    "Senders",
    "Skipped",
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
    value = getattr(importlib.import_module(f"nanobot_memory_plugins.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted({*globals(), *_MODULE_OF})
