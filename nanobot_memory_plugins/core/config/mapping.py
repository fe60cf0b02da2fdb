"""Turning the content of a configuration file into a `MemoryConfig`, and finding the plugins' section in it."""

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
from nanobot_memory_plugins.core.config.names import OPTION_BY_PATH, STANDARD_PLUGINS, is_group
from nanobot_memory_plugins.core.config.options import checked_options
from nanobot_memory_plugins.core.config.wording import key_text, problem_sentence, spelling_hint
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SECTION = ("memoryPlugins", "memory_plugins")
# The sections that are not plugins.
_CORE_SECTIONS = ("core", "redaction")
# A file with one of these keys is nanobot's own configuration, which has the plugins below "channels".
_NANOBOT_KEYS = ("agents", "channels", "providers", "gateway")
# A key at least this similar to the section's is taken for a misspelling of it: "memoryPlugin", but not "plugins".
_MIN_SIMILARITY = 0.85


def config_from_mapping(raw: object, *, known_plugins: Collection[str] | None = None, source: str = "") -> MemoryConfig:
    """Return the configuration in ``raw``, together with its problems. Never raises for the content of ``raw``.

    ``raw`` is the content of a file: ``memoryPlugins``, at the top or below ``channels``, and the objects of the design
    documents (``{"memory": {...}}``). If ``known_plugins`` has the names of the installed plugins, others are reported.
    """
    reader = _Reader(known_plugins, source)
    content = reader.as_mapping(raw, "memoryPlugins")
    prefix, section = find_section(content)
    if prefix:
        reader.prefix = prefix
        if prefix in _SECTION and _is_nanobot_config(content):
            reader.report(prefix, Sentence('nanobot does not start with it here; move it below "channels"'))
        section = reader.as_mapping(section, prefix)
        reader.read_section(section)
        reader.read_documents(section, f"{prefix}.")
    reader.read_documents(content, "")
    return reader.config()


def find_section(raw: Mapping[Any, Any]) -> tuple[str, object]:
    """Return the dotted path and the value of ``memoryPlugins`` in a file's content; without one, an empty path."""
    for prefix, parent in _section_parents(raw):
        for key in _SECTION:
            if key in parent:
                return f"{prefix}{key}", parent[key]
    return "", None


def misspelt_section(raw: Mapping[Any, Any]) -> str:
    """Return the dotted path of a key that resembles ``memoryPlugins``, or an empty string."""
    for prefix, parent in _section_parents(raw):
        if near := get_close_matches(_SECTION[0], map(str, parent), n=1, cutoff=_MIN_SIMILARITY):
            return f"{prefix}{key_text(near[0])}"
    return ""


def _section_parents(raw: Mapping[Any, Any]) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    yield "", raw
    if isinstance(channels := raw.get("channels"), Mapping):
        yield "channels.", channels


def section_path(raw: Mapping[Any, Any]) -> str:
    """Return the dotted path of the plugins' section in a file's content, or the path where it belongs."""
    return find_section(raw)[0] or ("channels.memoryPlugins" if _is_nanobot_config(raw) else "memoryPlugins")


def _is_nanobot_config(raw: Mapping[Any, Any]) -> bool:
    return any(key in raw for key in _NANOBOT_KEYS)


def has_document_options(raw: Mapping[Any, Any]) -> bool:
    """Return whether ``raw`` has an option under a name from the design documents."""
    return any(path in OPTION_BY_PATH for path, _, _ in _document_options(raw))


def _document_options(
    raw: Mapping[Any, Any], parent: tuple[str, ...] = (), prefix: str = ""
) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield the values in the documents' objects, each with its snake_case path and its dotted key as it is written."""
    for key, value in raw.items():
        path, where = (*parent, to_snake(str(key))), f"{prefix}{key_text(key)}"
        if not is_group(path):
            if parent:
                yield path, where, value
        elif isinstance(value, Mapping):
            yield from _document_options(value, path, f"{where}.")
        elif (*path, "enabled") in OPTION_BY_PATH and isinstance(value, bool):
            yield (*path, "enabled"), where, value
        elif value is not None:
            yield path, where, value


class _Reader:
    """Collects options and problems while it goes through the objects. The value that was read first is used."""

    def __init__(self, known_plugins: Collection[str] | None, source: str) -> None:
        self.prefix = "memoryPlugins"
        self._problems: list[ConfigProblem] = []
        self._known = known_plugins
        self._source = source
        self._core: dict[str, Any] = {}
        self._plugins: dict[str, dict[str, Any]] = {}
        self._written: dict[str, str] = {}

    def config(self) -> MemoryConfig:
        """Return the configuration that was read."""
        return MemoryConfig(
            **self._core,
            plugins=self._plugins,
            problems=tuple(self._problems),
            source=self._source,
            prefix=self.prefix,
            written=self._written,
        )

    def as_mapping(self, raw: object, where: str) -> Mapping[Any, Any]:
        """Return ``raw`` if it is an object, else an empty one; anything but null is reported."""
        if isinstance(raw, Mapping):
            return raw
        if raw is not None:
            self.report(where, Sentence("it should be an object; the defaults are used"))
        return {}

    def read_section(self, section: Mapping[Any, Any]) -> None:
        """Read the value of ``memoryPlugins``."""
        core = self._read_core("core", CoreOptions, section)
        self._read_core("redaction", RedactionOptions, section)
        files = (file.stem for file in core.plugin_files) if isinstance(core, CoreOptions) else ()
        known = None if self._known is None else {*self._known, *STANDARD_PLUGINS, *files}
        for key, raw in ((str(key), raw) for key, raw in section.items() if key not in _CORE_SECTIONS):
            name = next((one for one in (key, to_snake(key)) if one in (known or ())), key)
            where = f"{self.prefix}.{key_text(key)}"
            if self._is_document_object(key):
                continue
            if known is None or name in known:
                self._read_plugin(
                    name, {"enabled": raw} if isinstance(raw, bool) else self.as_mapping(raw, where), where
                )
            else:
                near = spelling_hint(key, {*known, *_CORE_SECTIONS, *OPTION_BY_PATH.values()})
                self.report(where, Sentence("there is no such plugin. {hint}", hint=near))

    def read_documents(self, raw: Mapping[Any, Any], prefix: str) -> None:
        """Read the documents' objects: ``memory``, ``memory_search``, ``memory_flush`` and ``context.bootstrap``."""
        objects = {key: value for key, value in raw.items() if self._is_document_object(str(key))}
        for path, where, value in _document_options(objects, prefix=prefix):
            if path in OPTION_BY_PATH:
                self._assign(OPTION_BY_PATH[path], value, where)
            elif is_group(path):
                self.as_mapping(value, where)
            elif path[0] != "context" or len(path) > 2:  # a host may keep other things in its "context"
                last = len(path) - 1
                names = {known[last] for known in OPTION_BY_PATH if known[:last] == path[:last]}
                near = spelling_hint(where.rpartition(".")[2], names)
                self.report(where, Sentence("there is no such option. {hint}", hint=near))

    def report(self, key: str, message: str) -> None:
        """Add a problem; ``message`` completes the sentence that begins with the key."""
        self._problems.append(ConfigProblem(key, problem_sentence(key, message), self._source))

    def _read_core(self, name: str, model: type[BaseModel], section: Mapping[Any, Any]) -> BaseModel | None:
        where = f"{self.prefix}.{name}"
        given = self.as_mapping(section.get(name), where)
        options, problems = checked_options(model, given, prefix=where, source=self._source)
        self._problems += problems
        self._core[name] = options
        return options

    def _read_plugin(self, name: str, raw: Mapping[Any, Any], where: str) -> None:
        options = self._plugins.setdefault(name, {})
        for key, value in ((str(key), value) for key, value in raw.items()):
            if key == "enabled":
                self._set_enabled([name], value, f"{where}.enabled")
            else:
                options[key] = value

    def _set_enabled(self, names: Collection[str], value: object, where: str) -> None:
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
            if as_switch(value) is not True:  # true is the default, and must not override another object's false
                self._set_enabled(STANDARD_PLUGINS if plugin == "*" else (plugin,), value, where)
        elif name not in map(to_snake, options := self._plugins.setdefault(plugin, {})):
            options[name] = value
            self._written[option] = where
