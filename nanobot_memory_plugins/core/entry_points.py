"""The entry points of the installed distributions, by group; nothing is imported for it."""

import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from nanobot_memory_plugins.core.log import logger

_T = TypeVar("_T")

PLUGIN_GROUP: Final = "nanobot_memory_plugins"
COMMAND_GROUP: Final = "nanobot_memory_commands"
IMPORTER_GROUP: Final = "nanobot_memory_importers"
ENTRIES_GROUP: Final = "nanobot_memory_entries"
SENDERS_GROUP: Final = "nanobot_memory_senders"
REDACTION_GROUP: Final = "nanobot_memory_redaction_rules"
_OURS: Final = "nanobot_memory_"
SELECTION_VARIABLE: Final = "NANOBOT_MEMORY_PLUGINS"
"""The environment variable that names the plugins which may be loaded, joined by commas; without it all may.
It is for finding out which plugin is at fault."""


@dataclass(frozen=True, slots=True)
class InstalledEntryPoint:
    """One entry point and the distribution that brings it, or a file in the place of both.

    ``load`` imports what it names, and raises whatever the import raises. ``value`` says for people what that is.
    """

    name: str
    distribution: str
    version: str
    value: str
    load: Callable[[], Any]


def plugin_file(path: Path) -> InstalledEntryPoint:
    """Return a plugin that is one file without packaging, named in the configuration (``core.pluginFiles``)."""
    return InstalledEntryPoint(path.stem, path.name, "", str(path), partial(_run_file, path))


def _run_file(path: Path) -> ModuleType:
    """Run a file as a module of its own. Raises `ImportError` for what is no Python, and what running it raises."""
    spec = importlib.util.spec_from_file_location(f"nanobot_memory_plugin_file_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses and pydantic look there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    return module


def installed_entry_points(group: str) -> Iterator[InstalledEntryPoint]:
    """Yield the entry points of a group."""
    for name, version, points in _distributions(tuple((folder, _changed(folder)) for folder in sys.path)):
        found = (one for one in points if one.group == group)
        yield from (InstalledEntryPoint(one.name, name, version, one.value, one.load) for one in found)


@lru_cache(maxsize=1)  # every start asks for several groups, and each look reads a file of all that is installed
def _distributions(_path: tuple[tuple[str, int], ...]) -> list[tuple[str, str, list[importlib.metadata.EntryPoint]]]:
    """Return name, version and entry points of the distributions that have some for a memory.

    They are read anew where the import path is another, or something was installed into a folder of it.
    `importlib.metadata.entry_points` would stop at the first distribution with broken metadata.
    """
    found: dict[str, tuple[str, str, list[importlib.metadata.EntryPoint]]] = {}
    for distribution in importlib.metadata.distributions():
        try:
            points = [one for one in distribution.entry_points if one.group.startswith(_OURS)]
            if points:
                about = distribution.metadata  # read and taken apart anew each time
                # Further down the path are older copies of the same distribution: they are not what is imported.
                found.setdefault(about["Name"], (about["Name"], about["Version"], points))
        except Exception as error:
            logger.debug("the metadata of a distribution cannot be read: {}", type(error).__name__)
    return list(found.values())


def _changed(folder: str) -> int:
    """Return when a folder was changed, in nanoseconds, or 0 where there is none."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def entry_points_by_name(group: str) -> dict[str, InstalledEntryPoint]:
    """Return the entry points of a group by name; of two of one name this project's own counts."""
    points = list(installed_entry_points(group))
    own = (point for point in points if point.distribution.startswith("nanobot-memory-"))
    return {point.name: point for point in (*points, *own)}


def first_answer(group: str, ask: Callable[[Any], _T | None]) -> _T | None:
    """Return the first answer of what the entry points of a group name, asked by ``ask``, or None; it may block.

    One that fails is passed over, and logged: it is somebody else's code.
    """
    for point in installed_entry_points(group):
        try:
            answer = ask(point.load())
        except Exception as error:
            logger.warning("{} of {} failed: {}", group, point.distribution, type(error).__name__)
            continue
        if answer is not None:
            return answer
    return None


def selected_plugins() -> frozenset[str] | None:
    """Return the names of the plugins that `SELECTION_VARIABLE` lets through, or None where it lets all through."""
    names = os.environ.get(SELECTION_VARIABLE)
    return None if names is None else frozenset(name.strip() for name in names.split(",") if name.strip())


def is_selected(plugin: str) -> bool:
    """Return whether `SELECTION_VARIABLE` lets a plugin through."""
    only = selected_plugins()
    return only is None or plugin in only
