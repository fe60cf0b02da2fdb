"""The kit for tests of plugins, stores and hosts: real parts, a clock that stands still, a model that has a script.

Nothing here needs pytest. Where it is installed, `core.testing.pytest_plugin` offers the same as fixtures; every run of
pytest loads that, so a name is imported when it is first used.
"""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import ManualClock
    from nanobot_memory_plugins.core.testing.contexts import plugin_context
    from nanobot_memory_plugins.core.testing.hooks import call_hook, run_hook
    from nanobot_memory_plugins.core.testing.installing import install_plugin
    from nanobot_memory_plugins.core.testing.scripted_server import (
        Reply,
        ReplyRule,
        Request,
        ScriptedServer,
        ToolCall,
        over_http,
    )
    from nanobot_memory_plugins.core.testing.store_contract import StoreContract
    from nanobot_memory_plugins.core.testing.workspace import MemoryWorkspace

__getattr__ = lazy_names(
    __name__,
    {
        "contexts": ("ManualClock", "plugin_context"),
        "hooks": ("call_hook", "run_hook"),
        "installing": ("install_plugin",),
        "scripted_server": ("Reply", "ReplyRule", "Request", "ScriptedServer", "ToolCall", "over_http"),
        "store_contract": ("StoreContract",),
        "workspace": ("MemoryWorkspace",),
    },
)

__all__ = [
    "ManualClock",
    "MemoryWorkspace",
    "Reply",
    "ReplyRule",
    "Request",
    "ScriptedServer",
    "StoreContract",
    "ToolCall",
    "call_hook",
    "install_plugin",
    "over_http",
    "plugin_context",
    "run_hook",
]
