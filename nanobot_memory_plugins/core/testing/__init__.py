"""The kit for testing plugins and stores. It does not depend on pytest."""

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.testing.plugins import install_plugin, plugin_context, run_hook, run_hook_async
from nanobot_memory_plugins.core.testing.store_contract import MemoryWorkspace, StoreContract

__all__ = [
    "ManualClock",
    "MemoryWorkspace",
    "StoreContract",
    "install_plugin",
    "plugin_context",
    "run_hook",
    "run_hook_async",
]
