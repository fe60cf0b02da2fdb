"""Hook contract, plugin host, memory files and command line.

All that entry_points.md shows comes from here. What a framework needs is `MemoryHost` and `MemoryConfig`; what a plugin
needs is `hookimpl`, `PluginContext` and the values. A name is imported when it is first used: who wants a value does
not wait for the host.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.cli.console import console, say_error, shown
    from nanobot_memory_plugins.core.cli.options import (
        AgentOption,
        ChannelOption,
        ConfigOption,
        JsonOption,
        ProjectOption,
        SessionOption,
        UserOption,
        WorkspaceOption,
        existing_workspace,
        print_json,
        read_configuration,
        resolve_workspace,
    )
    from nanobot_memory_plugins.core.clock import Clock, SystemClock, time_limit
    from nanobot_memory_plugins.core.config import ConfigProblem, MemoryConfig, load_config, plugin_options
    from nanobot_memory_plugins.core.context import PluginContext
    from nanobot_memory_plugins.core.erasure.matching import Wanted
    from nanobot_memory_plugins.core.errors import (
        CompletionTimeoutError,
        ConfigurationError,
        EmbeddingError,
        InputError,
        LanguageModelError,
        MemoryFileError,
        NanobotMemoryError,
        NotAskedError,
        PluginError,
        SecretNotKeptError,
        StoreError,
        WrongUseError,
    )
    from nanobot_memory_plugins.core.files import (
        MemoryPaths,
        NoteEntry,
        Passage,
        TranscriptRecord,
        parse_notes,
        parse_transcript_line,
    )
    from nanobot_memory_plugins.core.files.prompt_file import PromptFile
    from nanobot_memory_plugins.core.files.prompts import Prompts
    from nanobot_memory_plugins.core.hook_markers import PROJECT_NAME, hookimpl
    from nanobot_memory_plugins.core.host.eraser import purge_texts
    from nanobot_memory_plugins.core.host.inspection import Inspection
    from nanobot_memory_plugins.core.host.memory_host import MemoryHost
    from nanobot_memory_plugins.core.host.memory_service import MemoryService
    from nanobot_memory_plugins.core.host.shared_receipts import receipt_now
    from nanobot_memory_plugins.core.isolation.owned_tasks import OwnedTasks
    from nanobot_memory_plugins.core.isolation.threads import run_in_daemon_thread
    from nanobot_memory_plugins.core.language_model.configured_models import offered_model
    from nanobot_memory_plugins.core.log import logger
    from nanobot_memory_plugins.core.protocols import (
        Complete,
        Embedder,
        EncodingStore,
        EntryAccess,
        ExchangedEntries,
        Feedback,
        LeasingStore,
        LendingStore,
        LocalModel,
        MemoryTool,
        ModelReport,
        OpenLocalModel,
        SharingStore,
        Store,
        VectorStore,
    )
    from nanobot_memory_plugins.core.redaction import redact_text, safe_preview
    from nanobot_memory_plugins.core.redaction.contact_redaction import ContactRedaction, without_secrets
    from nanobot_memory_plugins.core.scopes.people import Senders
    from nanobot_memory_plugins.core.scopes.workspace_scopes import offered_scopes, workspace_scopes
    from nanobot_memory_plugins.core.text.acts import Act
    from nanobot_memory_plugins.core.text.fence import (
        Language,
        fence,
        fenced_blocks,
        is_fenced,
        language_of,
        neutralise,
        remove_fenced,
    )
    from nanobot_memory_plugins.core.text.reading import Reading
    from nanobot_memory_plugins.core.text.summary_marker import (
        earlier_summary_message,
        find_earlier_summary,
        marked_summary,
        unmarked_summary,
    )
    from nanobot_memory_plugins.core.text.tokens import estimate_tokens, truncate_to_tokens
    from nanobot_memory_plugins.core.transfer import ImportedMessage, ImportedNote, Item, Part, Skipped
    from nanobot_memory_plugins.core.transfer.backups import usual_backups
    from nanobot_memory_plugins.core.transfer.entries import EntriesJoiner, JoinedEntries
    from nanobot_memory_plugins.core.values import (
        ContextBlock,
        DatedPhrase,
        Destination,
        EntryChange,
        EntryEdit,
        EntryList,
        EntryRun,
        EntryUpdate,
        EntryView,
        Erasure,
        Explanation,
        HeldLine,
        Hit,
        KnownEntry,
        Level,
        Message,
        Note,
        NoteType,
        Origin,
        Profile,
        PromptEntries,
        Query,
        Receipt,
        Scope,
        ScorePoint,
        SearchResult,
        StoreStatus,
        Summary,
        Tier,
        Trace,
        Visibility,
        Whose,
        Withheld,
    )
    from nanobot_memory_plugins.core.values.bounded_dict import BoundedDict
    from nanobot_memory_plugins.core.values.diagnosis import Finding, Health
    from nanobot_memory_plugins.core.values.message_context import MessageContext
    from nanobot_memory_plugins.core.values.plugin_options import PluginOptions
    from nanobot_memory_plugins.redaction.rules.rule import Rule
    from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr

# Where each name comes from; type checkers read the imports above, and a test compares both.
_MODULES = {
    "core.cli.console": ("console", "say_error", "shown",),
    "core.cli.options": (
        "AgentOption", "ChannelOption", "ConfigOption", "JsonOption", "ProjectOption", "SessionOption", "UserOption",
        "WorkspaceOption", "print_json", "existing_workspace", "read_configuration", "resolve_workspace",
    ),
    "core.clock": ("Clock", "SystemClock", "time_limit",),
    "core.config": ("ConfigProblem", "MemoryConfig", "load_config", "plugin_options",),
    "core.context": ("PluginContext",),
    "core.erasure.matching": ("Wanted",),
    "core.errors": (
        "CompletionTimeoutError", "ConfigurationError", "EmbeddingError", "InputError", "LanguageModelError",
        "MemoryFileError", "NanobotMemoryError", "NotAskedError", "PluginError", "SecretNotKeptError", "StoreError",
        "WrongUseError",
    ),
    "core.files": ("MemoryPaths", "NoteEntry", "Passage", "TranscriptRecord", "parse_notes", "parse_transcript_line",),
    "core.hook_markers": ("PROJECT_NAME", "hookimpl",),
    "core.host.eraser": ("purge_texts",),
    "core.host.inspection": ("Inspection",),
    "core.host.memory_host": ("MemoryHost",),
    "core.host.memory_service": ("MemoryService",),
    "core.host.shared_receipts": ("receipt_now",),
    "core.isolation.owned_tasks": ("OwnedTasks",),
    "core.isolation.threads": ("run_in_daemon_thread",),
    "core.language_model.configured_models": ("offered_model",),
    "core.files.prompt_file": ("PromptFile",),
    "core.files.prompts": ("Prompts",),
    "core.log": ("logger",),
    "core.protocols": (
        "Complete", "Embedder", "EncodingStore", "EntryAccess", "ExchangedEntries", "Feedback", "LeasingStore",
        "LendingStore", "LocalModel", "MemoryTool", "ModelReport", "OpenLocalModel", "SharingStore", "Store",
        "VectorStore",
    ),
    "core.redaction": ("redact_text", "safe_preview",),
    "core.redaction.contact_redaction": ("ContactRedaction", "without_secrets",),
    "core.scopes.people": ("Senders",),
    "core.scopes.workspace_scopes": ("offered_scopes", "workspace_scopes",),
    "core.text.acts": ("Act",),
    "core.text.fence": (
        "Language", "fence", "fenced_blocks", "is_fenced", "language_of", "neutralise", "remove_fenced",
    ),
    "core.text.reading": ("Reading",),
    "core.text.summary_marker": (
        "earlier_summary_message", "find_earlier_summary", "marked_summary", "unmarked_summary",
    ),
    "core.text.tokens": ("estimate_tokens", "truncate_to_tokens",),
    "core.transfer": ("ImportedMessage", "ImportedNote", "Item", "Part", "Skipped",),
    "core.transfer.backups": ("usual_backups",),
    "core.transfer.entries": ("EntriesJoiner", "JoinedEntries",),
    "core.values": (
        "ContextBlock", "DatedPhrase", "Destination", "EntryChange", "EntryEdit", "EntryList", "EntryRun",
        "EntryUpdate", "EntryView", "Erasure", "Explanation", "HeldLine", "Hit", "KnownEntry", "Level", "Message",
        "Note", "NoteType", "Origin", "Profile", "PromptEntries", "Query", "Receipt", "Scope", "ScorePoint",
        "SearchResult", "StoreStatus", "Summary", "Tier", "Trace", "Visibility", "Whose", "Withheld",
    ),
    "core.values.bounded_dict": ("BoundedDict",),
    "core.values.diagnosis": ("Finding", "Health",),
    "core.values.message_context": ("MessageContext",),
    "core.values.plugin_options": ("PluginOptions",),
    "redaction.rules.rule": ("Rule",),
    "redaction.script.messages": ("Sentence", "together", "tr",),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "PROJECT_NAME",
    "Act",
    "AgentOption",
    "BoundedDict",
    "ChannelOption",
    "Clock",
    "Complete",
    "CompletionTimeoutError",
    "ConfigOption",
    "ConfigProblem",
    "ConfigurationError",
    "ContactRedaction",
    "ContextBlock",
    "DatedPhrase",
    "Destination",
    "Embedder",
    "EmbeddingError",
    "EncodingStore",
    "EntriesJoiner",
    "EntryAccess",
    "EntryChange",
    "EntryEdit",
    "EntryList",
    "EntryRun",
    "EntryUpdate",
    "EntryView",
    "Erasure",
    "ExchangedEntries",
    "Explanation",
    "Feedback",
    "Finding",
    "Health",
    "HeldLine",
    "Hit",
    "ImportedMessage",
    "ImportedNote",
    "InputError",
    "Inspection",
    "Item",
    "JoinedEntries",
    "JsonOption",
    "KnownEntry",
    "Language",
    "LanguageModelError",
    "LeasingStore",
    "LendingStore",
    "Level",
    "LocalModel",
    "MemoryConfig",
    "MemoryFileError",
    "MemoryHost",
    "MemoryPaths",
    "MemoryService",
    "MemoryTool",
    "Message",
    "MessageContext",
    "ModelReport",
    "NanobotMemoryError",
    "NotAskedError",
    "Note",
    "NoteEntry",
    "NoteType",
    "OpenLocalModel",
    "Origin",
    "OwnedTasks",
    "Part",
    "Passage",
    "PluginContext",
    "PluginError",
    "PluginOptions",
    "Profile",
    "ProjectOption",
    "PromptEntries",
    "PromptFile",
    "Prompts",
    "Query",
    "Reading",
    "Receipt",
    "Rule",
    "Scope",
    "ScorePoint",
    "SearchResult",
    "SecretNotKeptError",
    "Senders",
    "Sentence",
    "SessionOption",
    "SharingStore",
    "Skipped",
    "Store",
    "StoreError",
    "StoreStatus",
    "Summary",
    "SystemClock",
    "Tier",
    "Trace",
    "TranscriptRecord",
    "UserOption",
    "VectorStore",
    "Visibility",
    "Wanted",
    "Whose",
    "Withheld",
    "WorkspaceOption",
    "WrongUseError",
    "console",
    "earlier_summary_message",
    "estimate_tokens",
    "existing_workspace",
    "fence",
    "fenced_blocks",
    "find_earlier_summary",
    "hookimpl",
    "is_fenced",
    "language_of",
    "load_config",
    "logger",
    "marked_summary",
    "neutralise",
    "offered_model",
    "offered_scopes",
    "parse_notes",
    "parse_transcript_line",
    "plugin_options",
    "print_json",
    "purge_texts",
    "read_configuration",
    "receipt_now",
    "redact_text",
    "remove_fenced",
    "resolve_workspace",
    "run_in_daemon_thread",
    "safe_preview",
    "say_error",
    "shown",
    "time_limit",
    "together",
    "tr",
    "truncate_to_tokens",
    "unmarked_summary",
    "usual_backups",
    "without_secrets",
    "workspace_scopes",
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
