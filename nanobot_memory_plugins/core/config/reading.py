"""Loading the configuration from the first file that has one."""

import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nanobot_memory_plugins.core.config.json_file import configuration_files, nanobot_config_file, read_json
from nanobot_memory_plugins.core.config.mapping import (
    config_from_mapping,
    find_section,
    has_document_options,
    misspelt_section,
    section_path,
)
from nanobot_memory_plugins.core.config.models import ConfigProblem, MemoryConfig
from nanobot_memory_plugins.core.config.wording import key_text
from nanobot_memory_plugins.core.entry_points import PLUGIN_GROUP, installed_entry_points
from nanobot_memory_plugins.redaction.script.messages import Sentence


def load_config(path: str | Path | None = None, *, environment: Mapping[str, str] = os.environ) -> MemoryConfig:
    """Return the configuration, with its ``problems``. Never raises for a file's content or absence.

    It uses the first of these: ``path``; the file in NANOBOT_MEMORY_CONFIG; ``config.json`` in the current folder;
    nanobot's own ``~/.nanobot/config.json``, at ``channels.memoryPlugins``. A missing file is a problem if it was named
    in one of the first two ways; the other two files are skipped if they have no options of the memory.
    """
    files = configuration_files(path, environment)
    is_named = len(files) == 1
    for file in files:
        if is_named or file.is_file():
            config = _read_config(file.absolute(), is_named=is_named, is_nanobot=file == nanobot_config_file())
            if config is not None:
                return config
    return MemoryConfig()


def installed_plugins() -> set[str]:
    """Return the names of the installed plugins, without importing any."""
    return {point.name for point in installed_entry_points(PLUGIN_GROUP)}


def _read_config(path: Path, *, is_named: bool, is_nanobot: bool) -> MemoryConfig | None:
    """Return the configuration in a file, or None if nobody named the file and it has no options of the memory."""
    raw, wrong = read_json(path)
    is_meant = is_named or is_nanobot
    if wrong:
        return _defaults(path, wrong, is_unread=path.exists()) if is_meant or _mentions_memory(path) else None
    if not isinstance(raw, Mapping):
        return _defaults(path, Sentence("the file should hold an object")) if is_meant else None
    if find_section(raw)[0] or has_document_options(raw):
        return config_from_mapping(raw, known_plugins=installed_plugins(), source=str(path))
    if key := misspelt_section(raw):
        return _defaults(path, Sentence('{key} is misspelt; the key is "memoryPlugins"', key=key))
    if not is_meant:
        return None
    prefix = section_path(raw)
    if is_nanobot or not raw or prefix.startswith("channels"):  # nanobot's own file need not have such options
        return MemoryConfig(source=str(path), prefix=prefix)
    return _defaults(path, Sentence('there is no "memoryPlugins" in the file; put the options under that key'))


def _mentions_memory(path: Path) -> bool:
    with suppress(OSError):
        return b"memoryPlugins" in path.read_bytes()
    return False


def _defaults(path: Path, wrong: str, *, is_unread: bool = False) -> MemoryConfig:
    """Return the default configuration, with the problem of a file that cannot be used or read."""
    name = str(path)
    shown_name = key_text(name) if len(name) < 80 else path.name
    message = Sentence("{file}: {wrong}. Every option has its default.", file=shown_name, wrong=Sentence.of(wrong))
    hint = Sentence(
        "Correct it; `nanobot-memory config show --all` lists the options, and --config names another file."
    )
    if is_unread:
        hint = Sentence(
            "Correct it, or `chmod u+rw {file}` if it cannot be read; `python3 -m json.tool {file}` checks it. Until"
            " then, if it is nanobot's own, commands need --workspace.",
            file=shlex.quote(name),
        )
    problem = ConfigProblem("file", message, name, hint, is_unread)
    return MemoryConfig(source=name, problems=(problem,))
