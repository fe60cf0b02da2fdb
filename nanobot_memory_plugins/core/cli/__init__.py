"""The command line."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.cli.console import printable_segment
    from nanobot_memory_plugins.core.cli.cost_command import Cost, summed
    from nanobot_memory_plugins.core.cli.doctor_command import examine, finding_row
    from nanobot_memory_plugins.core.cli.extras import not_installed
    from nanobot_memory_plugins.core.cli.open_store import opened_memory, opened_store, settled, without_embeddings
    from nanobot_memory_plugins.core.cli.options import run, warn
    from nanobot_memory_plugins.core.cli.plain import say
    from nanobot_memory_plugins.core.cli.progress import time_left
    from nanobot_memory_plugins.core.cli.repair import finish_erasure, repair_memory, say_repaired

_MODULES = {
    "console": ("printable_segment",),
    "cost_command": ("Cost", "summed"),
    "doctor_command": ("examine", "finding_row"),
    "extras": ("not_installed",),
    "open_store": ("opened_memory", "opened_store", "settled", "without_embeddings"),
    "options": ("run", "warn"),
    "plain": ("say",),
    "progress": ("time_left",),
    "repair": ("finish_erasure", "repair_memory", "say_repaired"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Cost",
    "examine",
    "finding_row",
    "finish_erasure",
    "not_installed",
    "opened_memory",
    "opened_store",
    "printable_segment",
    "repair_memory",
    "run",
    "say",
    "say_repaired",
    "settled",
    "summed",
    "time_left",
    "warn",
    "without_embeddings",
]


def __getattr__(name: str) -> Any:
    """Import the module of a name when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
