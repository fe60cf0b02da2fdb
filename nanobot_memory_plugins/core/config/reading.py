"""Where a configuration file may be, and how it is read."""

import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nanobot_memory_plugins.core.config.json_file import configuration_files, nanobot_config_file, read_json
from nanobot_memory_plugins.core.config.mapping import (
    config_from_mapping,
    find_section,
    has_documented_names,
    misspelt_section,
    plugins_place,
)
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.wording import key_text
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP, installed_entry_points
from nanobot_memory_plugins.redaction.script.messages import Sentence


def load_config(path: str | Path | None = None, *, environment: Mapping[str, str] = os.environ) -> MemoryConfig:
    """Return the configuration, with its ``problems``. Never raises for a file's content or absence.

    The first of these that there is: ``path``; the file that NANOBOT_MEMORY_CONFIG names; ``config.json`` in the
    current folder; nanobot's own ``~/.nanobot/config.json``, at ``channels.memoryPlugins``. A file that was named
    must be there; the other two are passed over when they do not speak of memory.
    """
    files = configuration_files(path, environment)
    is_named = len(files) == 1
    for file in files:
        if is_named or file.is_file():
            found = _read(file.absolute(), is_named=is_named, is_own=file == nanobot_config_file())
            if found is not None:
                return found
    return MemoryConfig()


def installed_plugins() -> set[str]:
    """Return the names of the installed plugins, without importing any."""
    return {found.name for found in installed_entry_points(PLUGIN_GROUP)}


def _read(path: Path, *, is_named: bool, is_own: bool) -> MemoryConfig | None:
    """Return what a file says; None for one in a usual place that is about something else."""
    raw, wrong = read_json(path)
    if wrong:
        speaks_of_memory = is_named or is_own or _names_memory(path)
        return _unused(path, wrong, is_unread=path.exists()) if speaks_of_memory else None
    if not isinstance(raw, Mapping):
        return _unused(path, Sentence("the file should hold an object")) if is_named or is_own else None
    if find_section(raw)[0] or has_documented_names(raw):
        return config_from_mapping(raw, known_plugins=installed_plugins(), source=str(path))
    if key := misspelt_section(raw):
        return _unused(path, Sentence('{key} is misspelt; the key is "memoryPlugins"', key=key))
    if not (is_named or is_own):
        return None
    place = plugins_place(raw)
    if is_own or not raw or place.startswith("channels"):  # nanobot's own file need not speak of memory
        return MemoryConfig(source=str(path), prefix=place)
    return _unused(path, Sentence('there is no "memoryPlugins" in the file; put the options under that key'))


def _names_memory(path: Path) -> bool:
    with suppress(OSError):
        return b"memoryPlugins" in path.read_bytes()
    return False


def _unused(path: Path, wrong: str, *, is_unread: bool = False) -> MemoryConfig:
    """Return the defaults, since a file says nothing that can be used, or cannot even be read."""
    name = str(path)
    shown_name = key_text(name) if len(name) < 80 else path.name
    message = Sentence("{file}: {wrong}. Every option has its default.", file=shown_name, wrong=Sentence.of(wrong))
    hint = Sentence(
        "Correct it; `nanobot-memory config show --all` lists the options, and --config names another file."
    )
    if is_unread:
        hint = Sentence(
            "Correct it, or `chmod u+rw {file}`; then `python3 -m json.tool {file}` has nothing against it. Until"
            " then, if it is nanobot's own, commands need --workspace.",
            file=shlex.quote(name),
        )
    problem = ConfigProblem("file", message, name, hint, is_unread)
    return MemoryConfig(source=name, problems=(problem,))
