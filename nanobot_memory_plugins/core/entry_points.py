"""The entry points of the installed distributions, by group; nothing is imported for it."""

import importlib.metadata
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from nanobot_memory_plugins.core.log import logger
from nanobot_memory_plugins.redaction.script.messages import Sentence

PLUGIN_GROUP: Final = "nanobot_memory_plugins"
COMMAND_GROUP: Final = "nanobot_memory_commands"
MODEL_GROUP: Final = "nanobot_memory_models"
LOCAL_MODEL_GROUP: Final = "nanobot_memory_local_models"
DEMO_STORE_GROUP: Final = "nanobot_memory_demo_stores"
IMPORTER_GROUP: Final = "nanobot_memory_importers"
ENTRIES_GROUP: Final = "nanobot_memory_entries"
SENDERS_GROUP: Final = "nanobot_memory_senders"
FINDINGS_GROUP: Final = "nanobot_memory_findings"
REPAIR_GROUP: Final = "nanobot_memory_mending"
REDACTION_GROUP: Final = "nanobot_memory_redaction_rules"
ONLY_VARIABLE: Final = "NANOBOT_MEMORY_PLUGINS"
"""The environment variable that names the plugins which may be loaded, joined by commas; without it all may.
It is for finding out which plugin is at fault."""

# The parts of this project. The name of any other distribution may be somebody else's on a package index, or nobody's.
_PARTS: Final = (
    "bootstrap bridge compaction consolidation core flush hosts mcp observation panel postgres recall redaction search"
    " storage summary tools"
)
_OWN_DISTRIBUTIONS: Final = frozenset(f"nanobot-memory-{part}" for part in _PARTS.split())


@dataclass(frozen=True, slots=True)
class InstalledEntryPoint:
    """One entry point and the distribution that brings it."""

    name: str
    distribution: str
    version: str
    entry_point: importlib.metadata.EntryPoint

    def load(self) -> Any:
        """Import what it names. Raises whatever the import raises."""
        return self.entry_point.load()


def installed_entry_points(group: str) -> Iterator[InstalledEntryPoint]:
    """Yield the entry points of a group.

    `importlib.metadata.entry_points` would stop at the first distribution with broken metadata.
    """
    seen: set[str] = set()
    for distribution in importlib.metadata.distributions():
        try:
            points = [point for point in distribution.entry_points if point.group == group]
            name = distribution.metadata["Name"] or "unknown" if points else ""
            version = distribution.metadata["Version"] or "unknown" if points else ""
        except Exception as error:
            logger.debug("the metadata of a distribution cannot be read: {}", type(error).__name__)
            continue
        # Further down the path stand older copies of the same distribution: they are not what is imported.
        if points and name not in seen:
            seen.add(name)
            yield from (InstalledEntryPoint(point.name, name, version, point) for point in points)


def selected_plugins() -> frozenset[str] | None:
    """Return the names of the plugins that `ONLY_VARIABLE` lets through, or None where it lets all through."""
    names = os.environ.get(ONLY_VARIABLE)
    return None if names is None else frozenset(name.strip() for name in names.split(",") if name.strip())


def is_selected(plugin: str) -> bool:
    """Return whether `ONLY_VARIABLE` lets a plugin through."""
    only = selected_plugins()
    return only is None or plugin in only


def repair_of(distribution: str) -> Sentence:
    """Return what helps where the code of a distribution fails: a part of this project can be installed anew."""
    if distribution in _OWN_DISTRIBUTIONS:
        return Sentence("`pip install --force-reinstall {distribution}`.", distribution=distribution)
    return Sentence("Whoever wrote {distribution} can put that right.", distribution=distribution)
