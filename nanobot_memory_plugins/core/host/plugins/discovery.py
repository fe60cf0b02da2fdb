"""Finds plugins through entry points and files; one that cannot be imported costs only itself."""

import importlib
import inspect
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic import BaseModel

from nanobot_memory_plugins.core.entry_points import (
    PLUGIN_GROUP,
    InstalledEntryPoint,
    PluginFile,
    installed_entry_points,
)
from nanobot_memory_plugins.core.isolation.failure import exception_name, log_traceback
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Frames of the import system itself say nothing about the place of an error.
_IMPORT_SYSTEM = ("<frozen importlib", importlib.__file__.rpartition("importlib")[0] + "importlib")

_Point = InstalledEntryPoint | PluginFile


@dataclass(frozen=True, slots=True)
class DiscoveredPlugin:
    """One entry point of the group, or one file, loaded or not.

    ``plugin`` is what the entry point names: a module or an object, an instance where it names a class. It is
    None when it was not to be loaded, and when loading failed; ``error`` then says why, by type and place.
    ``options_model`` is the plugin's ``Options``, where that is a pydantic model.
    """

    name: str
    value: str
    distribution: str
    version: str
    plugin: object | None
    options_model: type[BaseModel] | None
    error: str = ""


def discover_plugins(
    *,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    import_seconds: float = 10.0,
    files: Iterable[Path] = (),
) -> list[DiscoveredPlugin]:
    """Return every entry point of the group ``nanobot_memory_plugins``, ordered by name, and then the ``files``.

    Names in ``skip``, and with ``only`` all but those, are listed and not imported. An import may take
    ``import_seconds``; it runs in a daemon thread, and one that hangs is abandoned. Where two distributions
    use the same name, the one that is first on the path is taken, the other reported as an error.

    It imports, so it blocks: call it before the loop runs, or in a thread.
    """
    found: list[DiscoveredPlugin] = []
    owners: dict[str, str] = {}
    points: list[_Point] = [*sorted(installed_entry_points(PLUGIN_GROUP), key=lambda point: point.name)]
    points += map(PluginFile, files)
    for point in points:
        name = point.name
        plugin, model, error = None, None, ""
        if name in owners:
            error = Sentence("the name is taken by distribution {owner}", owner=owners[name])
        elif name not in skip and (only is None or name in only):
            plugin, model, error = _load_in_time(point, import_seconds)
        owners.setdefault(name, point.distribution)
        found.append(DiscoveredPlugin(name, point.value, point.distribution, point.version, plugin, model, error))
    return found


def _load_in_time(point: _Point, seconds: float) -> tuple[object | None, type[BaseModel] | None, str]:
    """Load an entry point in a daemon thread, and return the plugin, its options' model, and the error."""
    loading = DaemonThreadPool(1, f"nanobot-memory import {point.name}").submit(_load, point)
    try:
        plugin, model = loading.result(seconds)
    except BaseException as error:
        if loading.done():
            log_traceback(point.name, error)
            return None, None, _describe(error, point.value)
        if isinstance(error, TimeoutError):
            return None, None, Sentence("its import takes longer than {seconds:g} s", seconds=seconds)
        raise  # the user's Ctrl-C
    return plugin, model, Sentence("it names nothing but None") if plugin is None else ""


def _load(point: _Point) -> tuple[object | None, type[BaseModel] | None]:
    plugin: Any = point.load()
    if inspect.isclass(plugin):
        plugin = plugin()
    options = getattr(plugin, "Options", None)
    return plugin, options if inspect.isclass(options) and issubclass(options, BaseModel) else None


def _describe(error: BaseException, value: str) -> str:
    """Say what an import failed of: type and place, and which module is missing."""
    what = exception_name(error)
    place = _place(error.__traceback__) or value
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}"
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        parts = error.name.split(".")
        if all(part.isidentifier() for part in parts):
            return Sentence("{error} (no module {module}) at {place}", error=what, module=error.name, place=place)
    return Sentence("{error} at {place}", error=what, place=place)


def _place(trace: TracebackType | None) -> str:
    place = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != __file__ and not file.startswith(_IMPORT_SYSTEM):
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
