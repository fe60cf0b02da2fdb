"""The kit for tests of plugins, stores and hosts: real parts, a clock that stands still, a model that has a script.

Nothing here needs pytest. Where it is installed, `core.pytest_plugin` offers the same as fixtures.
"""

from nanobot_memory_plugins.core.clock import ManualClock
from nanobot_memory_plugins.core.testing.contexts import plugin_context
from nanobot_memory_plugins.core.testing.hooks import call_hook, run_hook
from nanobot_memory_plugins.core.testing.installing import install_plugin
from nanobot_memory_plugins.core.testing.over_http import over_http
from nanobot_memory_plugins.core.testing.scripted_server import Reply, Request, Rule, ScriptedServer, ToolCall
from nanobot_memory_plugins.core.testing.store_contract import StoreContract
from nanobot_memory_plugins.core.testing.workspace import MemoryWorkspace

__all__ = [
    "ManualClock",
    "MemoryWorkspace",
    "Reply",
    "Request",
    "Rule",
    "ScriptedServer",
    "StoreContract",
    "ToolCall",
    "call_hook",
    "install_plugin",
    "over_http",
    "plugin_context",
    "run_hook",
]
