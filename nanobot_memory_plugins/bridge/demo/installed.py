"""What installed distributions offer for the demonstration: a language model on this machine, a shared store."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from nanobot_memory_plugins.core import PluginError
from nanobot_memory_plugins.core.cli import not_installed
from nanobot_memory_plugins.core.entry_points import (
    DEMO_STORE_GROUP,
    LOCAL_MODEL_GROUP,
    InstalledEntryPoint,
    installed_entry_points,
)
from nanobot_memory_plugins.core.protocols import OpenLocalModel
from nanobot_memory_plugins.redaction.script.messages import Sentence

OpenDemoStore: TypeAlias = Callable[[], AbstractContextManager[Mapping[str, Any]]]
"""Serves a store until the context ends, which gives the options of plugins (``memoryPlugins``) that share it."""


def installed_local_model() -> OpenLocalModel:
    """Return what the first entry point of ``nanobot_memory_local_models`` names.

    Raises `NotInstalledError` where there is none, and `PluginError` where it cannot be loaded.
    """
    point = next(installed_entry_points(LOCAL_MODEL_GROUP), None)
    if point is None:
        raise not_installed("demo --local-model", "tools")
    found: OpenLocalModel = _loaded(point, "The local model {name} of {distribution} cannot be loaded: {kind}.")
    return found


def installed_store(name: str) -> OpenDemoStore:
    """Return what the entry point of a name in ``nanobot_memory_demo_stores`` names.

    Raises `NotInstalledError` where there is none, and `PluginError` where it cannot be loaded.
    """
    point = next((one for one in installed_entry_points(DEMO_STORE_GROUP) if one.name == name), None)
    if point is None:
        raise not_installed(f"demo --store {name}", "tools")
    found: OpenDemoStore = _loaded(point, "The store {name} of {distribution} cannot be loaded: {kind}.")
    return found


def _loaded(point: InstalledEntryPoint, failed: str) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise PluginError(
            Sentence(failed, name=point.name, distribution=point.distribution, kind=type(error).__name__),
            hint=Sentence("Reinstall or remove {distribution}.", distribution=point.distribution),
        ) from error
