"""The kit for tests of plugins and stores, which needs no pytest. A name is imported when it is first used."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import ManualClock
    from nanobot_memory_plugins.core.testing.plugins import install_plugin, plugin_context, run_hook, run_hook_async
    from nanobot_memory_plugins.core.testing.store_contract import MemoryWorkspace, StoreContract

__getattr__ = lazy_names(
    __name__,
    {
        "plugins": ("ManualClock", "install_plugin", "plugin_context", "run_hook", "run_hook_async"),
        "store_contract": ("MemoryWorkspace", "StoreContract"),
    },
)

__all__ = [
    "ManualClock",
    "MemoryWorkspace",
    "StoreContract",
    "install_plugin",
    "plugin_context",
    "run_hook",
    "run_hook_async",
]
