"""Finds plugins through entry points and files. A plugin that cannot be imported does not affect the others."""

import importlib
import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from nanobot_memory_plugins.core.entry_points import (
    PLUGIN_GROUP,
    InstalledEntryPoint,
    installed_entry_points,
    plugin_file,
)
from nanobot_memory_plugins.core.isolation.failure import exception_name, log_traceback
from nanobot_memory_plugins.core.isolation.threads import DaemonThreadPool
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Frames of the import system and of this file, which are never the place of an error.
_IGNORED_FRAMES = ("<frozen importlib", importlib.__file__.rpartition("importlib")[0] + "importlib", __file__)


@dataclass(slots=True)
class DiscoveredPlugin:
    """A plugin that an entry point or a file names, loaded or not.

    ``plugin`` is the module or object, or an instance if the entry point names a class. It is None if it was not
    selected, or if loading failed; then ``error`` gives the type and place. ``options_model`` is the plugin's
    ``Options`` if that is a pydantic model. ``hooks`` is None until the plugin is registered.
    """

    name: str
    distribution: str
    version: str
    plugin: object | None = None
    options_model: type[BaseModel] | None = None
    error: str = ""
    hooks: tuple[str, ...] | None = None


def discover_plugins(
    *,
    should_load: Callable[[str], bool] = lambda name: True,
    import_seconds: float = 10.0,
    files: Iterable[Path] = (),
) -> list[DiscoveredPlugin]:
    """Return every plugin of the group ``nanobot_memory_plugins``, ordered by name, and then those of the ``files``.

    A plugin that ``should_load`` rejects is listed, but not imported. Each import runs in a daemon thread, and is
    abandoned after ``import_seconds``. If two distributions use the same name, the first on the path is loaded, and the
    other one gets an error.

    This imports code and blocks: call it before the event loop runs, or in a thread.
    """
    plugins: list[DiscoveredPlugin] = []
    owners: dict[str, str] = {}
    points = sorted(installed_entry_points(PLUGIN_GROUP), key=lambda point: point.name)
    for point in (*points, *map(plugin_file, files)):
        plugin = DiscoveredPlugin(point.name, point.distribution, point.version)
        if plugin.name in owners:
            plugin.error = Sentence("the name is taken by distribution {owner}", owner=owners[plugin.name])
        elif should_load(plugin.name):
            _load_within(plugin, point, import_seconds)
        owners.setdefault(plugin.name, plugin.distribution)
        plugins.append(plugin)
    return plugins


def _load_within(plugin: DiscoveredPlugin, point: InstalledEntryPoint, seconds: float) -> None:
    """Load a plugin from its entry point in a daemon thread, or set its ``error``."""
    loading = DaemonThreadPool(1, f"nanobot-memory import {point.name}").submit(_load, point)
    try:
        plugin.plugin, plugin.options_model = loading.result(seconds)
    except BaseException as error:
        if loading.done():
            log_traceback(point.name, error)
            plugin.error = _describe_error(error, point.value)
        elif isinstance(error, TimeoutError):
            plugin.error = Sentence("its import takes longer than {seconds:g} s", seconds=seconds)
        else:
            raise  # the user's Ctrl-C
    else:
        plugin.error = Sentence("it names None") if plugin.plugin is None else ""


def _load(point: InstalledEntryPoint) -> tuple[object | None, type[BaseModel] | None]:
    plugin: Any = point.load()
    if inspect.isclass(plugin):
        plugin = plugin()
    options = getattr(plugin, "Options", None)
    return plugin, options if inspect.isclass(options) and issubclass(options, BaseModel) else None


def _describe_error(error: BaseException, value: str) -> str:
    """Describe why an import failed: the error's type and place, and a missing module."""
    name = exception_name(error)
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{one.filename}:{one.lineno}" for one in frames if not one.filename.startswith(_IGNORED_FRAMES)]
    place = places[-1] if places else value
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}"
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        parts = error.name.split(".")
        if all(part.isidentifier() for part in parts):
            return Sentence("{error} (no module {module}) at {place}", error=name, module=error.name, place=place)
    return Sentence("{error} at {place}", error=name, place=place)


@cache
def accepted_types(specification: Callable[..., Any]) -> tuple[type, ...]:
    """Return the types of values that a hook may answer with, according to its specification."""
    return tuple(dict.fromkeys(_types(get_type_hints(specification).get("return", object))))


def _types(annotation: Any) -> list[type]:
    origin = get_origin(annotation)
    if annotation is NoneType:
        return []
    if origin in (Union, UnionType, Sequence):
        return [kind for part in get_args(annotation) for kind in _types(part)]
    return [object if annotation is Any else origin or annotation]
