"""Our own store by itself, opened by its hook as the host opens it."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core import Store, SystemClock
from nanobot_memory_plugins.core.testing import plugin_context, run_hook_async


async def open_through_host(workspace: Path, options: Mapping[str, Any] | None = None) -> Store:
    """Open the index of a workspace with the plugin ``storage``."""
    (point,) = [one for one in entry_points(group="nanobot_memory_plugins") if one.name == "storage"]
    plugin = point.load()
    chosen = plugin.Options.model_validate({"embeddingProvider": "none", **(options or {})})
    context = plugin_context(chosen, plugin_name="storage", workspace=workspace, clock=SystemClock())
    (store,) = await run_hook_async(plugin, "open_store", context=context)
    return store
