"""The plugin: so far it says how the entries stand."""

from nanobot_memory_plugins.consolidation.options import ConsolidationOptions


class ConsolidationPlugin:
    """Keeps the scored long-term entries."""

    Options = ConsolidationOptions
