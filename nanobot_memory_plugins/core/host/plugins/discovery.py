"""Finds plugins through entry points and files; one that cannot be imported costs only itself."""

import importlib
import inspect
import threading
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
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Frames of the import system itself say nothing about the place of an error.
_IMPORT_SYSTEM = ("<frozen importlib", importlib.__file__.rpartition("importlib")[0] + "importlib")


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
    ``import_seconds``; it runs in a daemon thread, and one that hangs is left behind. Where two distributions
    use the same name, the one that is first on the path is taken, the other reported as an error.

    It imports, so it blocks: call it before the loop runs, or in a thread.
    """
    found: list[DiscoveredPlugin] = []
    owners: dict[str, str] = {}
    points: list[InstalledEntryPoint | PluginFile] = [*sorted(installed_entry_points(PLUGIN_GROUP), key=_name)]
    points += map(PluginFile, files)
    for point in points:
        name, distribution = point.name, point.distribution
        plugin, options_model, error = None, None, ""
        if name in owners:
            error = Sentence("the name is taken by distribution {owner}", owner=owners[name])
        elif name not in skip and (only is None or name in only):
            plugin, options_model, error = _load_with_limit(point, import_seconds)
        owners.setdefault(name, distribution)
        found.append(DiscoveredPlugin(name, point.value, distribution, point.version, plugin, options_model, error))
    return found


def _name(point: InstalledEntryPoint) -> str:
    return point.name


def _load_with_limit(
    entry_point: InstalledEntryPoint | PluginFile, seconds: float
) -> tuple[object | None, type[BaseModel] | None, str]:
    """Load an entry point in a daemon thread and return the plugin, its options model and the error."""
    results: list[tuple[object | None, type[BaseModel] | None, str]] = []

    def load() -> None:
        try:
            plugin: Any = entry_point.load()
            if inspect.isclass(plugin):
                plugin = plugin()
            options = getattr(plugin, "Options", None)
            if not (inspect.isclass(options) and issubclass(options, BaseModel)):
                options = None
            failed = plugin is None
            results.append((plugin, options, Sentence("it names nothing but None") if failed else ""))
        except BaseException as error:
            log_traceback(entry_point.name, error)
            results.append((None, None, _describe(error, entry_point.value)))

    thread = threading.Thread(target=load, name=f"nanobot-memory import {entry_point.name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if not results:
        return None, None, Sentence("its import takes longer than {seconds:g} s", seconds=seconds)
    return results[0]


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
