"""The configuration of the set inside nanobot.

It is in nanobot's own ``config.json`` at ``channels.memoryPlugins``: the only place there that takes unknown
keys and keeps them when nanobot saves the file. Without it, ``NANOBOT_MEMORY_CONFIG`` may name a file.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from nanobot_memory_plugins.core import MemoryConfig, PluginOptions, load_config, logger
from nanobot_memory_plugins.core.config.mapping import config_from_mapping
from nanobot_memory_plugins.core.config.models import ConfigProblem
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.config.reading import installed_plugins
from nanobot_memory_plugins.core.scopes.projects import project_of
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The name of the bridge's own entry point among the plugins.
PLUGIN_NAME = "nanobot"
CONFIG_KEY = "memoryPlugins"
FILE_VARIABLE = "NANOBOT_MEMORY_CONFIG"
PLACE = "nanobot's config.json"
AUTO = "auto"


class BridgeOptions(PluginOptions):
    """How the set behaves inside nanobot. Times are seconds."""

    start_limit: float = Field(
        default=5.0,
        gt=0,
        le=60,
        description="seconds that the first turn waits for the memory to start; then it goes on without",
    )
    background_turns: bool = Field(
        default=False, description="learn from turns that a timer set off (cron, heartbeat) when they end"
    )
    project: str = Field(
        default="",
        max_length=200,
        description="the project that is worked in: a name, or `auto` for the repository of the folder in which nanobot"
        " was started; its memories come first, and what is said is its own. Empty: none",
    )

    def worked_in(self, folder: str) -> str:
        """Return the project that is worked in by a process that was started in a folder. It blocks."""
        return project_of(folder) if self.project.strip() == AUTO else self.project.strip()


def read_configuration(loop: Any) -> tuple[MemoryConfig, BridgeOptions]:
    """Return the configuration that belongs to an AgentLoop, and the bridge's own options in it.

    Never raises: what cannot be used is left at its default and reported as a problem.
    """
    try:
        # As nanobot loaded it, not through its path, which the SDK does not set.
        extra = getattr(loop.channels_config, "model_extra", None) or {}
        section = extra.get(CONFIG_KEY, extra.get("memory_plugins"))
        if isinstance(section, Mapping):
            memory = config_from_mapping(
                {"channels": {CONFIG_KEY: section}}, known_plugins=installed_plugins(), source=PLACE
            )
        elif file := os.environ.get(FILE_VARIABLE):
            memory = load_config(Path(file))
        else:
            return MemoryConfig(), BridgeOptions()
        # What is wrong with the bridge's own options is reported by the plugin set, which reads them too.
        options, _ = plugin_options(memory, PLUGIN_NAME, BridgeOptions)
    except Exception as error:
        logger.warning("the memory's configuration could not be read: {}", type(error).__name__)
        cause = Sentence("{config_key}: cannot be read ({kind}).", config_key=CONFIG_KEY, kind=type(error).__name__)
        return MemoryConfig(problems=(ConfigProblem(CONFIG_KEY, cause, PLACE),)), BridgeOptions()
    return memory, options if isinstance(options, BridgeOptions) else BridgeOptions()
