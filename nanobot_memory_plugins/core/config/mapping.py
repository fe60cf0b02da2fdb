"""From the value of ``memoryPlugins``, or from a document's object, to a `MemoryConfig`."""

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
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
    DocumentName,
    place_of,
)
from nanobot_memory_plugins.core.config.options import checked_options
from nanobot_memory_plugins.core.config.wording import hint, kind_of, sentence, shown
from nanobot_memory_plugins.redaction.script.messages import Sentence

_SECTION = ("memoryPlugins", "memory_plugins")
# What is no plugin.
_OWN = ("core", "redaction")
# By these a file is known for nanobot's, where the plugins stand below "channels".
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
    if not isinstance(raw, Mapping):
        if raw is not None:
            reader.report(
                "memoryPlugins",
                Sentence("an object is expected (found {kind}); the defaults are used", kind=kind_of(raw)),
            )
        return MemoryConfig(source=source), reader.problems
    prefix, section = find_section(raw)
    reader.read_documents(raw, "")
    if prefix:
        reader.prefix = prefix
        if isinstance(section, Mapping):
            reader.read_documents(section, f"{prefix}.")
            reader.read_section(section)
        elif section is not None:
            reader.report(
                prefix, Sentence("an object is expected (found {kind}); the defaults are used", kind=kind_of(section))
            )
    elif names_plugins(raw, known_plugins) or not has_documented_names(raw):
        reader.read_section(raw)
    return reader.config(), reader.problems


def find_section(raw: Mapping[Any, Any]) -> tuple[str, object]:
    """Return the dotted place and the value of ``memoryPlugins`` in a whole file, or an empty place."""
    for key in _SECTION:
        if key in raw:
            return key, raw[key]
    channels = raw.get("channels")
    if isinstance(channels, Mapping):
        for key in _SECTION:
            if key in channels:
                return f"channels.{key}", channels[key]
    return "", None


def is_nanobots(raw: Mapping[Any, Any]) -> bool:
    """Return whether a whole file is nanobot's own, which need not speak of memory."""
    return any(key in raw for key in _NANOBOT_KEYS)


def misspelt_section(raw: Mapping[Any, Any]) -> str:
    """Return the dotted place of a key that is nearly ``memoryPlugins``, in a file that has no such section."""
    channels = raw.get("channels")
    for above, found in (("", raw), ("channels.", channels if isinstance(channels, Mapping) else {})):
        for key in found:
            folded = str(key)[: 2 * len(_SECTION[0])].casefold().replace("_", "").replace("-", "")
            if SequenceMatcher(None, folded, _SECTION[0].casefold()).ratio() >= _MEANT:
                return f"{above}{shown(key)}"
    return ""


def names_plugins(raw: Mapping[Any, Any], known_plugins: Collection[str] | None) -> bool:
    """Return whether a key of ``raw`` is ``core``, ``redaction`` or a plugin's name."""
    names = {*_OWN, *STANDARD_PLUGINS, *(known_plugins or ())}
    return any(str(key) in names or to_snake(str(key)) in names for key in raw)


def has_documented_names(raw: Mapping[Any, Any]) -> bool:
    """Return whether one of the documents' objects stands in ``raw`` with a name that the documents give."""

    def known_below(value: object, path: tuple[str, ...]) -> bool:
        if path in BY_PATH:
            return True
        if not isinstance(value, Mapping) or not _is_group(path):
            return False
        return any(known_below(item, (*path, to_snake(str(key)))) for key, item in value.items())

    return any(known_below(value, (to_snake(str(key)),)) for key, value in raw.items())


class _Reader:
    """Collects options and problems while it goes through the objects."""

    def __init__(self, known_plugins: Collection[str] | None, source: str) -> None:
        self.prefix = "memoryPlugins"
        self.problems: list[ConfigProblem] = []
        self._known = known_plugins
        self._source = source
        self._core = CoreOptions()
        self._redaction = RedactionOptions()
        self._plugins: dict[str, dict[str, Any]] = {}
        self._written: dict[str, str] = {}

    def report(self, key: str, message: str) -> None:
        self.problems.append(ConfigProblem(key, sentence(key, message), self._source))

    def config(self) -> MemoryConfig:
        return MemoryConfig(
            core=self._core,
            redaction=self._redaction,
            plugins=self._plugins,
            source=self._source,
            prefix=self.prefix,
            written=self._written,
        )

    # --- memoryPlugins ----------------------------------------------------------------------------------------

    def read_section(self, section: Mapping[Any, Any]) -> None:
        """Read the value of ``memoryPlugins``; what it says wins over the documents' objects."""
        for key, raw in section.items():
            name = self._plugin_name(str(key))
            where = f"{self.prefix}.{shown(key)}"
            if name in _OWN:
                self._read_own(name, raw, where)
            elif self._is_document_object(str(key)):
                continue
            elif self._is_known(name, str(key), raw, where):
                self._read_plugin(name, raw, where)

    def _read_own(self, name: str, raw: object, where: str) -> None:
        if not isinstance(raw, Mapping):
            self.report(
                where, Sentence("an object is expected (found {kind}); the defaults are used", kind=kind_of(raw))
            )
            return
        model = CoreOptions if name == "core" else RedactionOptions
        options, problems = checked_options(model, raw, prefix=where, source=self._source)
        self.problems += problems
        if isinstance(options, CoreOptions):
            self._core = options
        elif isinstance(options, RedactionOptions):
            self._redaction = options

    def _read_plugin(self, name: str, raw: object, where: str) -> None:
        if isinstance(raw, bool):
            raw = {"enabled": raw}
        if not isinstance(raw, Mapping):
            if raw is not None:
                self.report(
                    where,
                    Sentence(
                        "an object or a boolean is expected (found {kind}); the defaults are used", kind=kind_of(raw)
                    ),
                )
            return
        options = self._plugins.setdefault(name, {})
        for key, value in raw.items():
            if str(key) == "enabled":
                self._switch(name, value, f"{where}.enabled")
                continue
            snake = to_snake(str(key))
            earlier = self._written.pop(f"{name}.{snake}", None)
            if earlier is not None and options.pop(snake, None) != value:
                self.report(earlier, Sentence("{name} says the same option, and counts", name=f"{where}.{shown(key)}"))
            options[str(key)] = value

    def _switch(self, name: str, value: object, where: str) -> None:
        switch = as_switch(value)
        if switch is None:
            self.report(
                where,
                Sentence("true or false is expected (found {kind}); the plugin stays enabled", kind=kind_of(value)),
            )
        else:
            self._plugins.setdefault(name, {})["enabled"] = switch

    def _plugin_name(self, key: str) -> str:
        names = self._known or ()
        return to_snake(key) if key not in names and to_snake(key) in names else key

    def _is_known(self, name: str, key: str, raw: object, where: str) -> bool:
        """Return whether to read the options of ``name``, and say so when it is not installed."""
        if self._known is not None and name in self._known:
            return True
        if name in STANDARD_PLUGINS:
            if self._known is not None:
                self._report_missing(name, raw, where)
            return True
        place = place_of(key)
        if place and not isinstance(raw, Mapping):
            self.report(
                where, Sentence('this is an option of a plugin: write it as "{place}"', place=f"{self.prefix}.{place}")
            )
            return False
        if self._known is None:
            return True
        names = {*self._known, *STANDARD_PLUGINS, *_OWN}
        self.report(where, Sentence("there is no such plugin. {hint}", hint=hint(key, names)))
        return False

    def _report_missing(self, name: str, raw: object, where: str) -> None:
        off = raw is False or (isinstance(raw, Mapping) and as_switch(raw.get("enabled", True)) is False)
        if not off:
            self.report(where, Sentence('the plugin "{name}" is not installed, so this has no effect', name=name))

    # --- the documents' objects -------------------------------------------------------------------------------

    def _is_document_object(self, key: str) -> bool:
        return to_snake(key) in DOCUMENT_OBJECTS and key not in (self._known or ())

    def read_documents(self, raw: Mapping[Any, Any], prefix: str) -> None:
        """Read ``memory``, ``memory_search``, ``memory_flush`` and ``context.bootstrap`` where they stand."""
        for key, value in raw.items():
            if self._is_document_object(str(key)):
                self._read_object(value, (to_snake(str(key)),), prefix + shown(key))

    def _read_object(self, value: object, path: tuple[str, ...], where: str) -> None:
        if not isinstance(value, Mapping):
            switch = BY_PATH.get((*path, "enabled"))
            if isinstance(value, bool) and switch is not None:
                self._assign(switch, value, where)
            elif value is not None:
                self.report(
                    where, Sentence("an object is expected (found {kind}); the defaults are used", kind=kind_of(value))
                )
            return
        for key, item in value.items():
            below = (*path, to_snake(str(key)))
            name = BY_PATH.get(below)
            here = f"{where}.{shown(key)}"
            if name is not None:
                self._assign(name, item, here)
            elif _is_group(below):
                self._read_object(item, below, here)
            elif path != ("context",):  # other things may stand in a host's "context"
                names = {known[len(path)] for known in BY_PATH if known[: len(path)] == path}
                self.report(here, Sentence("there is no such option. {hint}", hint=hint(str(key), names)))

    def _assign(self, name: DocumentName, value: object, where: str) -> None:
        if name.plugin == "*":
            switch = as_switch(value)
            if switch is None:
                self.report(
                    where,
                    Sentence("true or false is expected (found {kind}); the plugins stay enabled", kind=kind_of(value)),
                )
            elif not switch:
                for plugin in STANDARD_PLUGINS:
                    self._plugins.setdefault(plugin, {})["enabled"] = False
            return
        if self._known is not None and name.plugin not in self._known:
            self._report_missing(name.plugin, value if name.path == ("enabled",) else {}, where)
        if name.path == ("enabled",):
            if self._plugins.get(name.plugin, {}).get("enabled") is not False:
                self._switch(name.plugin, value, where)
            return
        options = self._plugins.setdefault(name.plugin, {})
        for part in name.path[:-1]:
            options = options.setdefault(part, {})
        earlier = self._written.get(name.option)
        if earlier is not None and options.get(name.path[-1]) != value:
            self.report(earlier, Sentence("{name} says the same option, and counts", name=where))
        options[name.path[-1]] = value
        self._written[name.option] = where


def _is_group(path: tuple[str, ...]) -> bool:
    return any(known[: len(path)] == path for known in BY_PATH)
