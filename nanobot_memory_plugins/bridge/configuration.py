"""Reads the memory's configuration inside nanobot.

It is part of nanobot's own ``config.json``, at ``channels.memoryPlugins``: the only section that accepts unknown keys
and keeps them when nanobot saves the file. Without that section, ``NANOBOT_MEMORY_CONFIG`` may name a file.
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
SOURCE_NAME = "nanobot's config.json"
AUTO = "auto"


class BridgeOptions(PluginOptions):
    """The bridge's own options. Times are in seconds."""

    start_limit: float = Field(
        default=5.0,
        gt=0,
        le=60,
        description="seconds that the first turn waits for the memory to start; after that it goes on without it",
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

    def project_in(self, folder: str) -> str:
        """Return the project of a process that was started in ``folder``. It blocks, since `auto` runs git."""
        return project_of(folder) if self.project.strip() == AUTO else self.project.strip()


def read_configuration(loop: Any) -> tuple[MemoryConfig, BridgeOptions]:
    """Return the memory's configuration for an AgentLoop, and the bridge's own options in it.

    It never raises: a value that cannot be used keeps its default and is reported as a problem.
    """
    try:
        # Read what nanobot has loaded, not the file: the SDK does not set its path.
        extra = getattr(loop.channels_config, "model_extra", None) or {}
        section = extra.get(CONFIG_KEY, extra.get("memory_plugins"))
        if isinstance(section, Mapping):
            memory = config_from_mapping(
                {"channels": {CONFIG_KEY: section}}, known_plugins=installed_plugins(), source=SOURCE_NAME
            )
        elif file := os.environ.get(FILE_VARIABLE):
            memory = load_config(Path(file))
        else:
            return MemoryConfig(), BridgeOptions()
        # Problems of the bridge's own options are reported by the plugin set, which reads them as well.
        options, _ = plugin_options(memory, PLUGIN_NAME, BridgeOptions)
    except Exception as error:
        logger.warning("the memory's configuration could not be read: {}", type(error).__name__)
        cause = Sentence("{config_key}: cannot be read ({kind}).", config_key=CONFIG_KEY, kind=type(error).__name__)
        return MemoryConfig(problems=(ConfigProblem(CONFIG_KEY, cause, SOURCE_NAME),)), BridgeOptions()
    return memory, options if isinstance(options, BridgeOptions) else BridgeOptions()
