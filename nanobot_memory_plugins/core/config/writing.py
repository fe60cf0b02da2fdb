"""Writing a configuration file: keys below a place are set, everything else keeps its value and its order."""

import copy
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic.alias_generators import to_snake

from nanobot_memory_plugins.core.config.json_file import read_json
from nanobot_memory_plugins.core.config.mapping import find_section, has_documented_names, is_nanobots, names_plugins
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.config.wording import kind_of, shown
from nanobot_memory_plugins.core.errors import ConfigurationError, MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.redaction.script.messages import Sentence

# How often somebody else may write at the same moment before this gives up.
_ATTEMPTS = 20
_MARK = b"\xef\xbb\xbf"
_LINE_INDENT = re.compile(r"\n([ \t]+)\S")
_writing = threading.Lock()


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What a change of a configuration file comes to: the whole text before and after. Not for logs: it holds keys.

    ``backup`` is where the previous file is kept, or None when nothing was written.
    """

    path: Path
    before: str
    after: str
    backup: Path | None = None

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


def set_config_keys(
    path: str | Path,
    place: Sequence[str],
    values: Mapping[str, object],
    *,
    create: bool = False,
    dry_run: bool = False,
) -> ConfigChange:
    """Set ``values`` below ``place`` in the JSON file at ``path``, and say what changed.

    ``{"recall": {"enabled": False}}`` below ``("channels", "memoryPlugins")`` sets the one key: objects are gone into
    and made where they are missing. Order, other keys, indentation, a byte order mark and the mode of the file stay,
    and the previous file is kept as ``<name>.bak``. The file is replaced in one step; a symbolic link is followed. What
    somebody else writes meanwhile is not lost: the change is made again on top of it. Nothing is written when all of it
    stands there already, and never with ``dry_run``. With ``create`` a file that is not there is made (mode 0600); its
    folder must exist.

    It blocks for as long as the disk takes. Raises `ConfigurationError` with cause and hint.
    """
    path = Path(path).expanduser().resolve()
    if not dry_run and not path.parent.is_dir():
        raise ConfigurationError(
            Sentence("There is no folder {parent}.", parent=path.parent), hint="Make it, or name another file."
        )
    try:
        with _writing:
            for _ in range(_ATTEMPTS):
                data = path.read_bytes() if path.exists() else None
                before = "" if data is None else data.decode("utf-8-sig", "replace")
                change = ConfigChange(path, before, _changed(path, before, place, values, create=create))
                if dry_run or not change.changed:
                    return change
                if (path.read_bytes() if path.exists() else None) != data:
                    continue
                mark = _MARK if data is not None and data.startswith(_MARK) else b""
                replace_file(path, mark + change.after.encode("utf-8"))
                backup = path.with_name(f"{path.name}.bak") if data is not None else None
                return ConfigChange(path, change.before, change.after, backup)
    except (OSError, MemoryFileError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            Sentence("{path} cannot be changed: {rstrip}.", path=path, rstrip=reason.rstrip(".")),
            hint="Make the file and its folder writable.",
        ) from error
    raise ConfigurationError(
        Sentence("{path} changes all the time.", path=path), hint="Stop what writes it, and try again."
    )


def set_plugin_options(
    path: str | Path, options: Mapping[str, Mapping[str, object]], *, create: bool = False, dry_run: bool = False
) -> ConfigChange:
    """Set options of plugins, ``enabled`` among them, where the file has its plugins, as in `set_config_keys`.

    That place is found as `load_config` finds it; a file that has none gets ``channels.memoryPlugins`` when it is
    nanobot's, else ``memoryPlugins``. A plugin that is switched by a bare true or false stays so, unless other options
    are given too.
    """
    raw = _parsed(Path(path).expanduser(), create=create)
    place = plugins_place(raw)
    found: object = raw
    for key in place:
        found = found.get(key) if isinstance(found, Mapping) else None
    section: Mapping[str, object] = found if isinstance(found, Mapping) else {}
    values: dict[str, object] = {}
    for name, wanted in options.items():
        key = _spelt(section, name)
        there = section.get(key)
        if isinstance(there, bool):
            values[key] = wanted["enabled"] if set(wanted) == {"enabled"} else {"enabled": there, **wanted}
        else:
            values[key] = dict(wanted)
    return set_config_keys(path, place, values, create=create, dry_run=dry_run)


def plugins_place(raw: Mapping[str, object]) -> tuple[str, ...]:
    """Return where in a configuration file the plugins stand, or are to stand."""
    prefix, _ = find_section(raw)
    if prefix:
        return tuple(prefix.split("."))
    if is_nanobots(raw):
        return ("channels", "memoryPlugins")
    if names_plugins(raw, installed_plugins()) and not has_documented_names(raw):
        return ()
    return ("memoryPlugins",)


def _changed(path: Path, text: str, place: Sequence[str], values: Mapping[str, object], *, create: bool) -> str:
    """Return the text of a file with the values set, in its own indentation; unchanged where they stand there."""
    raw = _parsed(path, create=create)
    wanted: Mapping[str, object] = values
    for key in reversed(place if values else ()):
        wanted = {key: wanted}
    changed = copy.deepcopy(dict(raw))
    _set(path, changed, wanted, ())
    if json.dumps(changed) == json.dumps(raw):
        return text
    found = _LINE_INDENT.search(text)
    indent = found[1] if found else None if len(text.strip()) > 2 and "\n" not in text.strip() else "  "
    made = json.dumps(changed, indent=indent, ensure_ascii=False)
    return (made.replace("\n", "\r\n") if "\r\n" in text else made) + ("\n" if text.endswith("\n") or not text else "")


def _set(path: Path, into: dict[str, object], values: Mapping[str, object], above: tuple[str, ...]) -> None:
    for name, value in values.items():
        key = _spelt(into, name)
        if not isinstance(value, Mapping):
            into[key] = value
            continue
        below = {} if into.get(key) is None else into[key]
        if not isinstance(below, dict):
            dotted = ".".join(map(shown, (*above, key)))
            raise ConfigurationError(
                Sentence(
                    "{path}: {dotted}: an object is expected (found {kind_of}).",
                    path=path,
                    dotted=dotted,
                    kind_of=kind_of(below),
                ),
                hint="Correct the file by hand first.",
            )
        into[key] = below
        _set(path, below, value, (*above, key))


def _spelt(section: Mapping[str, object], name: str) -> str:
    """Return a key as it is spelt in a section already, in camelCase or snake_case."""
    return next((key for key in section if to_snake(key) == to_snake(name)), name)


def _parsed(path: Path, *, create: bool) -> Mapping[str, object]:
    if create and not path.exists():
        return {}
    raw, wrong = read_json(path)
    if wrong:
        hint = "Name a file that is there." if not path.exists() else "Correct it by hand; it is left as it is."
        raise ConfigurationError(Sentence("{path}: {why}.", path=path, why=wrong), hint=hint)
    if not isinstance(raw, Mapping):
        raise ConfigurationError(
            Sentence("{path}: an object is expected (found {kind_of}).", path=path, kind_of=kind_of(raw)),
            hint="Correct it by hand; it is left as it is.",
        )
    return raw
