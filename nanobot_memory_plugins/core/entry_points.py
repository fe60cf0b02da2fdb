"""The entry points of the installed distributions, by group. Listing them imports none of them."""

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
_GROUP_PREFIX: Final = "nanobot_memory_"
SELECTION_VARIABLE: Final = "NANOBOT_MEMORY_PLUGINS"
"""The environment variable with the names of the plugins to load, separated by commas. Without it all are loaded.
It is for finding out which plugin causes a problem."""


@dataclass(frozen=True, slots=True)
class InstalledEntryPoint:
    """One entry point and the distribution that it belongs to, or a plugin file in place of both.

    ``load`` imports the object, and raises whatever the import raises. ``value`` describes the object to people.
    """

    name: str
    distribution: str
    version: str
    value: str
    load: Callable[[], Any]


def plugin_file(path: Path) -> InstalledEntryPoint:
    """Return the entry point of a plugin that is a single unpackaged file, listed in ``core.pluginFiles``."""
    return InstalledEntryPoint(path.stem, path.name, "", str(path), partial(_run_file, path))


def _run_file(path: Path) -> ModuleType:
    """Run a file as a module. Raises `ImportError` for a file that is not Python, and whatever running it raises."""
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
    for name, version, points in _distributions(tuple((folder, _modified_at(folder)) for folder in sys.path)):
        found = (point for point in points if point.group == group)
        yield from (InstalledEntryPoint(point.name, name, version, point.value, point.load) for point in found)


@lru_cache(maxsize=1)  # a start asks for several groups, and each listing reads a file of every distribution
def _distributions(_path: tuple[tuple[str, int], ...]) -> list[tuple[str, str, list[importlib.metadata.EntryPoint]]]:
    """Return name, version and entry points of the distributions that have entry points of these groups.

    They are read again when the import path has changed or something was installed into one of its folders.
    `importlib.metadata.entry_points` would stop at the first distribution with broken metadata.
    """
    found: dict[str, tuple[str, str, list[importlib.metadata.EntryPoint]]] = {}
    for distribution in importlib.metadata.distributions():
        try:
            points = [point for point in distribution.entry_points if point.group.startswith(_GROUP_PREFIX)]
            if points:
                about = distribution.metadata  # parsed again on each access
                # Copies of the same distribution further down the path are not the ones that are imported.
                found.setdefault(about["Name"], (about["Name"], about["Version"], points))
        except Exception as error:
            logger.debug("the metadata of a distribution cannot be read: {}", type(error).__name__)
    return list(found.values())


def _modified_at(folder: str) -> int:
    """Return when a folder was last modified, in nanoseconds, or 0 when there is no folder."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def entry_points_by_name(group: str) -> dict[str, InstalledEntryPoint]:
    """Return the entry points of a group by name. Of two with one name, this project's own wins."""
    points = list(installed_entry_points(group))
    own = (point for point in points if point.distribution.startswith("nanobot-memory-"))
    return {point.name: point for point in (*points, *own)}


def first_answer(group: str, ask: Callable[[Any], _T | None]) -> _T | None:
    """Call ``ask`` with the object of each entry point of a group, and return the first answer, or None. It may block.

    An object that raises is logged and skipped: it is third-party code.
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


def is_selected(plugin: str) -> bool:
    """Return whether `SELECTION_VARIABLE` lists a plugin or is not set."""
    names = os.environ.get(SELECTION_VARIABLE)
    return names is None or plugin in map(str.strip, names.split(","))
