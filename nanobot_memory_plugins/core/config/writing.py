"""Writing a configuration file: keys below a place are set, everything else stays as it was."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic.alias_generators import to_snake

from nanobot_memory_plugins.core.config.json_edit import with_keys
from nanobot_memory_plugins.core.config.json_file import read_json
from nanobot_memory_plugins.core.config.mapping import find_section, has_documented_names, is_nanobots, names_plugins
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.config.wording import kind_of
from nanobot_memory_plugins.core.errors import ConfigurationError, MemoryFileError
from nanobot_memory_plugins.core.files.replace import replace_file
from nanobot_memory_plugins.redaction.script.messages import Sentence

_LOCK_SECONDS = 5.0
# How often somebody else may write at the same moment before this gives up.
_ATTEMPTS = 20
NANOBOT_PLACE = ("channels", "memoryPlugins")
GENERIC_PLACE = ("memoryPlugins",)


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
    and made where they are missing. Order, unknown keys, indentation, line ends, a byte order mark and the mode of the
    file stay, and the previous file is kept as ``<name>.bak``. The file is replaced in one step; a symbolic link is
    followed. What somebody else writes meanwhile is not lost: the change is made again on top of it. Nothing is written
    when all of it stands there already, and never with ``dry_run``. With ``create`` a file that is not there is made
    (mode 0600); its folder must exist.

    It blocks for as long as the disk takes. Raises `ConfigurationError` with cause and hint.
    """
    path = _followed(Path(path))
    try:
        if dry_run:
            return _change(path, _read(path, create=create), place, values)
        if not path.parent.is_dir():
            raise ConfigurationError(
                Sentence("There is no folder {parent}.", parent=path.parent), hint="Make it, or name another file."
            )
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=_LOCK_SECONDS, mode=0o600):
            return _write(path, place, values, create=create)
    except Timeout as error:
        raise ConfigurationError(
            Sentence("{path} is being changed by another program.", path=path), hint="Try again."
        ) from error
    except (OSError, MemoryFileError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            Sentence("{path} cannot be changed: {rstrip}.", path=path, rstrip=reason.rstrip(".")),
            hint="Make the file and its folder writable.",
        ) from error


def set_plugin_options(
    path: str | Path, options: Mapping[str, Mapping[str, object]], *, create: bool = False, dry_run: bool = False
) -> ConfigChange:
    """Set options of plugins, ``enabled`` among them, where the file has its plugins, as in `set_config_keys`.

    That place is found as `load_config` finds it; a file that has none gets ``channels.memoryPlugins`` when it is
    nanobot's, else ``memoryPlugins``. A plugin that is switched by a bare true or false stays so, unless other options
    are given too.
    """
    raw = _parsed(_followed(Path(path)), create=create)
    place = plugins_place(raw)
    found: object = raw
    for key in place:
        found = found.get(key) if isinstance(found, Mapping) else None
    section: Mapping[str, object] = found if isinstance(found, Mapping) else {}
    values: dict[str, object] = {}
    for name, wanted in options.items():
        key = next((key for key in section if name in (key, to_snake(key))), name)
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
        return NANOBOT_PLACE
    if names_plugins(raw, installed_plugins()) and not has_documented_names(raw):
        return ()
    return GENERIC_PLACE


def _followed(path: Path) -> Path:
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise ConfigurationError(
            Sentence("{path} cannot be found.", path=path), hint="Name the file in full."
        ) from error


def _write(path: Path, place: Sequence[str], values: Mapping[str, object], *, create: bool) -> ConfigChange:
    for _ in range(_ATTEMPTS):
        data = _read(path, create=create)
        change = _change(path, data, place, values)
        if not change.changed:
            return change
        mark = codecs.BOM_UTF8 if data is not None and data.startswith(codecs.BOM_UTF8) else b""
        if _read(path, create=create) != data:
            continue
        there = path.exists()
        replace_file(path, mark + change.after.encode("utf-8"))
        return ConfigChange(path, change.before, change.after, path.with_name(f"{path.name}.bak") if there else None)
    raise ConfigurationError(
        Sentence("{path} changes all the time.", path=path), hint="Stop what writes it, and try again."
    )


def _change(path: Path, data: bytes | None, place: Sequence[str], values: Mapping[str, object]) -> ConfigChange:
    if data is None:
        return ConfigChange(path, "", with_keys("{}", place, values) + "\n")
    before = data.decode("utf-8-sig")
    try:
        return ConfigChange(path, before, with_keys(before, place, values))
    except ConfigurationError as error:
        raise ConfigurationError(Sentence("{path}: {why}", path=path, why=error.cause), hint=error.hint) from error


def _read(path: Path, *, create: bool) -> bytes | None:
    """Return the file, or None where it is not there and may be made. Raises `ConfigurationError` for no JSON."""
    if create and not path.exists():
        return None
    _parsed(path, create=False)
    return path.read_bytes()


def _parsed(path: Path, *, create: bool) -> Mapping[str, object]:
    if create and not path.exists():
        return {}
    raw, wrong = read_json(path)
    if wrong:
        hint = "Name a file that is there." if not path.exists() else "Correct it by hand; it is left as it is."
        raise ConfigurationError(f"{path}: {wrong}.", hint=hint)
    if not isinstance(raw, Mapping):
        raise ConfigurationError(
            Sentence("{path}: an object is expected (found {kind_of}).", path=path, kind_of=kind_of(raw)),
            hint="Correct it by hand; it is left as it is.",
        )
    return raw
