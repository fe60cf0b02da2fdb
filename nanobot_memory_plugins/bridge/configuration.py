"""The configuration of the set inside nanobot.

It is in nanobot's own ``config.json`` at ``channels.memoryPlugins``: the only place there that takes unknown
keys and keeps them when nanobot saves the file. Without it, ``NANOBOT_MEMORY_CONFIG`` may name a file.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.options import BridgeOptions
from nanobot_memory_plugins.core import MemoryConfig, load_config, logger
from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The name of the bridge's own entry point among the plugins.
PLUGIN_NAME = "nanobot"
CONFIG_KEY = "memoryPlugins"
FILE_VARIABLE = "NANOBOT_MEMORY_CONFIG"
PLACE = "nanobot's config.json"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the bridge and the memory run with."""

    memory: MemoryConfig = field(default_factory=MemoryConfig)
    bridge: BridgeOptions = field(default_factory=BridgeOptions)
    problems: tuple[ConfigProblem, ...] = ()


def read_configuration(loop: Any) -> Configuration:
    """Read the configuration that belongs to an AgentLoop.

    Never raises: what cannot be used is left at its default and reported as a problem.
    """
    try:
        # As nanobot loaded it, not through its path, which the SDK does not set.
        extra = getattr(loop.channels_config, "model_extra", None) or {}
        section = extra.get(CONFIG_KEY, extra.get("memory_plugins"))
        problems: Sequence[ConfigProblem]
        if isinstance(section, Mapping):
            memory, problems = config_from_mapping({"channels": {CONFIG_KEY: section}}, source=PLACE)
        elif file := os.environ.get(FILE_VARIABLE):
            memory, problems = load_config(Path(file))
        else:
            return Configuration()
        # What is wrong with the bridge's own options is reported by the plugin set, which reads them too.
        options, _ = plugin_options(memory, PLUGIN_NAME, BridgeOptions)
    except Exception as error:
        logger.warning("the memory's configuration could not be read: {}", type(error).__name__)
        cause = Sentence("{config_key}: cannot be read ({kind}).", config_key=CONFIG_KEY, kind=type(error).__name__)
        return Configuration(problems=(ConfigProblem(CONFIG_KEY, cause, PLACE),))
    return Configuration(memory, options if isinstance(options, BridgeOptions) else BridgeOptions(), tuple(problems))
