"""Where a configuration file may be, and how it is read."""

import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from nanobot_memory_plugins.core.config.json_file import nanobot_home, read_json
from nanobot_memory_plugins.core.config.mapping import (
    config_from_mapping,
    find_section,
    has_documented_names,
    is_nanobots,
    misspelt_section,
    names_plugins,
)
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.wording import kind_of, shown
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP, installed_entry_points
from nanobot_memory_plugins.redaction.script.messages import Sentence

# Names the configuration file, when none is given.
CONFIG_VARIABLE = "NANOBOT_MEMORY_CONFIG"


def load_config(
    path: str | Path | None = None, *, environment: Mapping[str, str] = os.environ
) -> tuple[MemoryConfig, list[ConfigProblem]]:
    """Return the configuration and what was wrong with it. Never raises for a file's content or absence.

    The first of these that there is: ``path``; the file that NANOBOT_MEMORY_CONFIG names; ``config.json`` in the
    current folder; nanobot's own ``~/.nanobot/config.json``, at ``channels.memoryPlugins``. A file that was named
    must be there; the other two are passed over when they do not speak of memory.
    """
    named = path or environment.get(CONFIG_VARIABLE)
    for place in [Path(named)] if named else _usual_places():
        found = _read(place, is_named=bool(named))
        if found is not None:
            return found
    return MemoryConfig(), []


def given_or_usual(
    given: MemoryConfig | None, problems: Sequence[ConfigProblem]
) -> tuple[MemoryConfig, Sequence[ConfigProblem]]:
    """Return the configuration that a host was given, or else that of the usual places, as `load_config` does."""
    if given is not None:
        return given, problems
    config, found = load_config()
    return config, (*problems, *found)


def silent_file() -> Path | None:
    """Return nanobot's own file where it is there, for when no configuration speaks of memory; or None."""
    home = nanobot_home()
    file = home / "config.json" if home is not None else None
    return file if file is not None and file.is_file() else None


def _usual_places() -> list[Path]:
    home = nanobot_home()
    return [Path("config.json"), *([home / "config.json"] if home is not None else [])]


def _read(path: Path, *, is_named: bool) -> tuple[MemoryConfig, list[ConfigProblem]] | None:
    """Return what a file says; None for one in a usual place that is not there, or is about something else."""
    with suppress(RuntimeError):  # there may be no home folder to put in place of "~"
        path = path.expanduser()
    path = path.absolute()
    raw, wrong = read_json(path)
    if wrong:
        return _unread(path, wrong) if is_named or _is_ours(path) else None
    if not isinstance(raw, Mapping):
        why = Sentence("an object is expected (found {kind})", kind=kind_of(raw))
        return _unused(path, why) if is_named else None
    speaks = find_section(raw)[0] or has_documented_names(raw)
    if not (speaks or (is_named and names_plugins(raw, installed_plugins()))):
        if key := misspelt_section(raw):
            return _unused(path, Sentence('{key} is misspelt; the key is "memoryPlugins"', key=key))
        if not is_named:
            return None
        if is_nanobots(raw):
            return MemoryConfig(source=str(path), prefix="channels.memoryPlugins"), []
        if raw:
            why = Sentence('there is no "memoryPlugins" in the file; put the options under that key')
            return _unused(path, why)
    return config_from_mapping(raw, known_plugins=installed_plugins(), source=str(path))


def _is_ours(path: Path) -> bool:
    """Return whether a file in a usual place that cannot be read may hold our options: nanobot's own always may."""
    if not path.exists():
        return False
    home = nanobot_home()
    if home is not None and path == (home / "config.json").absolute():
        return True
    try:
        return b"memoryPlugins" in path.read_bytes()
    except (OSError, ValueError):
        return False


def _unused(path: Path, wrong: str) -> tuple[MemoryConfig, list[ConfigProblem]]:
    """Return the defaults, since a file says nothing that can be used."""
    name = str(path)
    message = Sentence(
        "{file}: {wrong}. The defaults are used.",
        file=shown(name) if len(name) < 80 else path.name,
        wrong=Sentence.of(wrong),
    )
    return MemoryConfig(source=name), [ConfigProblem("file", message, name)]


def _unread(path: Path, wrong: str) -> tuple[MemoryConfig, list[ConfigProblem]]:
    """Return the defaults, since a file cannot be read."""
    config, (problem,) = _unused(path, wrong)
    if not path.exists():
        return config, [problem]
    file = shlex.quote(str(path))
    hint = Sentence("Correct it, or its rights; then `python3 -m json.tool {file}` has nothing against it.", file=file)
    return config, [replace(problem, hint=hint, is_unread=True)]


def installed_plugins() -> set[str]:
    """Return the names of the installed plugins, without importing any."""
    return {found.name for found in installed_entry_points(PLUGIN_GROUP)}
