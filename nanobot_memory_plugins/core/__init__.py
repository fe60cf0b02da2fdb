"""Hook contract, plugin host, memory files and command line.

A framework needs `MemoryHost` or `MemoryService`; a plugin needs `hookimpl`, `PluginContext` and the values. Everything
else is imported from its own module. Each name is imported on first use, so that code that needs only a value does not
wait for the host to load. Type checkers read the same list in ``__init__.pyi``.
"""

from nanobot_memory_plugins.redaction.lazy import lazy_names

_NAMES = {
    "clock": ("Clock", "SystemClock"),
    "config.models": ("MemoryConfig",),
    "config.reading": ("load_config",),
    "context": ("PluginContext",),
    "errors": (
        "ConfigurationError",
        "InputError",
        "LanguageModelError",
        "NanobotMemoryError",
        "PluginError",
        "StoreError",
    ),
    "hookspecs": ("hookimpl", "hookspec"),
    "host.memory_host": ("MemoryHost",),
    "host.memory_service": ("MemoryService",),
    "log": ("logger",),
    "protocols": ("Complete", "Embedder", "EntryAccess", "MemoryTool", "Store"),
    "redaction": ("redact_text",),
    "text.fence": ("fence", "is_fenced", "language_of", "remove_fenced"),
    "text.tokens": ("estimate_tokens",),
    "values": (
        *("ContextBlock", "Hit", "Level", "Message", "Note", "NoteType", "Origin", "PromptEntries"),
        *("Query", "Receipt", "Scope", "SearchResult", "StoreStatus", "Summary", "Tier"),
    ),
    "values.diagnosis": ("Finding", "Health"),
    "values.plugin_options": ("PluginOptions",),
}
__all__ = sorted(name for names in _NAMES.values() for name in names)  # a list
__getattr__ = lazy_names(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
