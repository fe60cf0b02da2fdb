"""Finds plugins through entry points and files. One that cannot be imported costs only itself."""

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

# Frames of the import system, and our own, say nothing about the place of an error.
_NO_PLACES = ("<frozen importlib", importlib.__file__.rpartition("importlib")[0] + "importlib", __file__)


@dataclass(slots=True)
class DiscoveredPlugin:
    """One entry point of the group, or one file, loaded or not.

    ``plugin`` is what the entry point names: a module or an object, an instance where it names a class. It is
    None when it was not to be loaded, and when loading failed; ``error`` then says why, by type and place.
    ``options_model`` is the plugin's ``Options``, where that is a pydantic model. ``hooks`` is None until it has been
    registered.
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
    wanted: Callable[[str], bool] = lambda name: True,
    import_seconds: float = 10.0,
    files: Iterable[Path] = (),
) -> list[DiscoveredPlugin]:
    """Return every entry point of the group ``nanobot_memory_plugins``, ordered by name, and then the ``files``.

    Those of other names than the ``wanted`` ones are listed and not imported. An import may take ``import_seconds``;
    it runs in a daemon thread, and one that hangs is abandoned. Where two distributions use the same name, the one that
    is first on the path is taken, the other reported as an error.

    It imports, so it blocks: call it before the loop runs, or in a thread.
    """
    found: list[DiscoveredPlugin] = []
    owners: dict[str, str] = {}
    points = sorted(installed_entry_points(PLUGIN_GROUP), key=lambda point: point.name)
    for point in (*points, *map(plugin_file, files)):
        one = DiscoveredPlugin(point.name, point.distribution, point.version)
        if one.name in owners:
            one.error = Sentence("the name is taken by distribution {owner}", owner=owners[one.name])
        elif wanted(one.name):
            _load_in_time(one, point, import_seconds)
        owners.setdefault(one.name, one.distribution)
        found.append(one)
    return found


def _load_in_time(one: DiscoveredPlugin, point: InstalledEntryPoint, seconds: float) -> None:
    """Load the entry point of a plugin in a daemon thread, or note why that failed."""
    loading = DaemonThreadPool(1, f"nanobot-memory import {point.name}").submit(_load, point)
    try:
        one.plugin, one.options_model = loading.result(seconds)
    except BaseException as error:
        if loading.done():
            log_traceback(point.name, error)
            one.error = _describe(error, point.value)
        elif isinstance(error, TimeoutError):
            one.error = Sentence("its import takes longer than {seconds:g} s", seconds=seconds)
        else:
            raise  # the user's Ctrl-C
    else:
        one.error = Sentence("it names nothing but None") if one.plugin is None else ""


def _load(point: InstalledEntryPoint) -> tuple[object | None, type[BaseModel] | None]:
    plugin: Any = point.load()
    if inspect.isclass(plugin):
        plugin = plugin()
    options = getattr(plugin, "Options", None)
    return plugin, options if inspect.isclass(options) and issubclass(options, BaseModel) else None


def _describe(error: BaseException, value: str) -> str:
    """Say what an import failed of: type and place, and which module is missing."""
    what = exception_name(error)
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{one.filename}:{one.lineno}" for one in frames if not one.filename.startswith(_NO_PLACES)]
    place = places[-1] if places else value
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}"
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        parts = error.name.split(".")
        if all(part.isidentifier() for part in parts):
            return Sentence("{error} (no module {module}) at {place}", error=what, module=error.name, place=place)
    return Sentence("{error} at {place}", error=what, place=place)


@cache
def accepted_types(specification: Callable[..., Any]) -> tuple[type, ...]:
    """Return the types of the values that a hook may answer with, as its specification names them."""
    return tuple(dict.fromkeys(_types(get_type_hints(specification).get("return", object))))


def _types(annotation: Any) -> list[type]:
    origin = get_origin(annotation)
    if annotation is NoneType:
        return []
    if origin in (Union, UnionType, Sequence):
        return [kind for part in get_args(annotation) for kind in _types(part)]
    return [object if annotation is Any else origin or annotation]
