"""From the value of ``memoryPlugins``, or from a document's object, to a `MemoryConfig`."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

from pydantic.alias_generators import to_snake

from nanobot_memory_plugins.core.config.models import (
    ConfigProblem,
    CoreOptions,
    MemoryConfig,
    RedactionOptions,
    as_switch,
)
from nanobot_memory_plugins.core.config.names import (
    BY_PATH,
    DOCUMENT_OBJECTS,
    STANDARD_PLUGINS,
    place_of,
)
from nanobot_memory_plugins.core.config.options import checked_options
from nanobot_memory_plugins.core.config.wording import hint, kind_of, sentence, shown
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SECTION = ("memoryPlugins", "memory_plugins")
# What is no plugin.
_OWN = ("core", "redaction")
# By these a file is known for nanobot's, where the plugins are below "channels".
_NANOBOT_KEYS = ("agents", "channels", "providers", "gateway")
# From this likeness on a key is meant for that of the section: "memoryPlugin" is, "plugins" and "memory" are not.
_MEANT = 0.85


def config_from_mapping(
    raw: object, *, known_plugins: Collection[str] | None = None, source: str = ""
) -> tuple[MemoryConfig, list[ConfigProblem]]:
    """Return the configuration that ``raw`` describes, and what was wrong with it. Never raises for its content.

    ``raw`` is the value of ``memoryPlugins``, a whole file that has it, or a document's object under its name
    (``{"memory": {...}}``). With ``known_plugins``, the names of those that are installed, other names are reported.
    """
    reader = _Reader(known_plugins, source)
    given = reader.mapping(raw, "memoryPlugins")
    prefix, section = find_section(given)
    reader.read_documents(given, "")
    if prefix:
        reader.prefix = prefix
        below = reader.mapping(section, prefix)
        reader.read_documents(below, f"{prefix}.")
        reader.read_section(below)
    elif names_plugins(given, known_plugins) or not has_documented_names(given):
        reader.read_section(given)
    return reader.config(), reader.problems


def find_section(raw: Mapping[Any, Any]) -> tuple[str, object]:
    """Return the dotted place and the value of ``memoryPlugins`` in a whole file, or an empty place."""
    for above, found in _places(raw):
        for key in _SECTION:
            if key in found:
                return f"{above}{key}", found[key]
    return "", None


def misspelt_section(raw: Mapping[Any, Any]) -> str:
    """Return the dotted place of a key that is nearly ``memoryPlugins``, in a file that has no such section."""
    for above, found in _places(raw):
        if near := get_close_matches(_SECTION[0], map(str, found), n=1, cutoff=_MEANT):
            return f"{above}{shown(near[0])}"
    return ""


def _places(raw: Mapping[Any, Any]) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    yield "", raw
    if isinstance(channels := raw.get("channels"), Mapping):
        yield "channels.", channels


def is_nanobots(raw: Mapping[Any, Any]) -> bool:
    """Return whether a whole file is nanobot's own, which need not speak of memory."""
    return any(key in raw for key in _NANOBOT_KEYS)


def names_plugins(raw: Mapping[Any, Any], known_plugins: Collection[str] | None) -> bool:
    """Return whether a key of ``raw`` is ``core``, ``redaction`` or a plugin's name."""
    names = {*_OWN, *STANDARD_PLUGINS, *(known_plugins or ())}
    return any(str(key) in names or to_snake(str(key)) in names for key in raw)


def has_documented_names(raw: object, path: tuple[str, ...] = ()) -> bool:
    """Return whether one of the documents' objects is in ``raw`` with a name that the documents give."""
    if path in BY_PATH or not isinstance(raw, Mapping):
        return path in BY_PATH
    below = (((*path, to_snake(str(key))), value) for key, value in raw.items())
    return any(has_documented_names(value, place) for place, value in below if _is_group(place))


def _is_group(path: tuple[str, ...]) -> bool:
    return any(known[: len(path)] == path for known in BY_PATH)


def _named_by_files(section: Mapping[Any, Any]) -> set[str]:
    """Return the names of the plugins that are files of ``core.pluginFiles``."""
    core = section.get("core")
    files = core.get("pluginFiles", core.get("plugin_files")) if isinstance(core, Mapping) else None
    return {PurePath(one).stem for one in files if isinstance(one, str)} if isinstance(files, (list, tuple)) else set()


class _Reader:
    """Collects options and problems while it goes through the objects."""

    def __init__(self, known_plugins: Collection[str] | None, source: str) -> None:
        self.prefix = "memoryPlugins"
        self.problems: list[ConfigProblem] = []
        self._known = known_plugins
        self._source = source
        self._own: dict[str, Any] = {}
        self._plugins: dict[str, dict[str, Any]] = {}
        self._written: dict[str, str] = {}

    def config(self) -> MemoryConfig:
        """Return what was read."""
        return MemoryConfig(
            **self._own, plugins=self._plugins, source=self._source, prefix=self.prefix, written=self._written
        )

    def mapping(self, raw: object, where: str) -> Mapping[Any, Any]:
        """Return an object; an empty one for null, and for anything else, which is reported."""
        if isinstance(raw, Mapping):
            return raw
        if raw is not None:
            why = Sentence("an object is expected (found {kind}); the defaults are used", kind=kind_of(raw))
            self._report(where, why)
        return {}

    def read_section(self, section: Mapping[Any, Any]) -> None:
        """Read the value of ``memoryPlugins``; what it says wins over the documents' objects."""
        known = None if self._known is None else {*self._known, *STANDARD_PLUGINS, *_named_by_files(section)}
        for key, raw in ((str(key), raw) for key, raw in section.items()):
            name = to_snake(key) if known and key not in known and to_snake(key) in known else key
            where = f"{self.prefix}.{shown(key)}"
            if name in _OWN:
                model = CoreOptions if name == "core" else RedactionOptions
                given = self.mapping(raw, where)
                self._own[name], problems = checked_options(model, given, prefix=where, source=self._source)
                self.problems += problems
            elif self._is_document_object(key):
                continue
            elif known is None or name in known:
                self._read_plugin(name, {"enabled": raw} if isinstance(raw, bool) else self.mapping(raw, where), where)
            elif (place := place_of(key)) and not isinstance(raw, Mapping):
                why = Sentence('this is an option of a plugin: write it as "{place}"', place=f"{self.prefix}.{place}")
                self._report(where, why)
            else:
                self._report(where, Sentence("there is no such plugin. {hint}", hint=hint(key, {*known, *_OWN})))

    def read_documents(self, raw: Mapping[Any, Any], prefix: str) -> None:
        """Read ``memory``, ``memory_search``, ``memory_flush`` and ``context.bootstrap`` where they are."""
        for key, value in raw.items():
            if self._is_document_object(str(key)):
                self._read_object(value, (to_snake(str(key)),), prefix + shown(key))

    def _report(self, key: str, message: str) -> None:
        self.problems.append(ConfigProblem(key, sentence(key, message), self._source))

    def _read_plugin(self, name: str, raw: Mapping[Any, Any], where: str) -> None:
        options = self._plugins.setdefault(name, {})
        for key, value in ((str(key), value) for key, value in raw.items()):
            if key == "enabled":
                self._switch([name], value, f"{where}.enabled")
                continue
            if self._written.pop(f"{name}.{to_snake(key)}", None) is not None:
                options.pop(to_snake(key), None)
            options[key] = value

    def _switch(self, names: Iterable[str], value: object, where: str) -> None:
        switch = as_switch(value)
        if switch is None:
            kind = kind_of(value)
            self._report(where, Sentence("true or false is expected (found {kind}); it stays enabled", kind=kind))
            return
        for name in names:
            self._plugins.setdefault(name, {})["enabled"] = switch

    def _is_document_object(self, key: str) -> bool:
        return to_snake(key) in DOCUMENT_OBJECTS and key not in (self._known or ())

    def _read_object(self, value: object, path: tuple[str, ...], where: str) -> None:
        if isinstance(value, bool) and (*path, "enabled") in BY_PATH:
            value = {"enabled": value}
        for key, item in self.mapping(value, where).items():
            below, here = (*path, to_snake(str(key))), f"{where}.{shown(key)}"
            if below in BY_PATH:
                self._assign(BY_PATH[below], item, here)
            elif _is_group(below):
                self._read_object(item, below, here)
            elif path != ("context",):  # a host may keep other things in its "context"
                names = {known[len(path)] for known in BY_PATH if known[: len(path)] == path}
                self._report(here, Sentence("there is no such option. {hint}", hint=hint(str(key), names)))

    def _assign(self, option: str, value: object, where: str) -> None:
        plugin, *groups, name = option.split(".")
        if name == "enabled":
            if as_switch(value) is not True:  # true is the default, and wins over no other object's false
                self._switch(STANDARD_PLUGINS if plugin == "*" else (plugin,), value, where)
            return
        options = self._plugins.setdefault(plugin, {})
        for group in groups:
            options = options.setdefault(group, {})
        options[name] = value
        self._written[option] = where
