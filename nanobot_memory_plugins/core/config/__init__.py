"""Configuration: read from a file or a mapping, checked key by key; a wrong value costs only itself."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.config.json_file import nanobot_home, read_json
    from nanobot_memory_plugins.core.config.mapping import config_from_mapping, find_section
    from nanobot_memory_plugins.core.config.models import ConfigProblem, CoreOptions, MemoryConfig, RedactionOptions
    from nanobot_memory_plugins.core.config.names import DOCUMENT_NAMES, DocumentName
    from nanobot_memory_plugins.core.config.options import plugin_options
    from nanobot_memory_plugins.core.config.reading import given_or_usual, installed_plugins, load_config
    from nanobot_memory_plugins.core.config.writing import (
        ConfigChange,
        plugins_place,
        set_plugin_options,
    )

__getattr__ = lazy_names(
    __name__,
    {
        "json_file": ("nanobot_home", "read_json"),
        "mapping": ("config_from_mapping", "find_section"),
        "models": ("ConfigProblem", "CoreOptions", "MemoryConfig", "RedactionOptions"),
        "names": ("DOCUMENT_NAMES", "DocumentName"),
        "options": ("plugin_options",),
        "reading": ("given_or_usual", "installed_plugins", "load_config"),
        "writing": ("ConfigChange", "plugins_place", "set_plugin_options"),
    },
)

__all__ = [
    "DOCUMENT_NAMES",
    "ConfigChange",
    "ConfigProblem",
    "CoreOptions",
    "DocumentName",
    "MemoryConfig",
    "RedactionOptions",
    "config_from_mapping",
    "find_section",
    "given_or_usual",
    "installed_plugins",
    "load_config",
    "nanobot_home",
    "plugin_options",
    "plugins_place",
    "read_json",
    "set_plugin_options",
]
