"""The kit for tests of plugins, stores and hosts: real parts, a clock that stands still, a model that has a script.

Nothing here needs pytest. Where it is installed, `core.testing.pytest_plugin` offers the same as fixtures; every run of
pytest loads that, so a name is imported when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.clock import ManualClock
    from nanobot_memory_plugins.core.testing.contexts import plugin_context
    from nanobot_memory_plugins.core.testing.hooks import call_hook, run_hook
    from nanobot_memory_plugins.core.testing.http_model import over_http
    from nanobot_memory_plugins.core.testing.installing import install_plugin
    from nanobot_memory_plugins.core.testing.scripted_server import Reply, ReplyRule, Request, ScriptedServer, ToolCall
    from nanobot_memory_plugins.core.testing.store_contract import StoreContract
    from nanobot_memory_plugins.core.testing.workspace import MemoryWorkspace

_MODULES = {
    "ManualClock": "clock",
    "MemoryWorkspace": "testing.workspace",
    "Reply": "testing.scripted_server",
    "Request": "testing.scripted_server",
    "ReplyRule": "testing.scripted_server",
    "ScriptedServer": "testing.scripted_server",
    "StoreContract": "testing.store_contract",
    "ToolCall": "testing.scripted_server",
    "call_hook": "testing.hooks",
    "install_plugin": "testing.installing",
    "over_http": "testing.http_model",
    "plugin_context": "testing.contexts",
    "run_hook": "testing.hooks",
}

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


def __getattr__(name: str) -> Any:
    """Import a name of the kit at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"nanobot_memory_plugins.core.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
