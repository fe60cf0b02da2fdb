"""Changing keys of a JSON configuration file, ours or another program's; everything else in it stays as it is."""

import copy
import json
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic.alias_generators import to_snake

from nanobot_memory_plugins.core.config.json_file import read_json
from nanobot_memory_plugins.core.config.mapping import section_path
from nanobot_memory_plugins.core.config.wording import key_text
from nanobot_memory_plugins.core.errors import ConfigurationError, MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LINE_INDENT = re.compile(r"\n([ \t]+)\S")


def set_plugin_options(path: str | Path, options: Mapping[str, Mapping[str, object]]) -> Path | None:
    """Set options of plugins in a JSON file; return the path of the backup, ``.bak``, or None if nothing changes.

    The plugins' section is found as `load_config` finds it; a file without one gets ``channels.memoryPlugins`` if it is
    nanobot's, else ``memoryPlugins``. A plugin whose value is true or false keeps that form unless options other than
    ``enabled`` are set. Raises `ConfigurationError` with cause and hint.
    """
    path, raw = _read(path)
    new: Mapping[str, object] = options
    for key in reversed(section_path(raw).split(".") if isinstance(raw, Mapping) else ()):
        new = {key: new}
    return _write(path, raw, new)


def set_keys(path: str | Path, keys: Mapping[str, object]) -> Path | None:
    """Set keys of a JSON file, and of the objects in it; return the path of the backup, ``.bak``.

    Returns None if nothing changes. Raises `ConfigurationError` with cause and hint.
    """
    return _write(*_read(path), keys)


def _read(path: str | Path) -> tuple[Path, object]:
    """Return a file's path, with symbolic links resolved, and its content. Raises `ConfigurationError`."""
    path = Path(path).expanduser().resolve()
    raw, wrong = read_json(path)
    if wrong:
        raise ConfigurationError(
            Sentence("{path}: {why}.", path=path, why=wrong),
            hint="Correct it by hand; it is left as it is."
            if path.exists()
            else "Create it with {} in it, or name an existing file.",
        )
    return path, raw


def _write(path: Path, raw: object, new: Mapping[str, object]) -> Path | None:
    """Write the file with the new keys; its other keys, order, indentation and mode stay. It blocks."""
    changed = copy.deepcopy(raw)
    _merge(path, changed, new, ())
    if json.dumps(changed) == json.dumps(raw):
        return None
    indent = _LINE_INDENT.search(path.read_text(encoding="utf-8-sig"))
    text = json.dumps(changed, indent=indent[1] if indent else "  ", ensure_ascii=False) + "\n"
    try:
        replace_file(path, text.encode("utf-8", "backslashreplace"))
    except MemoryFileError as error:
        reason = getattr(error.__cause__, "strerror", None) or str(error)
        raise ConfigurationError(
            Sentence("{path} cannot be changed: {rstrip}.", path=path, rstrip=reason.rstrip(".")),
            hint="Make the file and its folder writable.",
        ) from error
    return path.with_name(f"{path.name}.bak")


def _merge(path: Path, into: object, new: Mapping[str, object], parents: tuple[str, ...]) -> None:
    """Set keys of an object and its nested objects, in the spelling that the file uses. Raises `ConfigurationError`."""
    if not isinstance(into, dict):
        dotted = ".".join(map(key_text, parents))
        where = Sentence("{path}: {dotted}", path=path, dotted=dotted) if parents else str(path)
        raise ConfigurationError(
            Sentence("{path}: it should be an object.", path=where),
            hint="Correct it by hand; it is left as it is.",
        )
    for name, value in new.items():
        key = next((key for key in into if to_snake(key) == to_snake(name)), name)
        if not isinstance(value, Mapping):
            into[key] = value
        elif isinstance(into.get(key), bool):  # a plugin that is switched on or off
            into[key] = value["enabled"] if set(value) == {"enabled"} else {"enabled": into[key], **value}
        else:
            into[key] = {} if into.get(key) is None else into[key]
            _merge(path, into[key], value, (*parents, key))
