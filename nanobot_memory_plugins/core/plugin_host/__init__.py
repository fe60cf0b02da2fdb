"""Finding plugins, and calling them so that none can harm its host."""

from nanobot_memory_plugins.core.plugin_host.breaker import BreakerSettings
from nanobot_memory_plugins.core.plugin_host.discovery import DiscoveredPlugin, discover_plugins
from nanobot_memory_plugins.core.plugin_host.host import PluginAnswer, PluginHost, PluginState
from nanobot_memory_plugins.core.plugin_host.threads import run_in_daemon_thread

__all__ = [
    "BreakerSettings",
    "DiscoveredPlugin",
    "PluginAnswer",
    "PluginHost",
    "PluginState",
    "discover_plugins",
    "run_in_daemon_thread",
]
