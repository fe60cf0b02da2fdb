"""From the content of a configuration file to a `MemoryConfig`, and where in it the plugins are."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_snake

from nanobot_memory_plugins.core.config.models import (
    ConfigProblem,
    CoreOptions,
    MemoryConfig,
    RedactionOptions,
    as_switch,
)
from nanobot_memory_plugins.core.config.names import BY_PATH, STANDARD_PLUGINS, is_group
from nanobot_memory_plugins.core.config.options import checked_options
from nanobot_memory_plugins.core.config.wording import hint, key_text, sentence
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SECTION = ("memoryPlugins", "memory_plugins")
# What is no plugin.
_OWN = ("core", "redaction")
# By these a file is known for nanobot's, where the plugins are below "channels".
_NANOBOT_KEYS = ("agents", "channels", "providers", "gateway")
# From this likeness on a key is meant for that of the section: "memoryPlugin" is, "plugins" and "memory" are not.
_MEANT = 0.85


def config_from_mapping(raw: object, *, known_plugins: Collection[str] | None = None, source: str = "") -> MemoryConfig:
    """Return the configuration that ``raw`` describes, with what was wrong in it. Never raises for its content.

    ``raw`` is what a file holds: ``memoryPlugins``, also below ``channels``, and the documents' objects by their names
    (``{"memory": {...}}``). With ``known_plugins``, the names of those that are installed, other names are reported.
    """
    reader = _Reader(known_plugins, source)
    given = reader.mapping(raw, "memoryPlugins")
    prefix, section = find_section(given)
    if prefix:
        reader.prefix = prefix
        if prefix in _SECTION and _is_nanobots(given):
            reader.report(prefix, Sentence('nanobot does not start with it here; move it below "channels"'))
        below = reader.mapping(section, prefix)
        reader.read_section(below)
        reader.read_documents(below, f"{prefix}.")
    reader.read_documents(given, "")
    return reader.config()


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
            return f"{above}{key_text(near[0])}"
    return ""


def _places(raw: Mapping[Any, Any]) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    yield "", raw
    if isinstance(channels := raw.get("channels"), Mapping):
        yield "channels.", channels


def plugins_place(raw: Mapping[Any, Any]) -> str:
    """Return the dotted place where a file has its plugins, or is to have them."""
    return find_section(raw)[0] or ("channels.memoryPlugins" if _is_nanobots(raw) else "memoryPlugins")


def _is_nanobots(raw: Mapping[Any, Any]) -> bool:
    return any(key in raw for key in _NANOBOT_KEYS)


def has_documented_names(raw: Mapping[Any, Any]) -> bool:
    """Return whether one of the documents' objects is in ``raw`` with a name that the documents give."""
    return any(path in BY_PATH for path, _, _ in _documented(raw))


def _documented(
    raw: Mapping[Any, Any], above: tuple[str, ...] = (), spelt: str = ""
) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield what stands in the documents' objects: its path in snake_case, the key as it is written, its value."""
    for key, value in raw.items():
        path, where = (*above, to_snake(str(key))), f"{spelt}{key_text(key)}"
        if not is_group(path):
            if above:
                yield path, where, value
        elif isinstance(value, Mapping):
            yield from _documented(value, path, f"{where}.")
        elif (*path, "enabled") in BY_PATH and isinstance(value, bool):
            yield (*path, "enabled"), where, value
        elif value is not None:
            yield path, where, value


class _Reader:
    """Collects options and problems while it goes through the objects. What it has read of an option holds."""

    def __init__(self, known_plugins: Collection[str] | None, source: str) -> None:
        self.prefix = "memoryPlugins"
        self._problems: list[ConfigProblem] = []
        self._known = known_plugins
        self._source = source
        self._own: dict[str, Any] = {}
        self._plugins: dict[str, dict[str, Any]] = {}
        self._written: dict[str, str] = {}

    def config(self) -> MemoryConfig:
        """Return what was read."""
        return MemoryConfig(
            **self._own,
            plugins=self._plugins,
            problems=tuple(self._problems),
            source=self._source,
            prefix=self.prefix,
            written=self._written,
        )

    def mapping(self, raw: object, where: str) -> Mapping[Any, Any]:
        """Return an object; an empty one for null, and for anything else, which is reported."""
        if isinstance(raw, Mapping):
            return raw
        if raw is not None:
            self.report(where, Sentence("it should be an object; the defaults are used"))
        return {}

    def read_section(self, section: Mapping[Any, Any]) -> None:
        """Read the value of ``memoryPlugins``."""
        core = self._read_own("core", CoreOptions, section)
        self._read_own("redaction", RedactionOptions, section)
        files = (file.stem for file in core.plugin_files) if isinstance(core, CoreOptions) else ()
        known = None if self._known is None else {*self._known, *STANDARD_PLUGINS, *files}
        for key, raw in ((str(key), raw) for key, raw in section.items() if key not in _OWN):
            name = next((one for one in (key, to_snake(key)) if one in (known or ())), key)
            where = f"{self.prefix}.{key_text(key)}"
            if self._is_document_object(key):
                continue
            if known is None or name in known:
                self._read_plugin(name, {"enabled": raw} if isinstance(raw, bool) else self.mapping(raw, where), where)
            else:
                near = hint(key, {*known, *_OWN, *BY_PATH.values()})
                self.report(where, Sentence("there is no such plugin. {hint}", hint=near))

    def read_documents(self, raw: Mapping[Any, Any], prefix: str) -> None:
        """Read ``memory``, ``memory_search``, ``memory_flush`` and ``context.bootstrap`` where they are."""
        objects = {key: value for key, value in raw.items() if self._is_document_object(str(key))}
        for path, where, value in _documented(objects, spelt=prefix):
            if path in BY_PATH:
                self._assign(BY_PATH[path], value, where)
            elif is_group(path):
                self.mapping(value, where)
            elif path[0] != "context" or len(path) > 2:  # a host may keep other things in its "context"
                last = len(path) - 1
                names = {known[last] for known in BY_PATH if known[:last] == path[:last]}
                near = hint(where.rpartition(".")[2], names)
                self.report(where, Sentence("there is no such option. {hint}", hint=near))

    def report(self, key: str, message: str) -> None:
        """Note what is wrong with a key, in a sentence's words after it."""
        self._problems.append(ConfigProblem(key, sentence(key, message), self._source))

    def _read_own(self, name: str, model: type[BaseModel], section: Mapping[Any, Any]) -> BaseModel | None:
        where = f"{self.prefix}.{name}"
        given = self.mapping(section.get(name), where)
        options, problems = checked_options(model, given, prefix=where, source=self._source)
        self._problems += problems
        self._own[name] = options
        return options

    def _read_plugin(self, name: str, raw: Mapping[Any, Any], where: str) -> None:
        options = self._plugins.setdefault(name, {})
        for key, value in ((str(key), value) for key, value in raw.items()):
            if key == "enabled":
                self._switch([name], value, f"{where}.enabled")
            else:
                options[key] = value

    def _switch(self, names: Collection[str], value: object, where: str) -> None:
        switch = as_switch(value)
        if switch is None:
            self.report(where, Sentence("it should be true or false; the default is used"))
            return
        for name in names:
            self._plugins.setdefault(name, {}).setdefault("enabled", switch)

    def _is_document_object(self, key: str) -> bool:
        return is_group((to_snake(key),)) and key not in (self._known or ())

    def _assign(self, option: str, value: object, where: str) -> None:
        plugin, name = option.split(".")
        if name == "enabled":
            if as_switch(value) is not True:  # true is the default, and wins over no other object's false
                self._switch(STANDARD_PLUGINS if plugin == "*" else (plugin,), value, where)
        elif name not in map(to_snake, options := self._plugins.setdefault(plugin, {})):
            options[name] = value
            self._written[option] = where
