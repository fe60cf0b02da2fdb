"""Hook contract, plugin host, memory files and command line.

What a framework needs is `MemoryHost` and `MemoryConfig`; what a plugin needs is `hookimpl` and the values.
"""

from nanobot_memory_plugins.core.config import MemoryConfig, load_config
from nanobot_memory_plugins.core.context import PluginContext
from nanobot_memory_plugins.core.hookspecs import hookimpl
from nanobot_memory_plugins.core.memory_host import MemoryHost
from nanobot_memory_plugins.core.message_context import MessageContext
from nanobot_memory_plugins.core.values import (
    ContextBlock,
    Hit,
    Message,
    Note,
    NoteType,
    Origin,
    PromptEntries,
    Query,
    Receipt,
    Scope,
    SearchResult,
    Summary,
    Trace,
    Visibility,
    Withheld,
)

__all__ = [
    "ContextBlock",
    "Hit",
    "MemoryConfig",
    "MemoryHost",
    "Message",
    "MessageContext",
    "Note",
    "NoteType",
    "Origin",
    "PluginContext",
    "PromptEntries",
    "Query",
    "Receipt",
    "Scope",
    "SearchResult",
    "Summary",
    "Trace",
    "Visibility",
    "Withheld",
    "hookimpl",
    "load_config",
]
